import { describe, expect, it } from 'vitest'
import { scopes } from '../../server/src/kernel/index.ts'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { type Client, objectOf } from '../support/client.ts'
import { runJobs } from '../support/jobs.ts'
import { download } from './support/files.ts'
import { useApi } from './support/given.ts'
import { csv, errorsOf, expectStatus, importFile, upload } from './support/imports.ts'
import { aRecord } from './support/requests.ts'
import { aWorkbook, textRow } from './support/workbooks.ts'

const given = useApi()
const names = { mapping: { firstName: 'First', lastName: 'Last', email1: 'Mail', phone1: 'Phone', externalId: 'Key' } }
const header = ['First', 'Last', 'Mail', 'Phone', 'Key']
const counters = (counted: object) => ({
  total: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  skipped: 0,
  failed: 0,
  pending: 0,
  ...counted,
})
/** The objects in a list. */
const objectsIn = (value: unknown) => (Array.isArray(value) ? value.map(objectOf) : [])
const byKey = async (client: Client, key: string, path = '/contacts') =>
  (await client.get(`${path}?externalId=${key}`)).items[0] ?? {}

describe('an import of contacts', () => {
  it('makes a record of each row, for the application that uploaded it', async () => {
    const { client, applicationId } = await given.organization()
    const before = (await client.get('/changes/cursor')).data.cursor
    const file = csv(
      header,
      ['Anna', 'Petrova', 'anna@example.com', '(202) 555-0143', 'k1'],
      ['Igor', 'Orlov', '', '+7 912 345-67-89', 'k2'],
    )
    const done = await importFile(given.api, client, file, names)
    expect(done).toMatchObject({
      status: 'completed',
      rowCount: 2,
      errors: [],
      mapping: names.mapping,
      dryRun: false,
      failure: null,
      applicationId,
      authorType: 'application',
      fileName: 'rows.csv',
      entityType: 'contacts',
      counters: counters({ total: 2, created: 2 }),
      dedupPolicy: { strategy: 'create_or_update', matchBy: ['uuid', 'externalId'], onConflict: 'fill_empty' },
    })
    expect(done).not.toHaveProperty('errorsFileUrl')
    expect(await byKey(client, 'k1')).toMatchObject({
      firstName: 'Anna',
      lastName: 'Petrova',
      contactData: {
        emails: [{ value: 'anna@example.com', isPrimary: true }],
        phones: [{ value: '(202) 555-0143', e164: '+12025550143' }],
      },
    })
    const { items } = await client.get(`/changes?after=${before}`)
    expect(items.map(({ kind, actorType, jobId }) => [kind, actorType, jobId])).toEqual(
      Array.from({ length: 2 }, () => ['contact.created', 'import', done.id]),
    )
    const audit = await client.get('/audit?resourceType=import')
    expect(audit.items.map(({ action }) => action)).toEqual(['import.completed', 'import.started', 'import.created'])
  })

  it('finds records by the values that the policy names, also those of earlier rows', async () => {
    const organization = await given.organization()
    const { client } = organization
    const first = await aRecord('contact', organization, {
      externalId: 'old',
      firstName: 'Anna',
      lastName: 'Petrova',
      contactData: { emails: [{ value: 'Anna@Example.com' }], phones: [{ value: '+1 202 555 0143' }] },
    })
    const file = csv(
      [...header, 'Title'],
      ['', '', 'ANNA@example.com', '', '', 'Buyer'],
      ['', '', '', '12025550143', '', 'Head'],
      ['Oleg', 'New', 'oleg@example.com', '', 'new', 'One'],
      ['', '', 'oleg@EXAMPLE.com', '', '', 'Two'],
    )
    const policy = { strategy: 'create_or_update', matchBy: ['email', 'phone'], onConflict: 'overwrite' }
    const mapping = { ...names.mapping, jobTitle: 'Title' }
    const done = await importFile(given.api, client, file, { mapping, dedupPolicy: policy })
    expect([done.counters, done.errors]).toEqual([counters({ total: 4, created: 1, updated: 3 }), []])
    const { data } = await client.get(`/contacts/${first.id}`)
    expect(data).toMatchObject({ firstName: 'Anna', jobTitle: 'Head', version: 3, externalId: 'old' })
    expect(await byKey(client, 'new')).toMatchObject({ jobTitle: 'Two', version: 2 })
  })

  it.each([
    ['create_only', { created: 1, failed: 1 }],
    ['update_only', { updated: 1, skipped: 1 }],
    ['create_or_update', { created: 1, updated: 1 }],
    ['skip_existing', { created: 1, skipped: 1 }],
  ])('with %s counts %j', async (dedupPolicy, counted) => {
    const { client } = await given.organization()
    await importFile(given.api, client, csv(header, ['Anna', '', '', '', 'a']), names)
    const file = csv(header, ['Olga', 'Petrova', '', '', 'a'], ['Igor', 'Orlov', '', '', 'b'])
    const done = await importFile(given.api, client, file, { ...names, dedupPolicy })
    expect(done.counters).toEqual(counters({ total: 2, ...counted }))
  })

  it('fills empty fields, or overwrites, and clears nothing', async () => {
    const { client } = await given.organization()
    const old = csv(header, ['Anna', '', 'a@example.com', '+12025550143', 'a'])
    const next = csv(header, ['Olga', 'Petrova', 'b@example.com', '', 'a'])
    await importFile(given.api, client, old, names)
    await importFile(given.api, client, next, names)
    const values = ({ firstName, lastName, contactData }: JsonObject) => {
      const { emails, phones } = objectOf(contactData)
      return [firstName, lastName, objectsIn(emails).map(({ value }) => value), objectsIn(phones).length]
    }
    expect(values(await byKey(client, 'a'))).toEqual(['Anna', 'Petrova', ['a@example.com'], 1])
    const dedupPolicy = { strategy: 'update_only', onConflict: 'overwrite' }
    await importFile(given.api, client, next, { ...names, dedupPolicy })
    expect(values(await byKey(client, 'a'))).toEqual(['Olga', 'Petrova', ['b@example.com'], 1])
  })

  it('links companies, adds tags, and knows operators by e-mail', async () => {
    const organization = await given.organization()
    const { client, tag, operator } = organization
    const company = await aRecord('company', organization, { name: 'Nordwind GmbH', externalId: 'c1' })
    const file = csv(
      ['Key', 'Last', 'Company', 'Company key', 'Tags', 'Owner', 'Land', 'Geburtstag'],
      ['a', 'Petrova', 'nordwind gmbh', '', 'regular', 'OLGA@example.com', 'Deutschland', '24.12.1990'],
      ['b', 'Orlov', '', 'c1', '', '', 'ru', '1980-02-29'],
      ['c', 'Nobody', 'Unknown', '', '', '', '', ''],
      ['d', 'Nobody', '', '', 'unknown', 'ivan@example.com', '', '31.02.1990'],
    )
    const mapping = {
      externalId: 'Key',
      lastName: 'Last',
      companyName: 'Company',
      companyExternalId: 'Company key',
      tags: 'Tags',
      ownerEmail: 'Owner',
      'address.country': 'Land',
      birthDate: 'Geburtstag',
    }
    const done = await importFile(given.api, client, file, { mapping })
    expect(done.counters).toEqual(counters({ total: 4, created: 2, failed: 2 }))
    expect(errorsOf(done)).toEqual([
      [4, 'companyName', 'reference_not_found'],
      [5, 'tags', 'invalid_option'],
      [5, 'ownerEmail', 'reference_not_found'],
    ])
    const links = await client.get(`/companies/${company.id}/contacts`)
    const [a, b] = [await byKey(client, 'a'), await byKey(client, 'b')]
    expect(links.items.map(({ contactId }) => contactId)).toEqual([a.id, b.id])
    expect(a).toMatchObject({ tagIds: [tag], ownerUuid: operator, version: 1 })
    expect(a.contactData).toMatchObject({ addresses: [{ country: 'DE' }], birthDate: '1990-12-24' })
    expect((await client.get(`/companies/${company.id}`)).data.version).toBe(3)
  })

  it('reports the fault of a row with its place and the text of the cell', async () => {
    const { client } = await given.organization()
    const file = csv(
      [...header, 'Birthday'],
      ['Anna', '', 'no address', '', '', ''],
      ['Anna', '', '', '7.9E+10', '', ''],
      ['x'.repeat(101), '', '', '', '', 'soon'],
      ['', '', '', '', '', '1990-01-01'],
      ['Igor', '', '', '', 'ok', ''],
    )
    const done = await importFile(given.api, client, `${file}long,,,,,,,,,more\r\n"open,\r\n`, {
      mapping: { ...names.mapping, birthDate: 5 },
    })
    expect([done.status, done.counters]).toEqual([
      'completed_with_errors',
      counters({ total: 7, created: 1, failed: 6 }),
    ])
    expect(errorsOf(done)).toEqual([
      [2, 'email1', 'invalid_format'],
      [3, 'phone1', 'invalid_format'],
      [4, 'firstName', 'too_long'],
      [4, 'birthDate', 'invalid_format'],
      [5, 'lastName', 'required'],
      [7, null, 'column_count'],
      [8, null, 'row_parse_error'],
    ])
    const [mail] = Array.isArray(done.errors) ? done.errors : []
    expect(mail).toMatchObject({ column: 'Mail', value: 'no address', message: expect.any(String) })
    const { status, headers, bytes } = await download(done.errorsFileUrl)
    expect([status, headers['content-disposition']]).toEqual([200, expect.stringContaining('rows-errors.csv')])
    const lines = bytes.toString().split('\r\n')
    expect([lines[0], lines.length]).toEqual(['row,column,field,code,message,outcome', 9])
    expect(lines[1]).toMatch(/^2,Mail,email1,invalid_format,/u)
    expect(bytes.toString()).not.toContain('no address')
  })

  it('knows keys of records that are gone', async () => {
    const organization = await given.organization()
    const { client } = organization
    const [gone, erased] = [
      await aRecord('contact', organization, { externalId: 'gone' }),
      await aRecord('contact', organization, { externalId: 'erased' }),
    ]
    await client.post(`/contacts/${gone.id}/delete/commit`, { mode: 'full' })
    await client.post(`/contacts/${erased.id}/delete/commit`, { mode: 'anonymize' })
    const done = await importFile(
      given.api,
      client,
      csv(header, ['A', '', '', '', 'gone'], ['B', '', '', '', 'erased']),
      names,
    )
    expect(errorsOf(done)).toEqual([
      [2, 'externalId', 'external_reference_deleted'],
      [3, 'externalId', 'resource_deleted'],
    ])
  })

  it('does not choose between several records', async () => {
    const { client } = await given.organization()
    await importFile(given.api, client, csv(header, ['Anna', 'One', '', '', 'a'], ['Anna', 'One', '', '', 'b']), names)
    const dedupPolicy = { strategy: 'create_or_update', matchBy: ['name'] }
    const done = await importFile(given.api, client, csv(header, ['ANNA', 'one', '', '', '']), {
      ...names,
      dedupPolicy,
    })
    expect(errorsOf(done)).toEqual([[2, 'name', 'ambiguous_match']])
  })
})

describe('an import of companies', () => {
  it('reads a workbook, and finds companies by tax id and name', async () => {
    const { client } = await given.organization()
    const mapping = { name: 'Name', taxId: 'INN', website1: 'Site', employeesCount: 'Staff' }
    const sheet = (...rows: readonly (readonly string[])[]) =>
      aWorkbook({ rows: [['Name', 'INN', 'Site', 'Staff'], ...rows].map((row, index) => textRow(index + 1, ...row)) })
    const dedupPolicy = { strategy: 'create_or_update', matchBy: ['taxId', 'name'] }
    const common = { entityType: 'companies', mapping, dedupPolicy }
    const first = sheet(['Ромашка', '007712', '', '5'], ['Nordwind', '', 'https://example.com', ''])
    expect((await importFile(given.api, client, first, common)).counters).toEqual(counters({ total: 2, created: 2 }))
    const second = sheet(
      ['ООО Ромашка', '007712', 'https://romashka.example', '6'],
      ['NORDWIND', '', '', '7'],
      ['X', '', 'site', ''],
    )
    const done = await importFile(given.api, client, second, common)
    expect([done.counters, errorsOf(done)]).toEqual([
      counters({ total: 3, updated: 2, failed: 1 }),
      [[4, 'website1', 'invalid_format']],
    ])
    const { items } = await client.get('/companies?search=nordwind')
    expect(items[0]).toMatchObject({ name: 'Nordwind', employeesCount: 7, websites: ['https://example.com'] })
  })
})

describe('an import of links', () => {
  it('adds companies to deals, and moves a primary one to the front once', async () => {
    const organization = await given.organization()
    const { client } = organization
    const [a, b, c] = [
      await aRecord('company', organization),
      await aRecord('company', organization),
      await aRecord('company', organization),
    ]
    const deal = await aRecord('deal', organization, { companies: [{ id: a.id }] })
    const rows = [
      ['deal', 'company', 'main'],
      [deal.id, b.id, ''],
      [deal.id, c.id, 'true'],
      [deal.id, b.id, 'yes'],
      [deal.id, b.id, 'no'],
      [deal.id, deal.id, ''],
      [deal.id, '', ''],
    ]
    const mapping = { dealUuid: 'deal', companyUuid: 'company', isPrimary: 'main' }
    const done = await importFile(given.api, client, csv(...rows), { entityType: 'deal_companies', mapping })
    expect(done.counters).toEqual(counters({ total: 6, created: 2, unchanged: 1, failed: 3 }))
    expect(errorsOf(done)).toEqual([
      [4, 'isPrimary', 'duplicate_in_file'],
      [6, 'companyUuid', 'reference_not_found'],
      [7, 'companyUuid', 'required'],
    ])
    const { data } = await client.get(`/deals/${deal.id}`)
    expect([data.companyIds, data.version]).toEqual([[c.id, a.id, b.id], 3])
  })

  it('adds contacts to companies by key, with a role', async () => {
    const organization = await given.organization()
    const { client } = organization
    const company = await aRecord('company', organization, { externalId: 'c' })
    await aRecord('contact', organization, { externalId: 'p' })
    await aRecord('contact', organization, { externalId: 'q' })
    const mapping = { companyExternalId: 0, contactExternalId: 1, role: 2, isPrimary: 3 }
    const rows = [
      ['c', 'p', 'r', 'm'],
      ['c', 'p', 'Buyer', ''],
      ['c', 'q', '', '1'],
      ['c', 'x', '', ''],
      ['c', 'p', '', ''],
    ]
    const done = await importFile(given.api, client, csv(...rows), { entityType: 'company_contacts', mapping })
    expect([done.counters, errorsOf(done)]).toEqual([
      counters({ total: 4, created: 2, unchanged: 1, failed: 1 }),
      [[4, 'contactExternalId', 'reference_not_found']],
    ])
    const links = await client.get(`/companies/${company.id}/contacts`)
    expect(links.items.map(({ role, isPrimary }) => [role, isPrimary])).toEqual([
      [null, true],
      ['Buyer', false],
    ])
  })
})

describe('while an import runs', () => {
  it('a cancel keeps the rows that were applied', async () => {
    const { client } = await given.organization()
    const rows = Array.from({ length: 20_000 }, (_, index) => [`Anna ${index}`])
    const { id } = expectStatus(await upload(client, csv(['First'], ...rows)), 201)
    await client.post(`/imports/${id}/start`, { mapping: { firstName: 0 }, dedupPolicy: 'create_only' })
    const work = runJobs(given.api)
    while (objectOf((await client.get(`/imports/${id}`)).data.counters).created === 0);
    const { data } = await client.post(`/imports/${id}/cancel`)
    expect(data.status).toBe('canceling')
    await work
    const ended = (await client.get(`/imports/${id}`)).data
    const { created, pending, total } = objectOf(ended.counters)
    expect([ended.status, Number(created) + Number(pending), total]).toEqual(['canceled', 20_000, 20_000])
    expect(pending).toBeGreaterThan(0)
  })
})

it('values of cells with errors are shown to those who may read them', async () => {
  const organization = await given.organization()
  const { client } = organization
  const { id } = await importFile(given.api, client, csv(header, ['', 'x'.repeat(101), 'wrong', '', '']), names)
  const shown = async (missing: readonly string[]) => {
    const poor = await organization.token(scopes.filter(scope => !missing.includes(scope)))
    const { data, meta } = await poor.get(`/imports/${id}`)
    const values = objectsIn(data.errors).map(({ value }) => (value === null ? null : String(value).slice(0, 5)))
    return [values, meta.redacted]
  }
  expect(await shown([])).toEqual([['xxxxx', 'wrong'], undefined])
  expect(await shown(['crm_contact_data_read'])).toEqual([['xxxxx', null], ['contact_data']])
  expect(await shown(['crm_contacts_read'])).toEqual([[null, null], undefined])
})

it('a cell with an error that holds an address is quoted to those who may read contact data, whatever it is mapped to', async () => {
  const organization = await given.organization()
  const file = csv(header, ['', `anna@example.com ${'x'.repeat(101)}`, '', '', ''])
  const { id, errors } = await importFile(given.api, organization.client, file, names)
  expect(objectsIn(errors)[0]?.value).toMatch(/^anna@example.com/u)
  const poor = await organization.token(scopes.filter(scope => scope !== 'crm_contact_data_read'))
  const { data, meta } = await poor.get(`/imports/${id}`)
  expect([objectsIn(data.errors)[0]?.value, meta.redacted]).toEqual([null, ['contact_data']])
})

it('defaults are shown without those that the token may not read in records', async () => {
  const organization = await given.organization()
  await given.configure(
    organization,
    `insert into custom_field_definitions (organization_id, kind, key, label, type, required, position, created_at)
     values ($1, 'contact', 'region', 'Region', 'text', false, 0, now())`,
    [organization.id],
  )
  const defaults = { source: 'Fair', email1: 'shared@example.com', 'custom.region': 'North' }
  const mapping = { firstName: 'First' }
  const { id } = await importFile(given.api, organization.client, 'First\nAnna\n', { mapping, defaults })
  const shown = async (missing: readonly string[]) => {
    const poor = await organization.token(scopes.filter(scope => !missing.includes(scope)))
    const { data, meta } = await poor.get(`/imports/${id}`)
    const { items } = await poor.get('/imports')
    expect(items.map(each => each.defaults)).toEqual([data.defaults])
    return [data.defaults, meta.redacted]
  }
  expect(await shown([])).toEqual([defaults, undefined])
  expect(await shown(['crm_contact_data_read'])).toEqual([
    { source: 'Fair', 'custom.region': 'North' },
    ['contact_data'],
  ])
  expect(await shown(['crm_contact_data_read', 'crm_custom_fields_read'])).toEqual([
    { source: 'Fair' },
    ['contact_data', 'custom_fields'],
  ])
})
