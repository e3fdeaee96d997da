import { describe, expect, it } from 'vitest'
import { bounds } from '../../server/src/kernel/index.ts'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { type Client, objectOf } from '../support/client.ts'
import { everything } from './support/everything.ts'
import { download } from './support/files.ts'
import { allBut, useApi } from './support/given.ts'
import { csv, errorsOf, importFile } from './support/imports.ts'
import { aRecord, unknownId } from './support/requests.ts'

const given = useApi()

const mapping = { uuid: 'uuid', externalId: 'key', firstName: 'first', lastName: 'last', email1: 'mail' }
const header = Object.values(mapping)
type Cells = Partial<Record<'uuid' | 'key' | 'first' | 'last' | 'mail', string>>
const table = (...rows: readonly Cells[]) =>
  csv(header, ...rows.map(row => header.map(name => Object.entries(row).find(([key]) => key === name)?.[1] ?? '')))
const run = (client: Client, content: string, dedupPolicy: unknown, more: object = {}) =>
  importFile(given.api, client, content, { mapping, dedupPolicy, ...more })
const only = ({ counters }: JsonObject) =>
  Object.fromEntries(Object.entries(objectOf(counters)).filter(([name, count]) => name !== 'total' && count !== 0))
const named = async (client: Client, path = '/contacts') => (await client.get(path)).items

describe('a row with a uuid that no record has', () => {
  it.each([
    ['update_only', { failed: 1 }, [[2, 'uuid', 'reference_not_found']]],
    ['create_or_update', { created: 1 }, []],
    ['create_only', { created: 1 }, []],
    ['skip_existing', { created: 1 }, []],
  ])('with %s: %j', async (dedupPolicy, counted, errors) => {
    const { client } = await given.organization()
    const done = await run(client, table({ uuid: unknownId, first: 'Anna' }), dedupPolicy)
    expect([only(done), errorsOf(done)]).toEqual([counted, errors])
    expect((await named(client)).map(({ id }) => id)).not.toContain(unknownId)
  })

  it('is the row of no record either where the person was erased', async () => {
    const organization = await given.organization()
    const { id } = await aRecord('contact', organization)
    await organization.client.post(`/contacts/${id}/delete/commit`, { mode: 'anonymize' })
    for (const matchBy of [['uuid'], ['email']]) {
      const rows = table({ uuid: String(id).toUpperCase(), first: 'Anna', mail: 'a@example.com' })
      const done = await run(organization.client, rows, { strategy: 'create_or_update', matchBy })
      expect(errorsOf(done)).toEqual([[2, 'uuid', 'resource_deleted']])
    }
  })
})

describe('rows of a file that match each other', () => {
  const rows = table(
    { key: 'a', first: 'Anna' },
    { key: 'a', first: 'Olga', last: 'Orlova' },
    { key: 'a', last: 'Last' },
  )

  it.each([
    ['create_only', { created: 1, failed: 2 }, ['Anna', null]],
    ['skip_existing', { created: 1, skipped: 2 }, ['Anna', null]],
    ['create_or_update', { created: 1, updated: 1, unchanged: 1 }, ['Anna', 'Orlova']],
    [{ strategy: 'create_or_update', onConflict: 'overwrite' }, { created: 1, updated: 2 }, ['Olga', 'Last']],
    ['update_only', { skipped: 3 }, undefined],
  ])('are done by %j: %j', async (dedupPolicy, counted, name) => {
    const { client } = await given.organization()
    expect(only(await run(client, rows, dedupPolicy))).toEqual(counted)
    expect((await named(client)).map(({ firstName, lastName }) => [firstName, lastName])[0]).toEqual(name)
  })

  it.each([
    ['by the name', ['name', 'email'], 'a@example.com'],
    ['by the address', ['email', 'name'], 'b@example.com'],
  ])('match by the first value by which a record is found, %s', async (_, matchBy, mail) => {
    const { client } = await given.organization()
    const old = table({ first: 'Anna', last: 'A', mail: 'a@example.com' }, { last: 'B', mail: 'b@example.com' })
    await run(client, old, 'create_only')
    const next = table({ key: 'found', first: 'Anna', last: 'A', mail: 'b@example.com' })
    expect(only(await run(client, next, { strategy: 'update_only', matchBy }))).toEqual({ updated: 1 })
    const [found] = await named(client, '/contacts?externalId=found')
    expect(found).toMatchObject({ contactData: { emails: [{ value: mail }] } })
  })
})

it('a record that nothing but its phone number finds is found by that number in another notation', async () => {
  const organization = await given.organization()
  const { client } = organization
  const { id } = await aRecord('contact', organization, { contactData: { phones: [{ value: '+1 202 555 0143' }] } })
  const done = await importFile(given.api, client, csv(['Phone', 'Title'], ['(202) 555-0143', 'Buyer']), {
    mapping: { phone1: 'Phone', jobTitle: 'Title' },
    dedupPolicy: { strategy: 'update_only', matchBy: ['phone'] },
  })
  expect(only(done)).toEqual({ updated: 1 })
  expect((await named(client)).map(({ id, jobTitle }) => [id, jobTitle])).toEqual([[id, 'Buyer']])
})

it('a key that another record has already is an error where rows are not found by it', async () => {
  const { client } = await given.organization()
  await run(client, table({ key: 'a', mail: 'a@example.com' }), 'create_only')
  const done = await run(client, table({ key: 'a', mail: 'b@example.com' }), {
    strategy: 'create_or_update',
    matchBy: ['email'],
  })
  expect(errorsOf(done)).toEqual([[2, 'externalId', 'already_exists']])
})

it('keys are those of the application that uploaded the file', async () => {
  const organization = await given.organization()
  const other = await organization.application()
  await run(organization.client, table({ key: 'a', first: 'Mine' }), 'create_or_update')
  expect(only(await run(other.client, table({ key: 'a', first: 'Theirs' }), 'create_or_update'))).toEqual({
    created: 1,
  })
  const listed = (await other.client.get('/imports')).items
  expect(listed.map(({ applicationId }) => applicationId)).toEqual([other.id, organization.applicationId])
})

describe('an import', () => {
  it('may map a column to several fields, and stores no unmapped column', async () => {
    const organization = await given.organization()
    // The cell is longer than one may be, which only matters where it is mapped.
    const file = csv(['Name', 'Secret'], ['Anna', 'Rumpelstilzchen'.repeat(3000)], ['', 'Rumpelstilzchen'])
    const done = await importFile(given.api, organization.client, file, {
      mapping: { lastName: 'Name', description: 0, email1: 0 },
    })
    expect(errorsOf(done)).toEqual([
      [2, 'email1', 'invalid_format'],
      [3, 'lastName', 'required'],
    ])
    expect(await everything(given, organization)).not.toContain('Rumpelstilzchen')
    const kept = await importFile(given.api, organization.client, file, {
      mapping: { lastName: 'Name', description: 0 },
    })
    expect(only(kept)).toEqual({ created: 1, failed: 1 })
    expect(await named(organization.client)).toMatchObject([{ lastName: 'Anna', description: 'Anna' }])
    expect(await everything(given, organization)).not.toContain('Rumpelstilzchen')
  })

  it('uses a default for a blank cell, and for a field without a column', async () => {
    const { client } = await given.organization()
    const file = csv(['Name', 'Source'], ['Anna', ''], ['Igor', 'Call'])
    const done = await importFile(given.api, client, file, {
      mapping: { firstName: 'Name', source: 'Source' },
      defaults: { source: 'Fair', jobTitle: 'Buyer' },
    })
    expect(done).toMatchObject({ counters: { created: 2 }, defaults: { source: 'Fair', jobTitle: 'Buyer' } })
    const found = (await named(client)).toReversed()
    expect(found.map(({ source, jobTitle }) => [source, jobTitle])).toEqual([
      ['Fair', 'Buyer'],
      ['Call', 'Buyer'],
    ])
  })

  it('takes a cell of invisible characters for blank: it clears nothing, and gets the default', async () => {
    const { client } = await given.organization()
    const seen = async (title: string, defaults: JsonObject) => {
      await importFile(given.api, client, csv(['Key', 'Name', 'Title'], ['a', 'Anna', title]), {
        mapping: { externalId: 'Key', firstName: 'Name', jobTitle: 'Title' },
        dedupPolicy: { strategy: 'create_or_update', onConflict: 'overwrite' },
        defaults,
      })
      return (await named(client)).map(({ jobTitle }) => jobTitle)
    }
    expect(await seen('Buyer', {})).toEqual(['Buyer'])
    expect(await seen('\u200B\u2060', {})).toEqual(['Buyer'])
    expect(await seen(' \u200B', { jobTitle: 'Head' })).toEqual(['Head'])
  })

  it('adds tags to those that a record has', async () => {
    const organization = await given.organization()
    const { client, id } = organization
    await given.configure(
      organization,
      `insert into tags (organization_id, id, name, kinds, created_at)
       values ($1, gen_random_uuid(), 'New one', '{contact}', now()), ($1, gen_random_uuid(), 'Deals only', '{deal}', now())`,
      [id],
    )
    const rows = (tags: string) => csv(['key', 'name', 'tags'], ['a', 'Anna', tags])
    const tagged = (tags: string) =>
      importFile(given.api, client, rows(tags), { mapping: { externalId: 0, firstName: 1, tags: 2 } })
    expect(only(await tagged('REGULAR'))).toEqual({ created: 1 })
    expect(only(await tagged('new one;Regular'))).toEqual({ updated: 1 })
    expect(only(await tagged('Regular'))).toEqual({ unchanged: 1 })
    expect(errorsOf(await tagged('Deals only'))).toEqual([[2, 'tags', 'invalid_option']])
    const [{ tagIds } = {}] = await named(client)
    expect(tagIds).toHaveLength(2)
  })

  it('reads custom fields by their types, and requires the required ones', async () => {
    const organization = await given.organization()
    const { client } = organization
    const options = JSON.stringify([{ key: 'gold', label: 'Gold', position: 0, archived: false }])
    await given.configure(
      organization,
      `insert into custom_field_definitions (organization_id, kind, key, label, type, options, required, position, created_at)
       values ($1, 'contact', 'level', 'Level', 'select', $2, true, 0, now()), ($1, 'contact', 'since', 'Since', 'date', '[]', false, 1, now())`,
      [organization.id, options],
    )
    const file = csv(
      ['n', 'l', 's'],
      ['A', 'Gold', '24.12.1990'],
      ['B', 'Tin', ''],
      ['C', '', ''],
      ['D', 'gold', 'soon'],
    )
    const columns = { firstName: 0, 'custom.level': 1, 'custom.since': 2 }
    const done = await importFile(given.api, client, file, { mapping: columns })
    expect([only(done), errorsOf(done)]).toEqual([
      { created: 1, failed: 3 },
      [
        [3, 'custom.level', 'invalid_option'],
        [4, 'custom.level', 'required'],
        [5, 'custom.since', 'invalid_format'],
      ],
    ])
    expect(await named(client)).toMatchObject([{ customFields: { level: 'gold', since: '1990-12-24' } }])
  })
})

it('a required custom field may be missing where the token that starts an import may not manage it', async () => {
  const organization = await given.organization()
  await given.configure(
    organization,
    `insert into custom_field_definitions (organization_id, kind, key, label, type, options, required, position, created_at)
     values ($1, 'contact', 'level', 'Level', 'text', '[]', true, 0, now())`,
    [organization.id],
  )
  const blind = await organization.token(allBut('crm_custom_fields_manage'))
  const imported = (client: Client) =>
    importFile(given.api, client, csv(['n'], ['Anna']), { mapping: { firstName: 0 } })
  expect(errorsOf(await imported(organization.client))).toEqual([[2, 'custom.level', 'required']])
  expect((await imported(blind)).counters).toMatchObject({ created: 1, failed: 0 })
})

it('reads a time without an offset in the time zone of the organization', async () => {
  const organization = await given.organization()
  const { id, client } = organization
  await given.configure(organization, `update organizations set time_zone = 'Europe/Berlin' where id = $1`, [id])
  await given.configure(
    organization,
    `insert into custom_field_definitions (organization_id, kind, key, label, type, required, position, created_at)
     values ($1, 'contact', 'met', 'Met', 'datetime', false, 0, now())`,
    [id],
  )
  const times = [
    ['2026-03-01T10:00:00', '2026-03-01T09:00:00.000Z'],
    ['2026-07-01 9:30', '2026-07-01T07:30:00.000Z'],
    ['01.07.2026 09:30:15', '2026-07-01T07:30:15.000Z'],
    ['2026-07-01', '2026-06-30T22:00:00.000Z'],
    ['2026-07-01T10:00:00+05:00', '2026-07-01T05:00:00.000Z'],
    ['2026-10-25 02:30', '2026-10-25T00:30:00.000Z'],
    ['2026-07-01 25:00', undefined],
    ['soon', undefined],
  ] as const
  const file = csv(['Key', 'First', 'Met'], ...times.map(([text], row) => [`k${row}`, 'Anna', text]))
  const done = await importFile(given.api, client, file, { mapping: { externalId: 0, firstName: 1, 'custom.met': 2 } })
  expect(errorsOf(done)).toEqual([
    [8, 'custom.met', 'invalid_format'],
    [9, 'custom.met', 'invalid_format'],
  ])
  const { items } = await client.post('/contacts/batch/get', {
    items: times.map((_, row) => ({ externalId: `k${row}` })),
  })
  const met = items.map(({ data }) => objectOf(objectOf(data ?? {}).customFields ?? {}).met)
  expect(met).toEqual(times.map(([, moment]) => moment))
})

it('fills an empty custom field, whatever its key', async () => {
  const organization = await given.organization()
  const { client } = organization
  await given.configure(
    organization,
    `insert into custom_field_definitions (organization_id, kind, key, label, type, required, position, created_at)
     values ($1, 'contact', 'constructor', 'Constructor', 'text', false, 0, now())`,
    [organization.id],
  )
  const fill = (content: string) =>
    importFile(given.api, client, content, {
      mapping: { externalId: 0, firstName: 1, 'custom.constructor': 2 },
      dedupPolicy: { strategy: 'create_or_update', matchBy: ['externalId'], onConflict: 'fill_empty' },
    })
  expect(only(await fill(csv(['k', 'n', 'c'], ['A-1', 'A', ''])))).toEqual({ created: 1 })
  expect(only(await fill(csv(['k', 'n', 'c'], ['A-1', 'A', 'Brunel'])))).toEqual({ updated: 1 })
  expect(await named(client)).toMatchObject([{ customFields: { constructor: 'Brunel' } }])
})

describe('companies of contacts', () => {
  const rows = (...cells: readonly (readonly string[])[]) => csv(['name', 'company', 'key'], ...cells)
  const withCompany = (client: Client, content: string) =>
    importFile(given.api, client, content, {
      mapping: { lastName: 0, companyName: 1, companyExternalId: 2 },
      dedupPolicy: 'create_only',
    })

  it('are found by their exact name, among many with its words, and are never made', async () => {
    const organization = await given.organization()
    const { client } = organization
    const branches = Array.from({ length: 30 }, (_, index) => ({ name: `Nordwind ${index}` }))
    for (const branch of branches) await client.post('/companies', branch)
    const { data } = await client.post('/companies', {
      name: 'NORDWIND',
      legalName: 'Nordwind Handelsgesellschaft mbH',
    })
    await aRecord('company', organization, { name: 'Twin' })
    await aRecord('company', organization, { name: 'twin' })
    const done = await withCompany(client, rows(['A', 'Nordwind', ''], ['B', 'Twin', ''], ['C', 'Wind', '']))
    expect([only(done), errorsOf(done)]).toEqual([
      { created: 1, failed: 2 },
      [
        [3, 'companyName', 'ambiguous_match'],
        [4, 'companyName', 'reference_not_found'],
      ],
    ])
    expect((await client.get(`/companies/${data.id}/contacts`)).items).toHaveLength(1)
    expect((await client.get('/companies?limit=100')).items).toHaveLength(33)
  })

  it('are found by their keys, unless they were removed or there are none', async () => {
    const organization = await given.organization()
    const gone = await aRecord('company', organization, { externalId: 'gone' })
    await organization.client.post(`/companies/${gone.id}/delete/commit`, { expectedVersion: 1 })
    const done = await withCompany(organization.client, rows(['A', '', 'gone'], ['B', '', 'nowhere']))
    expect(errorsOf(done)).toEqual([
      [2, 'companyExternalId', 'external_reference_deleted'],
      [3, 'companyExternalId', 'reference_not_found'],
    ])
    expect(await named(organization.client)).toEqual([])
  })
})

it('contacts are found by their exact names, among many with the words of them', async () => {
  const { client } = await given.organization()
  const others = Array.from({ length: 30 }, (_, index) => ({ first: 'Anna', last: `Petrova Nr ${index}` }))
  await run(client, table(...others, { first: 'ANNA', last: 'Petrova', key: 'right' }), 'create_only')
  const policy = { strategy: 'create_or_update', matchBy: ['name'] }
  const done = await run(client, table({ first: 'Anna', last: 'Petróva', mail: 'a@example.com' }), policy)
  expect(only(done)).toEqual({ updated: 1 })
  expect((await named(client, '/contacts?externalId=right'))[0]?.version).toBe(2)
})

it('a record is found by its address also where it has the words of the name of another row', async () => {
  const { client } = await given.organization()
  await run(client, table({ key: 'right', first: 'Anna', last: 'Petrova Berg', mail: 'a@example.com' }), 'create_only')
  const rows = table({ last: 'Orlova', mail: 'a@example.com' }, { first: 'Anna', last: 'Berg', mail: 'b@example.com' })
  const policy = { strategy: 'create_or_update', matchBy: ['email', 'name'], onConflict: 'overwrite' }
  expect(only(await run(client, rows, policy))).toEqual({ created: 1, updated: 1 })
  expect((await named(client, '/contacts?externalId=right'))[0]).toMatchObject({ version: 2, lastName: 'Orlova' })
})

describe('errors', () => {
  it('are listed up to the latest hundred, and all of them stand in the file', async () => {
    const { client } = await given.organization()
    const count = bounds.importErrors.most + 50
    const rows = Array.from({ length: count }, (_, index) => ({ first: 'x', mail: `${index} ${'é'.repeat(220)}` }))
    const done = await run(client, table(...rows), 'create_only')
    const listed = Array.isArray(done.errors) ? done.errors.map(objectOf) : []
    expect(listed.map(({ row }) => row)).toEqual(Array.from({ length: 100 }, (_, index) => index + 52))
    expect(Array.from(String(listed.at(-1)?.value))).toHaveLength(200)
    const lines = (await download(done.errorsFileUrl)).bytes.toString().trimEnd().split('\r\n')
    expect(lines.slice(1).map(line => Number(line.split(',')[0]))).toEqual(rows.map((_, index) => index + 2))
  })

  it('stand in the file so that a spreadsheet takes the name of no column for a formula', async () => {
    const { client } = await given.organization()
    const names = ['=1+1', '@sum', '+1', '-1, or less', '\u200B\u00A0＝1']
    const keys = ['firstName', 'email1', 'email2', 'email3', 'lastName']
    const mapping = Object.fromEntries(keys.map((key, index) => [key, index]))
    const done = await importFile(given.api, client, csv(names, ['x'.repeat(101), 'a', 'b', 'c', 'y'.repeat(101)]), {
      mapping,
    })
    const lines = (await download(done.errorsFileUrl)).bytes.toString().trimEnd().split('\r\n')
    expect(lines.slice(1).map(line => line.slice(0, 8))).toEqual([
      "2,'=1+1,",
      "2,'\u200B\u00A0＝1,",
      "2,'@sum,",
      "2,'+1,em",
      '2,"\'-1, ',
    ])
  })

  it('list all faults of a row', async () => {
    const { client } = await given.organization()
    const done = await run(client, table({ uuid: 'x', first: 'y'.repeat(101), mail: 'z' }), 'create_only')
    expect(errorsOf(done)).toEqual([[2, 'uuid', 'invalid_format']])
    const rest = await run(client, table({ first: 'y'.repeat(101), mail: 'z' }), 'create_only')
    expect(errorsOf(rest)).toEqual([
      [2, 'firstName', 'too_long'],
      [2, 'email1', 'invalid_format'],
    ])
  })
})

it('two imports of the same rows at the same time make no twins', async () => {
  const organization = await given.organization()
  const rows = Array.from({ length: 400 }, (_, index) => ({ first: 'Anna', last: `Petrova ${index % 200}` }))
  const policy = { strategy: 'create_or_update', matchBy: ['name'] }
  const both = await Promise.all([0, 1].map(() => run(organization.client, table(...rows), policy)))
  const created = both.map(({ counters }) => Number(objectOf(counters).created))
  expect(created.reduce((sum, count) => sum + count, 0)).toBe(200)
})
