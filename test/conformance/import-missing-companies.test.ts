import { describe, expect, it } from 'vitest'
import { scopes } from '../../server/src/kernel/index.ts'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { type Client, objectOf } from '../support/client.ts'
import type { TestOrganization } from '../support/organization.ts'
import { download } from './support/files.ts'
import { useApi } from './support/given.ts'
import { csv, errorsOf, expectStatus, type Imported, importFile, upload } from './support/imports.ts'
import { aRecord, outcome } from './support/requests.ts'

const given = useApi()

const mapping = { externalId: 'key', lastName: 'name', companyName: 'company', companyExternalId: 'company key' }
const table = (...rows: readonly (readonly string[])[]) =>
  csv(Object.values(mapping), ...rows.map(row => Object.keys(mapping).map((_, at) => row[at] ?? '')))

/** Imports contacts by their key, name, and the name and key of their company. */
function contacts(client: Client, rows: readonly (readonly string[])[], more: Partial<Imported> = {}) {
  return importFile(given.api, client, table(...rows), { mapping, missingCompany: 'create', ...more })
}

/** What an import tells that does not depend on when it ran. */
const told = ({ status, counters, createdCompanies, errors }: JsonObject) => ({
  status,
  counters,
  createdCompanies,
  errors,
})

/** Imports a file twice, first without effect, and expects both to tell the same. */
async function rehearsed(
  client: Client,
  rows: readonly (readonly string[])[],
  more: Partial<Imported> = {},
): Promise<JsonObject> {
  const { cursor } = (await client.get('/changes/cursor')).data
  const dry = await contacts(client, rows, { ...more, dryRun: true })
  expect((await client.get(`/changes?after=${cursor}`)).items).toEqual([])
  const done = await contacts(client, rows, more)
  expect(told(dry)).toEqual(told(done))
  return done
}

/** The companies with their key, and the names of their contacts. */
async function companiesOf(client: Client): Promise<unknown[]> {
  const companies = (await client.get('/companies?limit=100')).items
  const people = new Map((await client.get('/contacts?limit=100')).items.map(({ id, lastName }) => [id, lastName]))
  const shown = await Promise.all(
    companies.map(async ({ id, name, externalId }) => {
      const { items } = await client.get(`/companies/${id}/contacts`)
      return [name, externalId, items.map(({ contactId }) => people.get(contactId)).join()]
    }),
  )
  return shown.toSorted((one, other) => (String(one) < String(other) ? -1 : 1))
}

describe('a company that is missing', () => {
  it('refuses the row, unless the start says otherwise', async () => {
    const { client } = await given.organization()
    const done = await rehearsed(
      client,
      [
        ['1', 'A', 'Nordwind'],
        ['2', 'B'],
      ],
      { missingCompany: undefined },
    )
    expect(done).toMatchObject({
      status: 'completed_with_errors',
      missingCompany: 'refuse',
      counters: { created: 1, failed: 1 },
      createdCompanies: 0,
      errors: [{ row: 2, field: 'companyName', code: 'reference_not_found', outcome: 'failed' }],
    })
  })

  it('is created once, under the name of its first row, however the rows write it', async () => {
    const { client } = await given.organization()
    const done = await rehearsed(client, [
      ['1', 'A', 'Café  Nord\nGmbH'],
      ['2', 'B', 'CAFE NORD GMBH'],
      ['3', 'C', 'Café Süd'],
      ['4', 'D', ''],
    ])
    expect(done).toMatchObject({ status: 'completed', counters: { created: 4, failed: 0 }, createdCompanies: 2 })
    expect(await companiesOf(client)).toEqual([
      ['Café Nord GmbH', null, 'A,B'],
      ['Café Süd', null, 'C'],
    ])
    const again = await rehearsed(client, [
      ['1', 'A', 'café nord gmbh'],
      ['2', 'B', 'Café Süd'],
    ])
    expect(again).toMatchObject({ counters: { updated: 1, unchanged: 1 }, createdCompanies: 0 })
  })

  it('is created by the first of many chunks and found by the others', async () => {
    const { client } = await given.organization()
    const rows = Array.from({ length: 350 }, (_, index) => [`${index}`, `N${index}`, `Company ${index % 7}`])
    const done = await rehearsed(client, rows)
    expect(done).toMatchObject({ status: 'completed', counters: { created: 350 }, createdCompanies: 7 })
    const { items } = await client.get('/companies?limit=100')
    expect(items.map(({ name }) => name).toSorted()).toEqual(
      Array.from({ length: 7 }, (_, index) => `Company ${index}`),
    )
    for (const { id } of items) expect((await client.get(`/companies/${id}/contacts?limit=100`)).items).toHaveLength(50)
  })

  it('is found in a dry run although many contacts have its name', async () => {
    const { client } = await given.organization()
    // The rows that name the company are in the second and third chunk, behind more contacts than a look-up gives.
    const rows = Array.from({ length: 230 }, (_, at) => [
      '',
      'Nord',
      at === 110 || at === 220 ? 'Nord Anna' : '',
      '',
      'Anna',
    ])
    const imported = {
      mapping: { ...mapping, firstName: 'first' },
      dedupPolicy: 'create_only',
      missingCompany: 'create',
    }
    const content = csv([...Object.values(mapping), 'first'], ...rows)
    const dry = told(await importFile(given.api, client, content, { ...imported, dryRun: true }))
    expect(dry).toMatchObject({ createdCompanies: 1, counters: { created: 230 } })
    expect(told(await importFile(given.api, client, content, imported))).toEqual(dry)
  })

  it('is not created for a row that is refused or passed over', async () => {
    const { client } = await given.organization()
    await client.post('/contacts', { externalId: '1', lastName: 'Known' })
    const done = await rehearsed(
      client,
      [
        ['1', 'Known', 'Nordwind'],
        ['2', 'x'.repeat(300), 'Nordwind'],
      ],
      { dedupPolicy: 'skip_existing' },
    )
    expect(done).toMatchObject({ counters: { skipped: 1, failed: 1 }, createdCompanies: 0 })
    const none = await rehearsed(client, [['3', 'New', 'Nordwind']], { dedupPolicy: 'update_only' })
    expect(none).toMatchObject({ counters: { skipped: 1 }, createdCompanies: 0 })
    expect((await client.get('/companies')).items).toEqual([])
  })

  it('gets the key of the row, by which later rows find it under any name', async () => {
    const { client } = await given.organization()
    const done = await rehearsed(client, [
      ['1', 'A', 'Nordwind', 'n'],
      ['2', 'B', 'Nordwind AG', 'n'],
      ['3', 'C', 'nordwind'],
      ['4', 'D', '', 'unknown'],
    ])
    expect(done).toMatchObject({ counters: { created: 3, failed: 1 }, createdCompanies: 1 })
    expect(errorsOf(done)).toEqual([[5, 'companyExternalId', 'reference_not_found']])
    expect(await companiesOf(client)).toEqual([['Nordwind', 'n', 'A,B,C']])
  })

  it('is one that has the name and no key, and not one that has another key', async () => {
    const organization = await given.organization()
    const { client } = organization
    await aRecord('company', organization, { name: 'Ostwind', externalId: null })
    await aRecord('company', organization, { name: 'Nordwind', externalId: 'other' })
    await aRecord('company', organization, { name: 'Twin', externalId: 'x' })
    await aRecord('company', organization, { name: 'Twin', externalId: null })
    const done = await rehearsed(client, [
      ['1', 'A', 'OSTWIND', 'o'],
      ['2', 'B', 'Nordwind', 'n'],
      ['3', 'C', 'Ostwind', 'o2'],
      ['4', 'D', 'Ostwind', 'o'],
      ['5', 'E', 'Twin'],
      ['6', 'F', 'Twin', 't'],
    ])
    expect(done).toMatchObject({ counters: { created: 5, failed: 1 }, createdCompanies: 2 })
    expect(errorsOf(done)).toEqual([[6, 'companyName', 'ambiguous_match']])
    expect(await companiesOf(client)).toEqual([
      ['Nordwind', 'n', 'B'],
      ['Nordwind', 'other', ''],
      ['Ostwind', 'o', 'A,D'],
      ['Ostwind', 'o2', 'C'],
      ['Twin', 't', 'F'],
      ['Twin', 'x', ''],
    ])
  })

  it.each(['refuse', 'create', 'leave_out'])(
    'is an error where several have the name, for %s',
    async missingCompany => {
      const organization = await given.organization()
      await aRecord('company', organization, { name: 'Twin', externalId: null })
      await aRecord('company', organization, { name: 'twin', externalId: null })
      const rows = [
        ['1', 'A', 'Twin'],
        ['2', 'B', 'Twin', 't'],
      ].slice(0, missingCompany === 'create' ? 2 : 1)
      const done = await rehearsed(organization.client, rows, { missingCompany })
      expect(errorsOf(done)).toEqual(rows.map((_, at) => [at + 2, 'companyName', 'ambiguous_match']))
      expect((await organization.client.get('/contacts')).items).toEqual([])
    },
  )

  it('is refused by the rules for companies: the length of its name and its required fields', async () => {
    const organization = await given.organization()
    const { client } = organization
    await given.configure(
      organization,
      `insert into custom_field_definitions (organization_id, kind, key, label, type, required, position, created_at)
       values ($1, 'company', 'segment', 'Segment', 'text', true, 0, now())`,
      [organization.id],
    )
    const rows = [
      ['1', 'A', 'x'.repeat(301)],
      ['2', 'B', 'Nordwind'],
    ]
    const done = await rehearsed(client, rows)
    expect(errorsOf(done)).toEqual([
      [2, 'companyName', 'too_long'],
      [3, 'companyName', 'required'],
    ])
    expect(done.errors).toMatchObject([{}, { message: expect.stringContaining('/customFields/segment') }])
    // As in requests, a token that may not manage custom fields does not have to fill them.
    const poor = await organization.token(scopes.filter(scope => scope !== 'crm_custom_fields_manage'))
    expect(await contacts(poor, rows.slice(1))).toMatchObject({ counters: { created: 1 }, createdCompanies: 1 })
  })

  it('is made by the import: the feed, the audit log and the search have it', async () => {
    const { client } = await given.organization()
    const { cursor } = (await client.get('/changes/cursor')).data
    const { id } = await contacts(client, [['1', 'A', 'Nordwind']])
    const { items } = await client.get(`/changes?after=${cursor}`)
    expect(items.map(({ kind, version }) => [kind, version])).toEqual([
      ['contact.created', 1],
      ['company.created', 1],
      ['company.updated', 2],
    ])
    const [company] = (await client.get('/companies?search=nordwind')).items
    const audit = (await client.get('/audit?action=company.created')).items
    expect(audit).toMatchObject([{ resourceId: company?.id, actorType: 'import', jobId: id }])
  })
})

describe('a start that creates companies', () => {
  it('needs the scope that writes them', async () => {
    const organization = await given.organization()
    const poor = await organization.token(scopes.filter(scope => scope !== 'crm_companies_write'))
    const { id } = expectStatus(await upload(poor, table(['1', 'A', 'Nordwind'])), 201)
    const start = (missingCompany?: string) =>
      poor.post(`/imports/${id}/start`, { mapping, dedupPolicy: 'create_only', missingCompany })
    const refused = await start('create')
    expect([outcome(refused), refused.details]).toEqual([
      '403 insufficient_scope',
      { requiredScopes: expect.arrayContaining(['crm_companies_write']), missingScopes: ['crm_companies_write'] },
    ])
    expect(outcome(await start('Create'))).toBe('400 validation_error')
    expect(outcome(await start('leave_out'))).toBe('202')
  })
})

describe('rows whose company is left out', () => {
  it('are applied without it, and each cell is listed', async () => {
    const organization = await given.organization()
    const { client } = organization
    const gone = await aRecord('company', organization, { externalId: 'gone' })
    await client.post(`/companies/${gone.id}/delete/commit`, { expectedVersion: 1 })
    await aRecord('company', organization, { name: 'Nordwind', externalId: null })
    const rows = [
      ['1', 'A', 'Unknown'],
      ['2', 'B', '', 'unknown'],
      ['3', 'C', '', 'gone'],
      ['4', 'D', 'nordwind'],
    ]
    const done = await rehearsed(client, rows, { missingCompany: 'leave_out' })
    const leftOut = { outcome: 'left_out', row: expect.any(Number) }
    expect(done).toMatchObject({
      status: 'completed_with_errors',
      counters: { created: 4, failed: 0 },
      errors: [
        { ...leftOut, row: 2, field: 'companyName', code: 'reference_not_found', value: 'Unknown' },
        { ...leftOut, row: 3, field: 'companyExternalId', code: 'reference_not_found', value: 'unknown' },
        { ...leftOut, row: 4, field: 'companyExternalId', code: 'external_reference_deleted', value: 'gone' },
      ],
    })
    expect(await companiesOf(client)).toEqual([['Nordwind', null, 'D']])
    const file = (await download(done.errorsFileUrl)).bytes.toString().trimEnd().split('\r\n')
    expect(file).toHaveLength(4)
    expect(file[1]).toBe('2,company,companyName,reference_not_found,There is no such company,left_out')
    expect(objectOf(done.counters).total).toBe(4)
  })
})

describe('a preview', () => {
  /** The counts of a preview of contacts with these companies. */
  async function previewed(organization: TestOrganization, file: string, missing: readonly string[] = []) {
    const client = await organization.token(scopes.filter(scope => !missing.includes(scope)))
    const { id } = expectStatus(await upload(client, file), 201)
    const answer = await client.post(`/imports/${id}/preview`, {}, { key: `preview-${id}` })
    return { id, missingCompanies: expectStatus(answer, 200).missingCompanies }
  }
  const file = csv(
    ['Last name', 'Company'],
    ...['Nordwind', 'NORDWIND', 'Südwind  AG', 'Twin', '', 'Ostwind', 'ostwind'].map((name, at) => [`N${at}`, name]),
  )

  async function withCompanies(): Promise<TestOrganization> {
    const organization = await given.organization()
    for (const name of ['nordwind', 'Twin', 'TWIN', 'Ostwind Handel'])
      await aRecord('company', organization, { name, externalId: null })
    return organization
  }

  it('counts the companies that rows name and that do not exist, and suggests to create them', async () => {
    const organization = await withCompanies()
    const { missingCompanies } = await previewed(organization, file)
    expect(missingCompanies).toEqual({ named: 4, missing: 2, suggested: 'create' })
    const all = await previewed(organization, csv(['Last name', 'Company'], ['N', 'Nordwind'], ['O', 'Twin']))
    expect(all.missingCompanies).toEqual({ named: 2, missing: 0, suggested: 'refuse' })
    const none = await previewed(organization, csv(['Last name', 'Town'], ['N', 'Nordwind']))
    expect(none.missingCompanies).toBeNull()
  })

  it('suggests to create none to a token that may not, and tells none that may not read companies which exist', async () => {
    const organization = await withCompanies()
    const writes = await previewed(organization, file, ['crm_companies_write'])
    expect(writes.missingCompanies).toEqual({ named: 4, missing: 2, suggested: 'leave_out' })
    const reads = await previewed(organization, file, ['crm_companies_read'])
    expect(reads.missingCompanies).toBeNull()
    // Nor does the answer of another token tell it.
    const poor = await organization.token(scopes.filter(scope => scope !== 'crm_companies_read'))
    const again = await poor.post(`/imports/${writes.id}/preview`, {}, { key: `preview-${writes.id}` })
    expect([again.status, again.data.missingCompanies]).toEqual([200, null])
  })

  it('counts at most 5,000 different companies, however many rows there are', async () => {
    const organization = await given.organization()
    const rows = Array.from({ length: 6000 }, (_, index) => [`N${index}`, `Company ${index}`])
    const { missingCompanies } = await previewed(organization, csv(['Last name', 'Company'], ...rows))
    expect(missingCompanies).toEqual({ named: 5000, missing: 5000, suggested: 'create' })
  })
})
