import { afterAll, describe, expect, it } from 'vitest'
import { importsUpkeep } from '../../server/src/crm/imports/imports-upkeep.ts'
import { importJob } from '../../server/src/crm/imports/run/import-job.ts'
import { filesOf } from '../../server/src/kernel/files/index.ts'
import { bounds, InterruptedJob } from '../../server/src/kernel/index.ts'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { aContext, byId, someRecords } from '../conformance/support/bulk-jobs.ts'
import { csv, expectStatus, importFile, upload } from '../conformance/support/imports.ts'
import { aPerson, erase, traces } from '../conformance/support/persons.ts'
import { outcome } from '../conformance/support/requests.ts'
import { sweptFiles } from '../crash/support/files.ts'
import { TestClock } from '../support/api.ts'
import { objectOf } from '../support/client.ts'
import { runJobs, startWorker } from '../support/jobs.ts'
import { setBound } from '../support/set-bound.ts'
import { tablesOfTenants } from '../support/tenant-rows.ts'
import { until } from '../support/waiting.ts'
import { useQueue } from './support.ts'

const day = 86_400_000

const clock = new TestClock()
const queue = useQueue({ clock })
afterAll(() => expect(queue.api.failures).toEqual([]))

const forgetJobs = statement('test_forget_imports', 'delete from graphile_worker._private_jobs')
const started = { mapping: { firstName: 'Name' }, dedupPolicy: 'create_only' }
const upkeep = () => importsUpkeep.run(queue.api.services, new AbortController().signal)
const read = async (id: unknown) => (await queue.organization.client.get(`/imports/${id}`)).data
const uploaded = async (content = 'Name\nAnna\n') =>
  String(expectStatus(await upload(queue.organization.client, content), 201).id)

/** What lies in the store for the organization. */
async function stored(): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of queue.api.services.files.store.list(filesOf(queue.organization.id))) keys.push(key)
  return keys
}

/** How many rows the tables have that only a run needs. */
async function kept(): Promise<unknown> {
  const counts = ['import_errors', 'import_outcomes', 'import_primaries', 'import_rehearsals'].map(
    name => `(select count(*)::integer from ${name} where organization_id = $1)`,
  )
  const text = `select ${counts.join(' + ')} as rows`
  const [row] = await queue.api.test.database.search({ name: '', text }, [queue.organization.id])
  return row?.rows
}

describe('an import that is not started', () => {
  it('fails after seven days, and its file goes; one that is at work has seven more', async () => {
    const { client } = queue.organization
    const waiting = await uploaded()
    const previewed = await uploaded()
    await client.post(`/imports/${previewed}/preview`, {})
    const queued = await uploaded()
    expectStatus(await client.post(`/imports/${queued}/start`, started), 202)
    await queue.api.test.database.search(forgetJobs, [])
    const statuses = async () => Promise.all([waiting, previewed, queued].map(async id => (await read(id)).status))

    clock.advance(7 * day - 1000)
    await upkeep()
    expect([await statuses(), (await stored()).length]).toEqual([['uploaded', 'ready', 'queued'], 3])
    clock.advance(2000)
    expect((await upkeep()).removed.expiredImports).toBe(2)
    expect([await statuses(), (await stored()).length]).toEqual([['failed', 'failed', 'queued'], 1])
    expect(await read(waiting)).toMatchObject({ failure: { code: 'expired' }, finishedAt: expect.any(String) })
    const late = await client.post(`/imports/${waiting}/start`, started)
    expect([late.status, late.details.status]).toEqual([422, 'failed'])
    clock.advance(7 * day)
    expect((await upkeep()).removed.expiredImports).toBe(1)
    expect([await statuses(), await stored()]).toEqual([['failed', 'failed', 'failed'], []])
  })

  it('counts among those that an organization may have, until it has ended', async () => {
    const { client } = queue.organization
    const ids: string[] = []
    while (ids.length < bounds.organizationImports.most) ids.push(await uploaded())
    const refused = await upload(client, 'Name\nAnna\n')
    expect([outcome(refused), refused.details]).toMatchObject([
      '422 validation_error',
      {
        issues: [
          {
            path: '/file',
            rule: 'max_items',
            message: expect.stringContaining(`start or cancel one, such as ${ids[0]}`),
          },
        ],
        limit: ids.length,
        oldest: ids.slice(0, 5).map(id => ({ id, fileName: 'rows.csv', createdAt: expect.any(String) })),
      },
    ])
    expect(await stored()).toHaveLength(ids.length)
    expectStatus(await client.post(`/imports/${ids[0]}/cancel`), 200)
    expect(await stored()).toHaveLength(ids.length - 1)
    await uploaded()
    expect((await upload(client, 'Name\nAnna\n')).status).toBe(422)
  })
})

/** What an import does in a turn that ends at once, which is one chunk. */
function aChunk(importId: string) {
  return importJob.run({ importId }, { ...aContext(queue.api, queue.organization), turnEnds: 0 })
}

describe('an import on its way', () => {
  it.each([
    ['create_only', 'completed_with_errors'],
    ['update_only', 'completed'],
  ])(
    'shows its progress and the remaining time, also for rows that fail or are skipped: %s',
    async (dedupPolicy, status) => {
      const rows = Array.from({ length: 250 }, (_, index) => ['Anna', index % 2 === 0 ? '' : 'wrong'])
      const id = await uploaded(csv(['Name', 'Mail'], ...rows))
      const seen = [await read(id)]
      const start = { mapping: { firstName: 'Name', email1: 'Mail' }, dedupPolicy }
      expectStatus(await queue.organization.client.post(`/imports/${id}/start`, start), 202)
      seen.push(await read(id))
      clock.advance(60_000)
      for (let outcome = 'again'; outcome === 'again'; ) {
        outcome = await aChunk(id)
        clock.advance(4000)
        seen.push(await read(id))
      }
      const told = seen.map(({ status, counters, estimatedSecondsLeft }) => [
        status,
        objectOf(counters).pending,
        estimatedSecondsLeft,
      ])
      expect(told).toEqual([
        ['uploaded', 0, null],
        ['queued', 250, null],
        ['running', 150, 6],
        ['running', 50, 2],
        ['running', 0, 0],
        [status, 0, 0],
      ])
      const { items } = await queue.organization.client.get('/imports')
      expect(items[0]).toMatchObject({ id, estimatedSecondsLeft: 0 })
      const [, , first, ...later] = seen.map(({ startedAt }) => startedAt)
      expect([seen[1]?.startedAt, first, later]).toEqual([null, expect.any(String), Array(3).fill(first)])
    },
  )

  it.each([false, true])(
    'that nobody goes on with fails in the end, and leaves its errors alone: dry run %s',
    async dryRun => {
      const { client } = queue.organization
      const id = await uploaded(
        csv(['Name', 'Mail'], ...Array.from({ length: 150 }, () => ['Anna', '']), ['Igor', 'wrong']),
      )
      const start = { mapping: { firstName: 'Name', email1: 'Mail' }, dedupPolicy: 'create_only', dryRun }
      expectStatus(await client.post(`/imports/${id}/start`, start), 202)
      await aChunk(id)
      await aChunk(id)
      // An error, two chunks of rows, and 150 records that a dry run has rehearsed.
      expect(await kept()).toBe(dryRun ? 153 : 3)
      await queue.api.test.database.search(forgetJobs, [])
      clock.advance(14 * day + 1000)
      await upkeep()
      expect(await read(id)).toMatchObject({
        status: 'failed',
        failure: { code: 'expired' },
        estimatedSecondsLeft: 0,
        errors: [{ row: 152 }],
        errorsFileUrl: expect.any(String),
      })
      expect([await kept(), (await stored()).map(key => key.split('/').at(-2))]).toEqual([
        0,
        ['import_errors', 'import_rows'],
      ])
      expect((await client.get('/audit?resourceType=import')).items[0]).toMatchObject({
        action: 'import.failed',
        resourceId: id,
      })
    },
  )
})

describe('rows that change many records are left to the next transaction:', () => {
  /** How many rows the first chunk has handled; then the import goes to its end. */
  async function inOneChunk(content: string, entityType: string, body: JsonObject): Promise<[number, JsonObject]> {
    const { id } = expectStatus(await upload(queue.organization.client, content, { entityType }), 201)
    expectStatus(await queue.organization.client.post(`/imports/${id}/start`, body), 202)
    await aChunk(String(id))
    const { total, pending } = objectOf((await read(id)).counters)
    if (total === pending) throw new Error('the chunk has handled no row')
    await runJobs(queue.api)
    return [Number(total) - Number(pending), await read(id)]
  }

  const linked = { mapping: { companyUuid: 0, contactUuid: 1 }, dedupPolicy: 'create_or_update' }

  it('those of more companies than few', async () => {
    const owners = await someRecords('company', 4, queue.organization)
    const persons = await someRecords('contact', 2, queue.organization)
    const rows = persons.flatMap(person => owners.map(owner => [owner.id, person.id]))
    setBound(bounds.importOwners, 3)
    const [first, done] = await inOneChunk(csv(['company', 'contact'], ...rows), 'company_contacts', linked)
    expect([first, done.status, objectOf(done.counters).created]).toEqual([3, 'completed', 8])
    for (const { id } of owners) {
      const { items } = await queue.organization.client.get(`/companies/${id}/contacts`)
      expect(items.map(({ contactId }) => contactId)).toEqual(persons.map(person => person.id))
    }
  })

  it('those of contacts whose companies are more than few', async () => {
    const owners = await someRecords('company', 3, queue.organization)
    const rows = owners.map(({ externalId }) => ['Anna', externalId])
    setBound(bounds.importOwners, 2)
    const start = { mapping: { firstName: 0, companyExternalId: 1 }, dedupPolicy: 'create_only' }
    const [first, done] = await inOneChunk(csv(['name', 'company'], ...rows), 'contacts', start)
    expect([first, done.status, objectOf(done.counters).created]).toEqual([2, 'completed', 3])
  })

  it.each([
    ['two rows of three', 7, 2],
    ['one row, although it alone looks at more links than a transaction is to', 2, 1],
  ])('those of companies that have many contacts: %s', async (_, mostLinks, expected) => {
    const [owner] = await someRecords('company', 1, queue.organization)
    const persons = await someRecords('contact', 6, queue.organization)
    const contacts = persons.slice(0, 3).map(byId)
    expectStatus(
      await queue.organization.client.put(`/companies/${owner?.id}/contacts`, { expectedVersion: 1, contacts }),
      200,
    )
    const rows = persons.slice(3).map(person => [owner?.id, person.id])
    setBound(bounds.importLinks, mostLinks)
    const [first, done] = await inOneChunk(csv(['company', 'contact'], ...rows), 'company_contacts', linked)
    expect([first, done.status, objectOf(done.counters).created]).toEqual([expected, 'completed', 3])
  })

  it('those that are about many records', async () => {
    const reached = (mail: string) => ({ contactData: { emails: [{ value: mail }] } })
    for (const mail of ['a@example.com', 'b@example.com'])
      await someRecords('contact', 2, queue.organization, reached(mail))
    await someRecords('contact', 1, queue.organization, reached('c@example.com'))
    const rows = ['a', 'b', 'c'].map(name => [name, `${name}@example.com`])
    setBound(bounds.importMatches, 3)
    const policy = { strategy: 'update_only', matchBy: ['email'], onConflict: 'overwrite' }
    const start = { mapping: { jobTitle: 0, email1: 1 }, dedupPolicy: policy }
    const [first, done] = await inOneChunk(csv(['title', 'mail'], ...rows), 'contacts', start)
    expect([first, objectOf(done.counters).failed, objectOf(done.counters).updated]).toEqual([1, 2, 1])
    const codes = Array.isArray(done.errors) ? done.errors.map(error => objectOf(error).message) : []
    expect(codes).toEqual(['2 records have this email', '2 records have this email'])
  })
})

describe('an import that has ended', () => {
  it('keeps its files of errors and rows for 90 days, and nothing else', async () => {
    const { client } = queue.organization
    const rows = csv(['Name', 'Mail'], ['Anna', ''], ['Igor', 'wrong'])
    const mapping = { firstName: 'Name', email1: 'Mail' }
    const done = await importFile(queue.api, client, rows, { mapping })
    await importFile(queue.api, client, rows, { mapping, dryRun: true })
    expect([(await stored()).map(key => key.split('/').at(-2)), await kept()]).toEqual([
      ['import_errors', 'import_errors', 'import_rows', 'import_rows'],
      0,
    ])
    clock.advance(90 * day - 1000)
    await upkeep()
    expect((await read(done.id)).status).toBe('completed_with_errors')
    clock.advance(2000)
    await upkeep()
    expect([(await client.get('/imports')).items, await stored()]).toEqual([[], []])
  })

  it('is canceled when an operator has cancelled it by command', async () => {
    const id = await uploaded()
    expectStatus(await queue.organization.client.post(`/imports/${id}/start`, started), 202)
    await importJob.cancel?.({ importId: id }, { organizationId: queue.organization.id, services: queue.api.services })
    expect([(await read(id)).status, await stored()]).toEqual(['canceled', []])
    await runJobs(queue.api)
    expect((await queue.organization.client.get('/contacts')).items).toEqual([])
  })

  it.each([
    ['too many attempts', 'internal_error', new Error('again')],
    ['two ends of the process', 'process_ended', new InterruptedJob('2 processes have ended')],
  ])('after %s has failed as %s, with the rows that were applied', async (_, code, error) => {
    const id = await uploaded()
    expectStatus(await queue.organization.client.post(`/imports/${id}/start`, started), 202)
    await importJob.giveUp?.(
      { importId: id },
      { ...aContext(queue.api, queue.organization), isLastAttempt: true },
      error,
    )
    expect(await read(id)).toMatchObject({ status: 'failed', failure: { code } })
    expect(await stored()).toEqual([])
    await runJobs(queue.api)
    expect((await queue.organization.client.get('/contacts')).items).toEqual([])
  })
})

/** Everything that the tables of the organization and its files have, as one text. */
async function everythingKept(): Promise<string> {
  const { database } = queue.api.test
  const texts: string[] = []
  for (const name of await tablesOfTenants(database)) {
    const text = `select t::text as text from ${name} t where t.organization_id = $1`
    texts.push(...(await database.search({ name: '', text }, [queue.organization.id])).map(row => String(row.text)))
  }
  for (const key of await stored())
    for await (const bytes of queue.api.services.files.store.get(key)) texts.push(Buffer.from(bytes).toString())
  return texts.join('\n')
}

const heading = ['Name', 'Family', 'Mail', 'Born']
const personMapping = { firstName: 0, lastName: 1, email1: 2, birthDate: 3 }
const personRows = csv(
  heading,
  ['Xantippe', 'Zwetschkenbaum', 'xantippe@barometer.example', '1971-12-24'],
  ['Xantippe', 'Zwetschkenbaum', 'xantippe.barometer', '24.12.1971'],
)

describe.each(['anonymize', 'full'])('erasing a person by mode %s', mode => {
  it('leaves nothing of the files about the person, nor of their errors', async () => {
    const { client } = queue.organization
    const done = await importFile(queue.api, client, personRows, { mapping: personMapping })
    expect(JSON.stringify(done.errors)).toMatch(traces)
    const waiting = await uploaded(personRows)
    await client.post(`/imports/${waiting}/preview`, {}, { key: 'preview' })
    expect(await stored()).toHaveLength(3)
    const [person] = (await client.get('/contacts')).items
    expect(await everythingKept()).toMatch(traces)

    expect((await erase(queue.organization, person?.id, mode)).status).toBe(200)
    const shown = [await read(done.id), (await client.get('/imports')).items]
    expect(JSON.stringify(shown)).not.toMatch(traces)
    expect(objectOf(shown[0])).toMatchObject({ counters: { created: 1, failed: 1 }, errors: [{ row: 3, value: null }] })
    const late = await client.post(`/imports/${waiting}/start`, { mapping: personMapping, dedupPolicy: 'create_only' })
    expect([late.status, late.details.status]).toEqual([422, 'ready'])
    expect((await client.post(`/imports/${waiting}/preview`, { sampleSize: 2 })).status).toBe(422)
    const again = await client.post(`/imports/${waiting}/preview`, {}, { key: 'preview' })
    expect([again.status, JSON.stringify(again.body)]).toEqual([200, expect.not.stringMatching(traces)])

    clock.advance(8 * day)
    expect((await upkeep()).removed).toMatchObject({ expiredImports: 1 })
    const left = await sweptFiles(queue.api.dataDirectory, queue.organization.id, queue.api.test.database)
    expect(left.map(key => key.split('/').at(-2)).toSorted()).toEqual(['import_errors', 'import_rows'])
    expect(await everythingKept()).not.toMatch(traces)
  })
})

describe('an import that is at work', () => {
  const many = Array.from({ length: 20_000 }, (_, index) => ['Anna', `${index}`, '', ''])

  /** Starts an import of which some rows are applied, and many are left. */
  async function atWork() {
    const table = csv(heading, ['Xantippe', '', 'xantippe.barometer', ''], ...many)
    const id = await uploaded(table)
    const start = { mapping: personMapping, dedupPolicy: 'create_only' }
    expectStatus(await queue.organization.client.post(`/imports/${id}/start`, start), 202)
    const worker = startWorker(queue.api)
    await until('the first rows', async () => Number(objectOf((await read(id)).counters).failed) > 0)
    return {
      id,
      ended: async () => {
        await until('the end', async () => (await read(id)).finishedAt !== null)
        await worker.stop()
        return read(id)
      },
    }
  }

  it('reads its file no further when a person is erased', async () => {
    const person = await aPerson(queue.organization)
    const { id, ended } = await atWork()
    expect((await erase(queue.organization, person.id, 'full')).status).toBe(200)
    const { status, failure, counters } = await ended()
    const { total, pending, ...done } = objectOf(counters)
    expect([status, objectOf(failure).code, Number(pending) > 0]).toEqual(['failed', 'file_dropped', true])
    expect(
      Object.values(done)
        .map(Number)
        .reduce((one, other) => one + other, Number(pending)),
    ).toBe(total)
    const left = await sweptFiles(queue.api.dataDirectory, queue.organization.id, queue.api.test.database)
    expect(left.map(key => key.split('/').at(-2)).toSorted()).toEqual(['import_errors', 'import_rows'])
    expect(JSON.stringify(await read(id))).not.toMatch(traces)
  })

  it('is canceled by an answer that quotes nothing, because it is repeated when persons are erased', async () => {
    const { id, ended } = await atWork()
    const answer = await queue.organization.client.post(`/imports/${id}/cancel`)
    expect([answer.data.status, objectOf(answer.data.counters).failed]).toEqual(['canceling', 1])
    expect(JSON.stringify([answer.body, (await read(id)).errors])).toMatch(traces)
    expect(JSON.stringify(answer.body)).not.toMatch(traces)
    expect((await queue.organization.client.post(`/imports/${id}/cancel`)).status).toBe(200)
    expect(await ended()).toMatchObject({ status: 'canceled', failure: null })
    const { items } = await queue.organization.client.get('/audit?resourceType=import')
    expect(items.map(({ action }) => action)).toEqual(['import.canceled', 'import.started', 'import.created'])
  })
})
