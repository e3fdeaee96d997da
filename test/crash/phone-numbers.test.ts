import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { type Row, statement } from '../../server/src/kernel/sql/index.ts'
import { setOrganization } from '../../server/src/settings/index.ts'
import { administrationOf, anApplication } from '../process/support/installations.ts'
import { useProcesses } from '../support/process.ts'
import { Random, seedOf } from '../support/random.ts'
import { until } from '../support/waiting.ts'
import { Courier, partsOf } from './support/courier.ts'
import { Rig, targets } from './support/rig.ts'

const processes = useProcesses()
const random = new Random(seedOf('CRASH_SEED'))
const count = 3000

const selectContacts = statement(
  'crash_numbered_contacts',
  `select t.version, t.contact_data #>> '{phones,0,e164}' as e164, count(*)::integer as contacts
     from contacts t where t.organization_id = $1 group by 1, 2 order by 1, 2`,
)
const selectEvents = statement(
  'crash_numbered_events',
  `select count(*)::integer as events, count(distinct c.resource_id)::integer as records
     from changes c where c.organization_id = $1 and c.job_id = $2`,
)
const selectRun = statement(
  'crash_phone_normalization',
  'select n.id, n.status, n.examined, n.changed from phone_normalizations n where n.organization_id = $1',
)

let jobId: string | undefined
let run: Row | undefined
let contacts: Row[]
let events: Row[]

beforeAll(async () => {
  const rig = await Rig.start(processes)
  const { organizationId, token } = await rig.beside(anApplication)
  const courier = new Courier(rig.address, token)
  const body = { lastName: 'Ada', contactData: { phones: [{ value: '030 1234567' }] } }
  const { data: first } = partsOf(await courier.deliver('POST', '/contacts', body))
  jobId = await rig.beside(async database => {
    await database.script(
      `insert into contacts
       select (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid()))).*
         from contacts t cross join generate_series(2, ${count}) where t.id = '${first.id}'`,
    )
    const changed = await setOrganization(administrationOf(database), { organizationId, country: 'DE' })
    return changed.phoneJobId
  })
  const look = () => rig.beside(async database => (await database.search(selectRun, [organizationId]))[0])
  await until('the work to begin', async () => Number((await look())?.changed) > 0)
  for (const target of random.shuffled(targets)) {
    await rig.crash(target)
    await sleep(random.between(50, 400))
  }
  await until('the end of the work', async () => (await look())?.status === 'completed')
  run = await look()
  contacts = await rig.beside(database => database.search(selectContacts, [organizationId]))
  events = await rig.beside(database => database.search(selectEvents, [organizationId, jobId]))
}, 240_000)

test('each number was normalised by one version and one event, however often the program was killed', () => {
  expect(contacts).toEqual([{ version: '2', e164: '+49301234567', contacts: count }])
  expect(events).toEqual([{ events: count, records: count }])
})

test('the job has counted each record once', () => {
  expect(run).toEqual({ id: jobId, status: 'completed', examined: String(count), changed: String(count) })
})
