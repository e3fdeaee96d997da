import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { anApplication } from '../process/support/installations.ts'
import { Client } from '../support/client.ts'
import { useProcesses } from '../support/process.ts'
import { Random, seedOf } from '../support/random.ts'
import { until } from '../support/waiting.ts'
import { sweptFiles } from './support/files.ts'
import { Rig, type Target } from './support/rig.ts'

const processes = useProcesses()
const random = new Random(seedOf('CRASH_SEED'))
const companies = 30_000

let rig: Rig
let organizationId: string
let token: string

// Enough rows for the writing to take some seconds.
const fillCompanies = statement(
  'test_crash_fill_companies',
  `insert into companies (organization_id, id, version, created_at, updated_at, name, description, websites, contact_data,
     custom_fields, tag_ids, search_names, search_contact_data, search_custom_fields)
   select $1, gen_random_uuid(), 1, now(), now(), 'Company ' || n, repeat('x', 1000), '[]',
          '{"phones": [], "emails": [], "addresses": [], "messengers": []}', '{}', '{}', '', '', ''
     from generate_series(1, $2::integer) as n`,
)

beforeAll(async () => {
  rig = await Rig.start(processes)
  const made = await rig.beside(async database => {
    const application = await anApplication(database)
    await database.search(fillCompanies, [application.organizationId, companies])
    return application
  })
  organizationId = made.organizationId
  token = made.token
}, 120_000)

const client = async () => new Client(await rig.address(), token)

const selectProgress = statement(
  'test_crash_progress',
  `select e.status, e.run_id is not null as begun from exports e where e.organization_id = $1 and e.id = $2`,
)

// Instead of waiting until the others take a silent worker for dead.
const ageLocks = statement(
  'test_crash_age_locks',
  `with workers as (update job_workers set beat_at = beat_at - interval '1 hour'),
     jobs as (update graphile_worker._private_jobs set locked_at = locked_at - interval '1 hour', run_at = now())
   update graphile_worker._private_job_queues set locked_at = locked_at - interval '1 hour'`,
)

let finished = 0

test.each<Target>(random.shuffled(['server', 'database', 'both']))(
  'an export is written whole although its %s is killed, and leaves nothing else',
  async target => {
    const { data } = await (await client()).post('/exports', { type: 'companies' })
    await rig.beside(database =>
      until('the writing to begin', async () => {
        const [row] = await database.query(selectProgress, [organizationId, data.id])
        return row?.begun === true
      }),
    )
    await sleep(random.between(0, 800))
    await rig.crash(target)
    await rig.beside(database => database.search(ageLocks, []))
    const shown = await until('the end of the export', async () => {
      const found = await (await client()).get(`/exports/${data.id}`)
      return ['completed', 'failed'].includes(String(found.data.status)) && found.data
    })
    expect(shown).toMatchObject({ status: 'completed', rowCount: companies })
    const { pathname } = new URL(String(shown.downloadUrl))
    const text = await (await fetch(`${await rig.address()}${pathname}`)).text()
    expect(text.split('\r\n')).toHaveLength(companies + 2)
    expect(createHash('sha256').update(text).digest('hex')).toBe(shown.sha256)
    finished += 1
    expect(await rig.beside(database => sweptFiles(rig.folder, organizationId, database))).toHaveLength(finished)
  },
  120_000,
)
