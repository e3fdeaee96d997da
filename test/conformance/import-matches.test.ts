import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { type Client, objectOf } from '../support/client.ts'
import { runJobs } from '../support/jobs.ts'
import { download } from './support/files.ts'
import { useApi } from './support/given.ts'
import { csv, errorsOf, expectStatus, type Imported, importFile, upload } from './support/imports.ts'
import { aRecord } from './support/requests.ts'

const given = useApi()

const switchboard = '+1 202 555 0143'
const mapping = { externalId: 'key', name: 'name', phone1: 'phone', taxId: 'tax' }
const matchBy = ['externalId', 'phone', 'taxId', 'name']
const overwrite = { strategy: 'create_or_update', matchBy, onConflict: 'overwrite' }

/** Imports companies by their key, name, phone and tax id. */
function companies(client: Client, rows: readonly (readonly string[])[], more: Partial<Imported> = {}) {
  const content = csv(
    ['key', 'name', 'phone', 'tax'],
    ...rows.map(row => Array.from(mapping4, (_, at) => row[at] ?? '')),
  )
  return importFile(given.api, client, content, { entityType: 'companies', mapping, dedupPolicy: overwrite, ...more })
}
const mapping4 = Object.keys(mapping)

const named = async (client: Client) =>
  (await client.get('/companies?limit=100')).items.map(({ externalId, name }) => `${externalId} ${name}`).toSorted()

describe.each([false, true])('rows that bring keys of their own, dry run %s', dryRun => {
  it.each([
    ['phone', ['One', switchboard, ''], ['Two', switchboard, ''], ['Three', '(202) 555-0143', '']],
    ['name', ['Same', '', ''], ['SAME', '', ''], ['Same', '', '']],
    ['tax id', ['One', '', '77'], ['Two', '', '77'], ['Three', '', '77']],
  ])('never become one record by the same %s', async (_, ...rows) => {
    const { client } = await given.organization()
    const keyed = rows.map((row, index) => [`A-${index + 1}`, ...row])
    const { counters } = await companies(client, keyed, { dryRun })
    expect(counters).toMatchObject({ created: 3, updated: 0, failed: 0 })
    if (!dryRun) expect(await named(client)).toEqual(keyed.map(([key, name]) => `${key} ${name}`).toSorted())
  })

  it('become records without a key of this application, and give them theirs', async () => {
    const organization = await given.organization()
    const { client } = organization
    const phones = [{ value: switchboard }]
    const { id } = await aRecord('company', organization, { externalId: null, name: 'Old', contactData: { phones } })
    // Keys of another application do not count.
    const other = await organization.application()
    const { data } = await other.client.get(`/companies/${id}`)
    const theirs = { expectedVersion: data.version, externalId: 'theirs' }
    expect((await other.client.patch(`/companies/${id}`, theirs)).status).toBe(200)
    const rows = [
      ['A-1', 'One', switchboard],
      ['A-2', 'Two', switchboard],
    ]
    const { counters } = await companies(client, rows, { dryRun })
    expect(counters).toMatchObject({ created: 1, updated: 1 })
    if (!dryRun) expect(await named(client)).toEqual(['A-1 One', 'A-2 Two'])
  })

  it('find records with their own key by other values too, and are ambiguous where several others match', async () => {
    const organization = await given.organization()
    const { client } = organization
    const record = (values: JsonObject) => aRecord('company', organization, { externalId: null, ...values })
    await record({ name: 'Keyed', externalId: 'A-1', contactData: { phones: [{ value: switchboard }] } })
    const byPhone = { dedupPolicy: { ...overwrite, matchBy: ['phone'] }, dryRun }
    const own = await companies(client, [['A-1', 'Renamed', switchboard]], byPhone)
    expect(own.counters).toMatchObject({ updated: 1 })

    await record({ name: 'Twin' })
    await record({ name: 'twin' })
    await record({ name: 'TWIN', externalId: 'A-2' })
    const ambiguous = await companies(client, [['A-3', 'Twin', '']], { dryRun })
    expect(errorsOf(ambiguous)).toEqual([[2, 'name', 'ambiguous_match']])
    expect(ambiguous.errors).toMatchObject([{ message: '2 records have this name' }])
  })

  it.each([
    ['create_only', { created: 1 }],
    ['skip_existing', { created: 1 }],
    ['update_only', { skipped: 1 }],
  ])('are those of new records for %s where only records with other keys match', async (strategy, counted) => {
    const { client } = await given.organization()
    await companies(client, [['A-1', 'One', switchboard]])
    const policy = { dedupPolicy: { strategy, matchBy }, dryRun }
    const { counters } = await companies(client, [['A-2', 'Two', switchboard]], policy)
    expect(counters).toMatchObject({ total: 1, ...counted })
  })

  it('are distinguished from a record without a key among more records with other keys than a look-up gives', async () => {
    const organization = await given.organization()
    const { client } = organization
    const keyed = Array.from({ length: 150 }, (_, index) => [`A-${index}`, `Company ${index}`, switchboard])
    await companies(client, keyed)
    const phones = [{ value: switchboard }]
    await aRecord('company', organization, { externalId: null, name: 'Without', contactData: { phones } })
    const { counters } = await companies(client, [['B-1', 'New', switchboard]], { dryRun })
    expect(counters).toMatchObject({ updated: 1 })
  })

  it('are distinguished from a record without a key that earlier rows of the file have made among those with keys', async () => {
    const { client } = await given.organization()
    const keyed = Array.from({ length: 120 }, (_, index) => [`A-${index}`, `Company ${index}`, switchboard])
    const rows = [
      ...keyed,
      ['', 'Without', '+1 202 555 0199'],
      // Found by its name, which comes first, it gets the number that all have.
      ['', 'Without', switchboard],
      ...Array.from({ length: 100 }, (_, index) => [`B-${index}`, `Other ${index}`]),
      ['C-1', 'New', switchboard],
    ]
    const dedupPolicy = { ...overwrite, matchBy: ['name', 'phone'] }
    const { counters } = await companies(client, rows, { dryRun, dedupPolicy })
    expect(counters).toMatchObject({ created: 221, updated: 2 })
  })

  it('become the same records however the rows are divided into chunks', async () => {
    const { client } = await given.organization()
    // Every third row has no key. The first one makes a record, which the next row gives its key.
    const rows = Array.from({ length: 260 }, (_, index) => [
      index % 3 === 0 ? '' : `A-${index}`,
      `Company ${index}`,
      index < 230 ? switchboard : '+1 202 555 0199',
    ])
    const done = await companies(client, rows, { dryRun })
    expect(done.counters).toMatchObject({ created: 173, updated: 2, failed: 85 })
    const counts = Array.isArray(done.errors)
      ? done.errors.map(error => String(objectOf(error).message).replace(' records have this phone', ''))
      : []
    const failing = rows.flatMap(([key], index) => (key === '' && index > 0 && index !== 231 ? [index] : []))
    const before = failing.map(index => (index < 230 ? (index / 3) * 2 : ((index - 231) / 3) * 2 + 1))
    expect(counts).toEqual(before.map(count => (count < 20 ? `${count}` : '20 or more')))
  })
})

describe.each([false, true])('a phone number that has no international form, dry run %s', dryRun => {
  const policy = { strategy: 'create_or_update', matchBy: ['phone'], onConflict: 'fill_empty' }
  const persons = (client: Client, phones: readonly string[], more: Partial<Imported> = {}) =>
    importFile(given.api, client, csv(['n', 'p'], ...phones.map((phone, at) => [`Anna ${at}`, phone])), {
      mapping: { firstName: 'n', phone1: 'p' },
      dedupPolicy: policy,
      ...more,
    })
  const phones = ['001-059-1234x9999', '1-800-FLOWERS', '8 (800) доб. 12', '١٢٣ غرفة', 'see above', '123']

  it.each(phones)('that is imported finds the record that has it: %s', async phone => {
    const { client } = await given.organization()
    expect((await persons(client, [phone])).counters).toMatchObject({ created: 1 })
    const again = await persons(client, [` ${phone.toLowerCase()}`], { dryRun })
    expect(again.counters).toMatchObject({ created: 0, unchanged: 1 })
  })

  it('makes one record of the rows of a file that have it, in one chunk and in several', async () => {
    const { client } = await given.organization()
    const different = Array.from({ length: 150 }, (_, at) => `1-800-FLOWERS y${at}`)
    const done = await persons(client, [...different, ...phones, ...phones, ...different], { dryRun })
    expect(done.counters).toMatchObject({ created: 156, unchanged: 156 })
  })

  it('does not stand for another one with the same digits', async () => {
    const { client } = await given.organization()
    await persons(client, ['059-1234x9999'])
    const done = await persons(client, ['059-1234x999', '059-1234y9999', '1-800-FLOWERS'], { dryRun })
    expect(done.counters).toMatchObject({ created: 3 })
  })
})

it('a phone number is compared in the form that it has in the country of the row', async () => {
  const organization = await given.organization()
  const { client } = organization
  await aRecord('company', organization, { name: 'Berliner', contactData: { phones: [{ value: '+49 30 1234567' }] } })
  const imported = (country: string) =>
    importFile(given.api, client, csv(['name', 'phone', 'country'], [`Of ${country}`, '030 1234567', country]), {
      entityType: 'companies',
      mapping: { name: 'name', phone1: 'phone', 'address.country': 'country' },
      dedupPolicy: { strategy: 'create_or_update', matchBy: ['phone'] },
    })
  expect((await imported('Germany')).counters).toMatchObject({ created: 0, updated: 1 })
  expect((await imported('France')).counters).toMatchObject({ created: 1, updated: 0 })
})

describe('the file of rows', () => {
  const linesOf = async ({ rowsFileUrl }: JsonObject) =>
    (await download(rowsFileUrl)).bytes.toString().trimEnd().split('\r\n')

  it('shows for each row its record, the value by which it was found, and the outcome', async () => {
    const organization = await given.organization()
    const { client } = organization
    const known = await aRecord('company', organization, { externalId: 'A-1', name: 'Known' })
    const phones = [{ value: switchboard }]
    const reached = await aRecord('company', organization, { externalId: null, contactData: { phones } })
    for (const name of ['Twin', 'twin']) await aRecord('company', organization, { externalId: null, name })
    const done = await companies(client, [
      ['A-1', 'Known'],
      ['A-2', 'Reached', switchboard],
      ['A-3', 'New'],
      ['', 'Twin'],
      ['A-4', 'x'.repeat(1000)],
      ['A-1', 'y'.repeat(1000)],
    ])
    const [made] = (await client.get('/companies?externalId=A-3')).items
    expect(await linesOf(done)).toEqual([
      'row,uuid,matchedBy,outcome',
      `2,${known.id},externalId,unchanged`,
      `3,${reached.id},phone,updated`,
      `4,${made?.id},,created`,
      '5,,name,failed',
      '6,,,failed',
      `7,${known.id},externalId,failed`,
    ])
    const { status, headers } = await download(done.rowsFileUrl)
    expect([status, headers['content-disposition']]).toEqual([200, expect.stringContaining('rows-rows.csv')])
  })

  it.each([
    ['skip_existing', 'skipped'],
    ['create_only', 'failed'],
  ])('names the record of a row that is left alone, for %s', async (strategy, outcome) => {
    const organization = await given.organization()
    const { id } = await aRecord('company', organization, { externalId: 'A-1' })
    const done = await companies(organization.client, [['A-1', 'Known']], { dedupPolicy: strategy })
    expect((await linesOf(done)).slice(1)).toEqual([`2,${id},externalId,${outcome}`])
  })

  it('shows by equal ids which rows of a dry run would become one record', async () => {
    const { client } = await given.organization()
    const rows = [
      ['', 'One', switchboard],
      ['A-1', 'Two', '(202) 555-0143'],
      ['A-2', 'Three', switchboard],
    ]
    const done = await companies(client, rows, { dryRun: true })
    const cells = (await linesOf(done)).slice(1).map(line => line.split(','))
    expect(cells.map(([row, , ...others]) => [row, ...others])).toEqual([
      ['2', '', 'created'],
      ['3', 'phone', 'updated'],
      ['4', '', 'created'],
    ])
    const [one, two, three] = cells.map(([, id]) => id)
    expect([two === one, three === one]).toEqual([true, false])
  })

  it('has the ids of both sides of links', async () => {
    const organization = await given.organization()
    const { id: company } = await aRecord('company', organization, { externalId: 'c' })
    const { id: contact } = await aRecord('contact', organization, { externalId: 'p' })
    const content = csv(['c', 'p'], ['c', 'p'], ['c', 'p'], ['c', 'nobody'], ['', 'p'])
    const done = await importFile(given.api, organization.client, content, {
      entityType: 'company_contacts',
      mapping: { companyExternalId: 0, contactExternalId: 1 },
    })
    expect(await linesOf(done)).toEqual([
      'row,companyUuid,contactUuid,outcome',
      `2,${company},${contact},created`,
      `3,${company},${contact},unchanged`,
      `4,${company},,failed`,
      '5,,,failed',
    ])
  })

  it('has all rows in their order, and is there as soon as the import has ended and not before', async () => {
    const { client } = await given.organization()
    const count = 350
    const rows = Array.from({ length: count }, (_, index) => [`A-${index}`, `Company ${index}`])
    const { id } = expectStatus(await upload(client, csv(['key', 'name'], ...rows), { entityType: 'companies' }), 201)
    expect((await client.get(`/imports/${id}`)).data).not.toHaveProperty('rowsFileUrl')
    const start = { mapping: { externalId: 'key', name: 'name' }, dedupPolicy: 'create_or_update' }
    expect(expectStatus(await client.post(`/imports/${id}/start`, start), 202)).not.toHaveProperty('rowsFileUrl')
    await runJobs(given.api)
    const { data } = await client.get(`/imports/${id}`)
    const [, ...lines] = await linesOf(data)
    expect(lines.map(line => Number(line.split(',')[0]))).toEqual(rows.map((_, index) => index + 2))
  })
})
