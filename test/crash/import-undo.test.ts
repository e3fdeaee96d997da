import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { type Row, statement } from '../../server/src/kernel/sql/index.ts'
import { csv, expectStatus, upload } from '../conformance/support/imports.ts'
import { anApplication } from '../process/support/installations.ts'
import { Client, objectOf } from '../support/client.ts'
import { runCommand } from '../support/commands.ts'
import { noEntrypoints } from '../support/no-entrypoints.ts'
import { useProcesses } from '../support/process.ts'
import { Random, seedOf } from '../support/random.ts'
import { until } from '../support/waiting.ts'
import { Rig, targets } from './support/rig.ts'

const processes = useProcesses()
const random = new Random(seedOf('CRASH_SEED'))
const count = 3000
const patience = 600_000

let importId: string
let undone: JsonObject
let left: Row[]
let events: Row[]

const selectLeft = statement(
  'crash_left_of_undone',
  `select (select count(*)::integer from contacts c where c.organization_id = $1) as contacts,
          (select count(*)::integer from external_keys k where k.organization_id = $1) as keys`,
)
const selectEvents = statement(
  'crash_events_of_undo',
  `select c.operation, count(*)::integer as events, count(distinct c.resource_id)::integer as records
     from changes c where c.organization_id = $1 and c.job_id = $2 group by 1 order by 1`,
)

beforeAll(async () => {
  const rig = await Rig.start(processes)
  const { organizationId, token } = await rig.beside(anApplication)
  const look = () =>
    until('an answer', async () => {
      const answer = await new Client(await rig.address(), token).get(`/imports/${importId}`).catch(() => null)
      return answer?.status === 200 && answer.data
    })
  const client = new Client(await rig.address(), token)
  const rows = Array.from({ length: count }, (_, index) => [`key-${index}`, 'Anna'])
  importId = String(expectStatus(await upload(client, csv(['key', 'name'], ...rows)), 201).id)
  const mapping = { externalId: 'key', firstName: 'name' }
  const dedupPolicy = { strategy: 'create_only' }
  expectStatus(await client.post(`/imports/${importId}/start`, { mapping, dedupPolicy }), 202)
  await until('the end of the import', async () => (await look()).finishedAt !== null, patience)
  const begun = await runCommand(['job', 'undo', importId], { CRM_DATA_DIR: rig.folder }, noEntrypoints)
  expect(begun).toMatchObject({ status: 0 })
  const removed = async () => Number(objectOf(objectOf((await look()).undo).counters).removed)
  for (const target of random.shuffled(targets)) {
    const before = await removed()
    await until(
      'records that were removed',
      async () => (await removed()) > before || (await removed()) === count,
      patience,
    )
    await rig.crash(target)
    await sleep(random.between(50, 400))
  }
  await until('the end of the undo', async () => objectOf((await look()).undo).finishedAt !== null, patience)
  undone = objectOf((await look()).undo)
  left = await rig.beside(database => database.search(selectLeft, [organizationId]))
  events = await rig.beside(database => database.search(selectEvents, [organizationId, importId]))
}, 2 * patience)

test('each record of the import was removed once, however often the program was killed', () => {
  expect(left).toEqual([{ contacts: 0, keys: 0 }])
  expect(events).toEqual([
    { operation: 'completed', events: 1, records: 1 },
    { operation: 'created', events: count, records: count },
    { operation: 'deleted', events: count, records: count },
  ])
})

test('the undo has counted each of them once', () => {
  const counters = { total: count, done: count, removed: count, restored: 0, kept: 0 }
  expect(undone).toMatchObject({ status: 'completed', counters, kept: [], failure: null })
})
