import { describe, expect, it } from 'vitest'
import { type JsonObject, newId } from '../../server/src/kernel/schema/index.ts'
import { type Client, objectOf } from '../support/client.ts'
import type { TestOrganization } from '../support/organization.ts'
import { useApi } from './support/given.ts'
import { csv, expectStatus, type Imported, importFile, upload } from './support/imports.ts'

const given = useApi()

/** An organization with more tags than Regular: two for contacts, and one for deals alone. */
async function withTags(): Promise<TestOrganization> {
  const organization = await given.organization()
  await given.configure(
    organization,
    `insert into tags (organization_id, id, name, kinds, created_at)
     values ($1, $2, 'VIP', '{contact,company}', now()), ($1, $3, 'A;B', '{contact}', now()), ($1, $4, 'Deals only', '{deal}', now())`,
    [organization.id, newId(), newId(), newId()],
  )
  return organization
}

/** Imports contacts with these tags twice, first without effect. */
async function tagged(client: Client, cells: readonly string[], more: Partial<Imported> = {}): Promise<JsonObject> {
  const content = csv(['key', 'name', 'labels'], ...cells.map((cell, at) => [`${at}`, `N${at}`, cell]))
  const imported = { mapping: { externalId: 0, firstName: 1, tags: 2 }, missingTag: 'leave_out', ...more }
  const dry = await importFile(given.api, client, content, { ...imported, dryRun: true })
  const done = await importFile(given.api, client, content, imported)
  expect([dry.status, dry.counters, dry.errors]).toEqual([done.status, done.counters, done.errors])
  return done
}

const listed = (done: JsonObject) =>
  Array.isArray(done.errors) ? done.errors.map(({ row, code, outcome }) => `${row} ${code} ${outcome}`) : []

/** The names of the tags of each contact. */
async function tagsOf(client: Client): Promise<unknown[]> {
  const contacts = (await client.get('/contacts?limit=100')).items.toReversed()
  return Promise.all(
    contacts.map(async ({ id }) => (await client.get(`/contacts/${id}/tags`)).items.map(({ name }) => name).join('|')),
  )
}

describe('a tag that is missing', () => {
  it.each([
    [{ missingTag: undefined }],
    // Tags have a rule of their own.
    [{ missingTag: 'refuse', onInvalidCell: 'leave_out' }],
  ])('refuses its row, unless the start says otherwise: %j', async more => {
    const { client } = await withTags()
    const done = await tagged(client, ['VIP;Unknown', 'vip'], more)
    expect([done.missingTag, done.counters, listed(done)]).toEqual([
      'refuse',
      expect.objectContaining({ created: 1, failed: 1 }),
      ['2 invalid_option failed'],
    ])
  })

  it('is left out of its cell, which is listed, and the others are added', async () => {
    const { client } = await withTags()
    const done = await tagged(client, [
      'Unknown;vip; A\\;B',
      'Unknown',
      'Deals only;VIP',
      'Regular;Deals only;Unknown',
      'VIP',
    ])
    expect(done).toMatchObject({ status: 'completed_with_errors', counters: { created: 5, failed: 0 } })
    expect(listed(done)).toEqual([2, 3, 4, 5].map(row => `${row} invalid_option left_out`))
    expect(await tagsOf(client)).toEqual(['A;B|VIP', '', 'VIP', 'Regular', 'VIP'])
    expect((await client.get('/tags')).items.map(({ name }) => name)).not.toContain('Unknown')
  })

  it('cannot be created', async () => {
    const { client } = await withTags()
    const { id } = expectStatus(await upload(client, 'name\nA\n'), 201)
    const start = { mapping: { firstName: 0 }, dedupPolicy: 'create_only', missingTag: 'create' }
    expect((await client.post(`/imports/${id}/start`, start)).status).toBe(400)
  })
})

describe('a column of labels', () => {
  it.each([
    ['tags', 'vip\nRegular', 'tags'],
    ['tags', 'Unknown\nOther', null],
    ['tags', '', 'tags'],
    ['Labels', 'VIP', 'tags'],
    ['Labels', 'Unknown', null],
  ])('called %s with %j has the suggested field %s', async (name, cells, expected) => {
    const { client } = await withTags()
    const rows = cells.split('\n').map(cell => ['N', cell])
    const { id } = expectStatus(await upload(client, csv(['First name', name], ...rows)), 201)
    const { data } = await client.post(`/imports/${id}/preview`, {})
    const [, labels] = Array.isArray(data.columns) ? data.columns.map(objectOf) : []
    expect(labels?.suggestedField).toBe(expected)
  })
})
