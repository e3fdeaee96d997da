import { readdir, utimes } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { csv, expectStatus, upload } from '../conformance/support/imports.ts'
import { anApplication } from '../process/support/installations.ts'
import { Client, objectOf } from '../support/client.ts'
import { useProcesses } from '../support/process.ts'
import { Random, roundsOf, seedOf } from '../support/random.ts'
import { until } from '../support/waiting.ts'
import { sweptFiles } from './support/files.ts'
import { Rig, targets } from './support/rig.ts'

const processes = useProcesses()
const random = new Random(seedOf('CRASH_SEED'))
const rounds = roundsOf('CRASH_ROUNDS', 1)

/** In each hundred rows of a file: those that are wrong, that make a record, and that change one of an earlier row. */
const hundred = { failed: 5, created: 80, updated: 15 }
const hundreds = 40
const rows = hundreds * 100
/** The companies that the rows of one import name: each chunk names all of them, and the first one makes them. */
const companies = 5

const patience = 600_000

let rig: Rig
let organizationId: string
let token: string
const ids: string[] = []
const seen: JsonObject[] = []
/** Crashes while an import was at work. */
let interrupted = 0

/** A file whose keys begin with the number of the import. */
function tableOf(number: number): string {
  const table = Array.from({ length: rows }, (_, index) => {
    const place = index % 100
    const company = `Company ${number}-${index % companies}`
    if (place < hundred.failed) return [`${number}-${index}`, 'Wrong', 'no address', 'Company of nobody']
    const isUpdate = place >= 100 - hundred.updated
    return isUpdate ? [`${number}-${index - 40}`, 'Changed', '', ''] : [`${number}-${index}`, 'Made', '', company]
  })
  return csv(['key', 'name', 'mail', 'company'], ...table)
}

const client = async () => new Client(await rig.address(), token)

async function begin(): Promise<void> {
  const caller = await client()
  const { id } = expectStatus(await upload(caller, tableOf(ids.length)), 201)
  const policy = { strategy: 'create_or_update', onConflict: 'overwrite' }
  const mapping = { externalId: 'key', firstName: 'name', email1: 'mail', companyName: 'company' }
  const start = { mapping, dedupPolicy: policy, missingCompany: 'create' }
  expectStatus(await caller.post(`/imports/${id}/start`, start), 202)
  ids.push(String(id))
}

/** The last import as it is now. */
async function look(): Promise<JsonObject> {
  return until('an answer', async () => {
    const answer = await (await client()).get(`/imports/${ids.at(-1)}`).catch(() => null)
    if (answer?.status !== 200) return null
    seen.push(answer.data)
    return answer.data
  })
}

/** How many rows of which import were left when the program was last killed. */
interface Interrupted {
  readonly id: unknown
  readonly pending: number
}

const pendingOf = ({ counters }: JsonObject) => Number(objectOf(counters).pending)

/** The last import, if it has got further since then. */
async function lookFurther({ id, pending }: Interrupted): Promise<JsonObject | null> {
  const row = await look()
  return row.id !== id || row.finishedAt !== null || pendingOf(row) < pending ? row : null
}

beforeAll(
  async () => {
    rig = await Rig.start(processes)
    const application = await rig.beside(anApplication)
    organizationId = application.organizationId
    token = application.token
    await begin()
    let interruptedAt: Interrupted = { id: null, pending: 0 }
    // A crash before the job has begun interrupts nothing, and another one is needed.
    while (interrupted < rounds) {
      if ((await look()).finishedAt !== null) await begin()
      await sleep(random.between(0, 700))
      // An import in which two processes end without a row between them is given up.
      const before = await until('rows that were applied', () => lookFurther(interruptedAt), patience)
      interruptedAt = { id: before.id, pending: pendingOf(before) }
      await rig.crash(random.pick(targets))
      if (before.startedAt !== null && before.finishedAt === null) interrupted += 1
    }
    // Behind several failed attempts in a row the queue pauses for minutes.
    await until('the end of the last import', async () => (await look()).finishedAt !== null, patience)
  },
  patience + rounds * 30_000,
)

test('every import was finished, with counters that add up to its rows', () => {
  const lastOf = (id: string) => objectOf(seen.findLast(each => each.id === id))
  const scaled = Object.entries(hundred).map(([name, count]) => [name, count * hundreds])
  const counters = { total: rows, unchanged: 0, skipped: 0, pending: 0, ...Object.fromEntries(scaled) }
  expect(ids.map(id => [lastOf(id).status, lastOf(id).counters, lastOf(id).failure])).toEqual(
    ids.map(() => ['completed_with_errors', counters, null]),
  )
})

test('at any moment the counters added up to the rows, and none ever decreased', () => {
  for (const id of ids) {
    const all = seen.filter(each => each.id === id).map(({ counters }) => objectOf(counters))
    const sums = all.map(({ total, ...others }) => [
      total,
      Object.values(others)
        .map(Number)
        .reduce((a, b) => a + b),
    ])
    expect(new Set(sums.flat())).toEqual(new Set([rows]))
    const pending = all.map(each => Number(each.pending))
    expect(pending).toEqual(pending.toSorted((one, other) => other - one))
  }
})

test('every row was applied once, in its place: by one version and one event', async () => {
  const kept = statement(
    'crash_imported_contacts',
    `select k.key, c.version, c.first_name
       from external_keys k
       join contacts c on c.organization_id = k.organization_id and c.id = k.resource_id
      where k.organization_id = $1 and k.kind = 'contact' order by k.key`,
  )
  const expected = ids.flatMap((_, number) =>
    Array.from({ length: rows }, (__, index) => index)
      .filter(index => index % 100 >= hundred.failed && index % 100 < 100 - hundred.updated)
      .map(index => {
        const isChanged = index % 100 >= 60 - hundred.updated && index % 100 < 60
        return `${number}-${index} ${isChanged ? '2 Changed' : '1 Made'}`
      }),
  )
  const events = statement(
    'crash_import_events',
    `select c.job_id, count(*)::integer as events, count(distinct (c.resource_id, c.version))::integer as steps
       from changes c where c.organization_id = $1 and c.job_id = any ($2::uuid[]) and c.resource_type = 'contact'
      group by c.job_id`,
  )
  const inOrder = statement(
    'crash_import_order',
    `select k.key from changes c
       join external_keys k on k.organization_id = c.organization_id and k.resource_id = c.resource_id
      where c.organization_id = $1 and c.job_id = $2 and c.operation = 'created' order by c.seq`,
  )
  await rig.beside(async database => {
    const found = await database.search(kept, [organizationId])
    expect(found.map(row => `${row.key} ${row.version} ${row.first_name}`).toSorted()).toEqual(expected.toSorted())
    const count = (hundred.created + hundred.updated) * hundreds
    const counted = await database.search(events, [organizationId, ids])
    expect(counted.map(row => [row.events, row.steps])).toEqual(ids.map(() => [count, count]))
    const made = await database.search(inOrder, [organizationId, ids[0]])
    expect(made.map(({ key }) => Number(String(key).slice(2)))).toEqual(
      made.map(({ key }) => Number(String(key).slice(2))).toSorted((one, other) => one - other),
    )
  })
})

test('every company that rows name was made once, by its first row, and has their contacts', async () => {
  const made = statement(
    'crash_imported_companies',
    `select c.name, c.version, count(l.contact_id)::integer as contacts
       from companies c
       left join company_contacts l on l.organization_id = c.organization_id and l.company_id = c.id
      where c.organization_id = $1 group by c.id, c.name, c.version`,
  )
  const contacts = (hundred.created * hundreds) / companies
  const expected = ids.flatMap((_, number) =>
    Array.from({ length: companies }, (__, index) => `Company ${number}-${index} ${contacts} ${contacts + 1}`),
  )
  await rig.beside(async database => {
    const found = await database.search(made, [organizationId])
    expect(found.map(row => `${row.name} ${row.contacts} ${row.version}`).toSorted()).toEqual(expected.toSorted())
  })
  const last = ids.map(id => objectOf(seen.findLast(each => each.id === id)))
  expect(last.map(({ createdCompanies }) => createdCompanies)).toEqual(ids.map(() => companies))
})

test('every error and every row is listed once, and the uploaded files are gone', async () => {
  const wrong = Array.from({ length: rows }, (_, index) => index)
    .filter(index => index % 100 < hundred.failed)
    .map(index => `${index + 2},mail,email1`)
  for (const id of ids) {
    const { data } = await (await client()).get(`/imports/${id}`)
    const { pathname } = new URL(String(data.errorsFileUrl))
    const [, ...lines] = (await (await fetch(`${await rig.address()}${pathname}`)).text()).trimEnd().split('\r\n')
    expect(lines.map(line => line.split(',').slice(0, 3).join())).toEqual(wrong)
    const listed = Array.isArray(data.errors) ? data.errors.map(objectOf).map(({ row }) => `${row},mail,email1`) : []
    expect(listed).toEqual(wrong.slice(-100))
    const told = await (await fetch(`${await rig.address()}${new URL(String(data.rowsFileUrl)).pathname}`)).text()
    const lineNumbers = told
      .trimEnd()
      .split('\r\n')
      .slice(1)
      .map(line => Number(line.split(',')[0]))
    expect(lineNumbers).toEqual(Array.from({ length: rows }, (_, index) => index + 2))
  }
  const left = statement(
    'crash_import_errors_left',
    `select (select count(*) from import_errors where organization_id = $1)
          + (select count(*) from import_outcomes where organization_id = $1) as left`,
  )
  await rig.beside(async database => {
    expect(await database.search(left, [organizationId])).toEqual([{ left: '0' }])
    // A file of errors and one of rows for each import, and nothing else.
    expect(await sweptFiles(rig.folder, organizationId, database)).toHaveLength(2 * ids.length)
  })
})

test(
  'uploads that were cut off leave nothing after the sweeps',
  async () => {
    const content = `name\n${'Anna Petrova\n'.repeat(100_000)}`
    let cut = 0
    while (cut < rounds) {
      const caller = await client()
      const sent = Array.from({ length: 3 }, () => upload(caller, content).catch(() => null))
      await sleep(random.between(0, 60))
      await rig.crash('server')
      cut += (await Promise.all(sent)).filter(answer => answer?.status !== 201).length
    }

    const spool = join(rig.folder, 'spool')
    const old = new Date(Date.now() - 2 * 86_400_000)
    for (const name of await readdir(spool, { recursive: true })) await utimes(join(spool, name), old, old)
    // What is left of killed processes goes when another one begins to take files.
    await rig.crash('server')
    expectStatus(await upload(await client(), 'name\nAnna\n'), 201)
    await until('an empty spool', async () => (await readdir(spool)).length === 0)

    const named = statement(
      'crash_imported_files',
      `select f.id from files f where f.organization_id = $1
        and exists (select 1 from imports i where i.organization_id = $1 and f.id in (i.file_id, i.errors_file_id, i.rows_file_id))`,
    )
    await rig.beside(async database => {
      const stored = (await sweptFiles(rig.folder, organizationId, database)).map(key => basename(key))
      expect(stored.toSorted()).toEqual(
        (await database.search(named, [organizationId])).map(row => String(row.id)).toSorted(),
      )
    })
  },
  120_000 + rounds * 30_000,
)
