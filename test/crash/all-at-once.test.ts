import { createHash } from 'node:crypto'
import { readdir, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DiskStore, FileLinks, Files, rowsWithoutFile, sweepFiles } from '../../server/src/kernel/files/index.ts'
import { Spool } from '../../server/src/kernel/index.ts'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { anApplication } from '../process/support/installations.ts'
import { testSecret } from '../support/database.ts'
import { useProcesses } from '../support/process.ts'
import { Random, seedOf } from '../support/random.ts'
import { Insisting } from './support/insist.ts'
import { type Fault, faults, Station } from './support/station.ts'
import { type Done, workload } from './support/workload.ts'

const processes = useProcesses()
const random = new Random(seedOf('CRASH_SEED'))
/** How many rounds there are, and how long what is lost is away. */
const rounds = Number(process.env['CRASH_ROUNDS'] ?? 1)
const awayMilliseconds = Number(process.env['CRASH_AWAY_SECONDS'] ?? 2) * 1000
const tasks = 800
const companies = 8000
const rows = 700
const files = 8

let station: Station
let client: Insisting
let organizationId: string
let taskIds: string[]
let companyId: string

const fillRecords = statement(
  'crash_fill_records',
  `with filled as (
     insert into companies (organization_id, id, version, created_at, updated_at, name, description, websites, contact_data,
       custom_fields, tag_ids, search_names, search_contact_data, search_custom_fields)
     select $1, gen_random_uuid(), 1, now(), now(), 'Company ' || n, repeat('x', 1000), '[]',
            '{"phones": [], "emails": [], "addresses": [], "messengers": []}', '{}', '{}', '', '', ''
       from generate_series(1, $2::integer) as n returning id)
   select f.id from filled f limit 1`,
)
const copyTasks = (id: string) => `
  insert into tasks
  select (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid()))).*
    from tasks t cross join generate_series(2, ${tasks}) where t.id = '${id}'`
const selectTasks = statement(
  'crash_select_tasks',
  'select t.id from tasks t where t.organization_id = $1 order by t.id',
)

beforeAll(async () => {
  station = await Station.start(processes)
  const application = await station.beside(anApplication)
  organizationId = application.organizationId
  client = new Insisting(station.address, application.token)
  const task = await client.post('/tasks', { title: 'Call' })
  await station.beside(async database => {
    await database.script(copyTasks(String(Object(task.data).id)))
    taskIds = (await database.search(selectTasks, [organizationId])).map(({ id }) => String(id))
    companyId = String((await database.search(fillRecords, [organizationId, companies]))[0]?.id)
  })
}, 120_000)
afterAll(() => station?.stop())

/** As many faults as there are rounds, of each kind about the same number. */
const chosen: Fault[] = Array.from({ length: rounds }, (_, round) => round)
  .reduce<Fault[]>(all => (all.length >= rounds ? all : [...all, ...random.shuffled(faults)]), [])
  .slice(0, rounds)

test.each(chosen.map((fault, round) => [fault, round] as const))(
  'while %s in the middle of a bulk job, an export, an import and uploads, each is done once: round %i',
  async (fault, round) => {
    let begin = () => {}
    const begun = new Promise<void>(resolve => void (begin = resolve))
    const working = workload(client, { name: `round${round}`, taskIds, companyId, rows, files }, () => begin())
    await begun
    await sleep(random.between(0, 1500))
    await station.suffer(fault, awayMilliseconds)
    const done = await working
    expectWhole(done)
    await expectOnce(done, `round${round}`)
    await expectFiles(done)
    await expectNothingLeft()
    // The disk is small, and every round has files as large.
    if (round < rounds - 1) await station.beside(database => database.query(forgetFiles, [organizationId]))
  },
  180_000,
)

function expectWhole(done: Done): void {
  const { bulkJob, export: exported, import: imported, looks } = done
  const counters = { succeeded: tasks, pending: 0, failed: 0, unchanged: 0, canceled: 0 }
  expect(bulkJob).toMatchObject({ status: 'completed', counters, failure: null })
  expect(exported).toMatchObject({ status: 'completed', rowCount: companies, failure: null })
  const ofRows = { total: rows, created: rows, updated: 0, unchanged: 0, skipped: 0, failed: 0, pending: 0 }
  expect(imported).toMatchObject({ status: 'completed', counters: ofRows, errors: [], failure: null })
  const sums = looks.filter(({ total }) => total === tasks).map(sumOf)
  expect(new Set(sums)).toEqual(new Set([tasks]))
  const pending = looks
    .filter(({ entityType }) => entityType === 'contacts')
    .map(look => Number(Object(look.counters).pending))
  expect(pending).toEqual(pending.toSorted((one, other) => other - one))
}

function sumOf({ counters }: JsonObject): number {
  return Object.values(Object(counters))
    .map(Number)
    .reduce((sum, count) => sum + count, 0)
}

const countEvents = statement(
  'crash_count_events',
  `select count(*) filter (where c.resource_id <> $2)::integer as events,
          count(distinct c.resource_id) filter (where c.resource_id <> $2)::integer as records,
          count(*) filter (where c.resource_id = $2)::integer as ends
     from changes c where c.organization_id = $1 and c.job_id = $2`,
)
const countContacts = statement(
  'crash_count_contacts',
  `select count(*)::integer as contacts, count(distinct k.key)::integer as keys
     from contacts c
     left join external_keys k on k.organization_id = c.organization_id and k.resource_id = c.id and not k.gone
    where c.organization_id = $1 and c.last_name = $2`,
)

/** Each target and each row was applied once, and left one event; so did each job when it ended. */
async function expectOnce({ bulkJob, import: imported }: Done, name: string): Promise<void> {
  await station.beside(async database => {
    expect(await database.search(countEvents, [organizationId, bulkJob.id])).toEqual([
      { events: tasks, records: tasks, ends: 1 },
    ])
    expect(await database.search(countEvents, [organizationId, imported.id])).toEqual([
      { events: rows, records: rows, ends: 1 },
    ])
    expect(await database.search(countContacts, [organizationId, name])).toEqual([{ contacts: rows, keys: rows }])
  })
}

/** The export and the attached files are what they were said to be, each attached once. */
async function expectFiles({ export: exported, dealId, hashes }: Done): Promise<void> {
  const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
  const { data: fresh } = await client.get(`/exports/${exported.id}`)
  const table = await client.download(Object(fresh).downloadUrl)
  expect([sha256(table), table.toString().split('\r\n').length]).toEqual([exported.sha256, companies + 2])
  const { data: attached } = await client.get(`/deals/${dealId}/files?limit=100`)
  const found = Array.isArray(attached) ? attached.map(Object) : []
  expect(found.map(file => file.sha256).toSorted()).toEqual([...hashes].toSorted())
  expect(sha256(await client.download(found[0]?.url))).toBe(found[0]?.sha256)
  const { data: deal } = await client.get(`/deals/${dealId}`)
  expect(deal).toMatchObject({ version: 1 + files, filesCount: files })
}

/** Makes all files old, removes what nobody needs as the upkeep does, and looks whether the rest is what is recorded. */
async function expectNothingLeft(): Promise<void> {
  const old = new Date(Date.now() - 7_200_000)
  const { dataDirectory } = station
  for (const path of await readdir(dataDirectory, { recursive: true })) {
    await utimes(join(dataDirectory, path), old, old).catch(() => {})
  }
  const store = new DiskStore(join(dataDirectory, 'files'))
  const stored = new Files(store, new FileLinks(testSecret, undefined))
  await store.removeDrafts()
  await new Spool(join(dataDirectory, 'spool')).removeLeftBehind()
  await station.beside(async database => {
    await sweepFiles({ files: stored, database }, new AbortController().signal)
    for await (const { key, fault } of rowsWithoutFile({ files: stored, database }, () => {}))
      throw new Error(`${key}: ${fault}`)
    const keys: string[] = []
    for await (const { key } of store.list('')) keys.push(key)
    expect(keys).toHaveLength(Number((await database.search(countFiles, [organizationId]))[0]?.files))
  })
  const below = (...path: readonly string[]) => readdir(join(dataDirectory, ...path)).catch(() => [])
  expect([await below('files', 'partial'), await below('spool')]).toEqual([[], []])
}

const forgetFiles = statement(
  'crash_forget_files',
  `with attached as (delete from deal_files d where d.organization_id = $1)
   delete from files f where f.organization_id = $1`,
)

const countFiles = statement(
  'crash_count_files',
  'select count(*)::integer as files from files f where f.organization_id = $1',
)

test('in the end doctor reports that all files are as recorded', async () => {
  const { out } = await processes.run(['doctor', '--files', '--json'], station.environment)
  const { checks }: { checks: { name: string; ok: boolean; message: string }[] } = JSON.parse(out)
  const ofFiles = checks.filter(({ name }) => name === 'recorded files' || name === 'files without a row')
  expect(ofFiles.map(({ name, ok }) => [name, ok])).toEqual([
    ['recorded files', true],
    ['files without a row', true],
  ])
})
