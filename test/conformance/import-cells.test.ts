import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { type Client, objectOf } from '../support/client.ts'
import { runJobs } from '../support/jobs.ts'
import type { TestOrganization } from '../support/organization.ts'
import { useApi } from './support/given.ts'
import { csv, errorsOf, expectStatus, type Imported, importFile, upload } from './support/imports.ts'
import { aRecord } from './support/requests.ts'
import { aWorkbook } from './support/workbooks.ts'

const given = useApi()

/** An organization whose contacts have a field `budget` for numbers, `met` for times and `vip` for yes or no. */
async function withFields(): Promise<TestOrganization> {
  const organization = await given.organization()
  await given.configure(
    organization,
    `insert into custom_field_definitions (organization_id, kind, key, label, type, options, required, position, created_at)
     values ($1, 'contact', 'budget', 'Budget', 'number', '[]', false, 0, now()),
            ($1, 'contact', 'met', 'Met', 'datetime', '[]', false, 1, now()),
            ($1, 'contact', 'vip', 'VIP', 'boolean', '[]', false, 2, now())`,
    [organization.id],
  )
  return organization
}

/** Imports contacts whose last names are their numbers, with these cells in a second column. */
function contacts(client: Client, field: string, cells: readonly string[], more: Partial<Imported> = {}) {
  const rows = cells.map((cell, row) => [`N${String(row).padStart(3, '0')}`, cell])
  return importFile(given.api, client, csv(['Name', 'Value'], ...rows), {
    mapping: { lastName: 'Name', [field]: 'Value' },
    ...more,
  })
}

/** What the contacts have, in the order of the rows. */
async function values(client: Client, value: (contact: JsonObject) => unknown): Promise<unknown[]> {
  const { items } = await client.get('/contacts?limit=100')
  return items
    .toSorted((one, other) => (String(one.lastName) < String(other.lastName) ? -1 : 1))
    .map(contact => value(contact) ?? null)
}
const birthDate = ({ contactData }: JsonObject) => objectOf(contactData).birthDate
const custom = (key: string) => (contact: JsonObject) => objectOf(contact.customFields)[key]
const reached = (list: string) => (contact: JsonObject) => {
  const items = objectOf(contact.contactData)[list]
  return Array.isArray(items) ? items.map(item => objectOf(item).value) : []
}

/** The columns and warnings of a preview. */
async function previewed(client: Client, content: string) {
  const { id } = expectStatus(await upload(client, content), 201)
  const { columns, warnings } = expectStatus(await client.post(`/imports/${id}/preview`, {}), 200)
  await client.post(`/imports/${id}/cancel`)
  const list = (given: unknown) => (Array.isArray(given) ? given.map(objectOf) : [])
  return { columns: list(columns), warnings: list(warnings).map(({ code, column }) => [code, column]) }
}

describe('the dates of a column', () => {
  it('are in the order that all its rows allow, also of those far behind the first', async () => {
    const { client } = await withFields()
    const cells = ['03/04/2024', ...Array.from({ length: 80 }, () => '05/06/2024'), '12/21/1987']
    const done = await contacts(client, 'birthDate', cells)
    expect(done.counters).toMatchObject({ created: 82 })
    const dates = await values(client, birthDate)
    expect([dates[0], dates[1], dates[81]]).toEqual(['2024-03-04', '2024-05-06', '1987-12-21'])
  })

  it('are errors while their order is open, and read once the start gives it', async () => {
    const { client } = await withFields()
    const cells = ['03/04/2024', '2024-01-31', '1 Mar 2024']
    const open = await contacts(client, 'birthDate', cells)
    expect(errorsOf(open)).toEqual([[2, 'birthDate', 'invalid_format']])
    expect(open.errors).toMatchObject([{ message: expect.stringContaining('set dateFormat'), value: '03/04/2024' }])
    const other = await withFields()
    const done = await contacts(other.client, 'birthDate', cells, { dateFormat: 'DMY' })
    expect(done.errors).toEqual([])
    expect(await values(other.client, birthDate)).toEqual(['2024-04-03', '2024-01-31', '2024-03-01'])
  })

  it('in another order than the start gives are errors', async () => {
    const { client } = await withFields()
    const done = await contacts(client, 'birthDate', ['03/04/2024', '12/21/1987'], { dateFormat: 'DMY' })
    expect(errorsOf(done)).toEqual([[3, 'birthDate', 'invalid_format']])
  })

  it('are read in words, as numbers of spreadsheets and with times', async () => {
    const { client } = await withFields()
    const cells = ['1. März 2024', 'Mar 1, 2024', '1.3.24', '45352', '1 марта 2024 г.', '01.03.2024 14:30']
    expect((await contacts(client, 'birthDate', cells)).errors).toEqual([])
    expect(await values(client, birthDate)).toEqual(cells.map(() => '2024-03-01'))
    const other = await withFields()
    expect((await contacts(other.client, 'custom.met', ['12/31/2024 2:30 PM', '01/02/2024 9:00'])).errors).toEqual([])
    expect(await values(other.client, custom('met'))).toEqual(['2024-12-31T14:30:00.000Z', '2024-01-02T09:00:00.000Z'])
  })

  it('are told by a preview with their order, or as doubtful', async () => {
    const { client } = await given.shared()
    const header = ['US', 'EU', 'Open', 'ISO', 'Text']
    const file = csv(
      header,
      ['03/04/2024', '3.4.24', '03/04/2024', '2024-04-03', '03/04/2024'],
      ['12/21/1987', '31.1.24', '05/06/24', '2024-01-31', 'x'],
    )
    const { columns, warnings } = await previewed(client, file)
    expect(columns.map(({ suggestedDateFormat }) => suggestedDateFormat)).toEqual(['MDY', 'DMY', null, 'YMD', null])
    expect(columns.map(({ detectedType }) => detectedType)).toEqual(['date', 'date', 'date', 'date', 'text'])
    expect(warnings).toEqual([['doubtful_dates', 2]])
  })

  it('of a file that an older server has previewed are each read alone', async () => {
    const organization = await withFields()
    const { client } = organization
    const { id } = expectStatus(
      await upload(client, csv(['Name', 'Born'], ['A', '03.04.2024'], ['B', '12/21/1987'])),
      201,
    )
    expectStatus(await client.post(`/imports/${id}/preview`, {}), 200)
    await given.configure(organization, `update imports set form = form - 'readings' where id = $1`, [id])
    const start = { mapping: { lastName: 'Name', birthDate: 'Born' }, dedupPolicy: 'create_only' }
    expectStatus(await client.post(`/imports/${id}/start`, start), 202)
    await runJobs(given.api)
    expect(await values(client, birthDate)).toEqual(['2024-04-03', '1987-12-21'])
  })

  it('do not decide how a default is read, which is refused if it is doubtful', async () => {
    const { client } = await given.organization()
    const { id } = expectStatus(await upload(client, csv(['Name', 'Born'], ['A', '12/21/1987'], ['B', ''])), 201)
    const start = (date: string) =>
      client.post(`/imports/${id}/start`, {
        mapping: { lastName: 'Name', birthDate: 'Born' },
        defaults: { birthDate: date },
        dedupPolicy: 'create_only',
      })
    const refused = await start('03/04/2024')
    expect([refused.status, refused.error?.details]).toMatchObject([
      422,
      { issues: [{ path: '/defaults/birthDate', rule: 'invalid_format' }] },
    ])
    expect((await start('13/04/2024')).status).toBe(202)
    await runJobs(given.api)
    expect(await values(client, birthDate)).toEqual(['1987-12-21', '2024-04-13'])
  })
})

describe('the numbers of a column', () => {
  it.each([
    [['1.234', '1.234,50 €'], {}, ['1234', '1234.5']],
    [['1.234', '$1,234.50', '(5.5)'], {}, ['1.234', '1234.5', '-5.5']],
    [['1.234', '1 234'], { decimalMark: ',' }, ['1234', '1234']],
    [['1.234', "1'234.5", '12 %'], { decimalMark: '.' }, ['1.234', '1234.5', '12']],
  ] as const)('%j are read by what all its rows allow, or as the start says %j', async (cells, more, numbers) => {
    const { client } = await withFields()
    const done = await contacts(client, 'custom.budget', cells, more)
    expect(done.errors).toEqual([])
    expect(await values(client, custom('budget'))).toEqual(numbers)
  })

  it('are errors between semicolons while their mark is open, and a preview tells of them', async () => {
    const { client } = await withFields()
    const table = 'Name;Value\nA;1.234\nB;12\n'
    const mapping = { lastName: 'Name', 'custom.budget': 'Value' }
    const done = await importFile(given.api, client, table, { mapping })
    expect(errorsOf(done)).toEqual([[2, 'custom.budget', 'invalid_format']])
    expect(done.errors).toMatchObject([{ message: expect.stringContaining('set decimalMark') }])
    expect((await previewed(client, table)).warnings).toEqual([['doubtful_numbers', 1]])
  })

  it('have a point between commas, and in defaults', async () => {
    const { client } = await withFields()
    const done = await contacts(client, 'custom.budget', ['1.234', ''], { defaults: { 'custom.budget': '5.678' } })
    expect(done.errors).toEqual([])
    expect(await values(client, custom('budget'))).toEqual(['1.234', '5.678'])
  })

  it('have a point in a workbook, whose numbers are in no doubt', async () => {
    const { client } = await withFields()
    const row = (number: number, name: string, value: string) =>
      `<row r="${number}"><c r="A${number}" t="inlineStr"><is><t>${name}</t></is></c>${value}</row>`
    const rows = [
      row(1, 'Name', '<c r="B1" t="inlineStr"><is><t>Budget</t></is></c>'),
      row(2, 'A', '<c r="B2"><v>1.234</v></c>'),
    ]
    const mapping = { lastName: 'Name', 'custom.budget': 'Budget' }
    const done = await importFile(given.api, client, aWorkbook({ rows }), { mapping })
    expect(done.errors).toEqual([])
    expect(await values(client, custom('budget'))).toEqual(['1.234'])
  })

  it('of employees are whole, and may be grouped', async () => {
    const { client } = await given.organization()
    const rows = [
      ['A', '1.234', '12.0'],
      ['B', '1.234.567', '12.5'],
    ]
    const file = csv(['Name', 'Grouped', 'Decimal'], ...rows)
    const companies = (column: string, prefix: string) =>
      importFile(given.api, client, file, {
        entityType: 'companies',
        mapping: { name: 'Name', employeesCount: column },
        defaults: { source: prefix },
      })
    expect(errorsOf(await companies('Grouped', 'one'))).toEqual([])
    expect(errorsOf(await companies('Decimal', 'two'))).toEqual([[3, 'employeesCount', 'invalid_format']])
    const { items } = await client.get('/companies?limit=10')
    expect(items.map(({ source, name, employeesCount }) => `${source} ${name} ${employeesCount}`).toSorted()).toEqual([
      'one A 1234',
      'one B 1234567',
      'two A 12',
    ])
  })
})

it('countries are known by their names in any language and by their codes', async () => {
  const { client } = await given.organization()
  const cells = ['Czech Republic', 'U.S.A.', 'DEU', 'Japón', '日本', "Cote d'Ivoire", 'England', 'Congo']
  const done = await contacts(client, 'address.country', cells)
  expect(errorsOf(done)).toEqual([[9, 'address.country', 'invalid_format']])
  const countries = await values(client, ({ contactData }) => {
    const { addresses } = objectOf(contactData)
    return Array.isArray(addresses) ? objectOf(addresses[0]).country : null
  })
  expect(countries).toEqual(['CZ', 'US', 'DE', 'JP', 'JP', 'CI', 'GB'])
})

it('web addresses get a scheme', async () => {
  const { client } = await given.organization()
  const done = await importFile(given.api, client, csv(['Name', 'Web'], ['A', 'example.com/about'], ['B', 'none']), {
    entityType: 'companies',
    mapping: { name: 'Name', website1: 'Web' },
  })
  expect(errorsOf(done)).toEqual([[3, 'website1', 'invalid_format']])
  expect((await client.get('/companies')).items).toMatchObject([{ websites: ['https://example.com/about'] }])
})

describe('several values in a cell', () => {
  it('go to the mapped place and behind the others of the record, each once', async () => {
    const { client } = await given.organization()
    const file = csv(
      ['Name', 'Mail', 'Mail 2', 'Phone'],
      ['A', 'Ann <a@b.com>; c@d.com, a@b.com', 'e@f.com', '+1 202 555 0143; +1 202 555 0144'],
      ['B', '["g@h.com","i@j.com"]', '', '030/1234567'],
      ['C', 'mailto:k@l.com', '', '(202) 555-0145 x12, (202) 555-0146'],
      ['D', 'm@n.com; nobody', '', ''],
    )
    const mapping = { lastName: 'Name', email1: 'Mail', email2: 'Mail 2', phone1: 'Phone' }
    const done = await importFile(given.api, client, file, { mapping })
    expect(errorsOf(done)).toEqual([[5, 'email1', 'invalid_format']])
    expect(await values(client, reached('emails'))).toEqual([
      ['a@b.com', 'e@f.com', 'c@d.com'],
      ['g@h.com', 'i@j.com'],
      ['k@l.com'],
    ])
    expect(await values(client, reached('phones'))).toEqual([
      ['+1 202 555 0143', '+1 202 555 0144'],
      ['030/1234567'],
      ['(202) 555-0145 x12', '(202) 555-0146'],
    ])
    const again = await importFile(given.api, client, file, { mapping, dedupPolicy: byMail })
    expect(again.counters).toMatchObject({ unchanged: 3, failed: 1 })
  })

  const byMail = { strategy: 'create_or_update', matchBy: ['email', 'phone'], onConflict: 'overwrite' }

  it('all find the record', async () => {
    const organization = await given.organization()
    const { client } = organization
    const emails = [{ value: 'c@d.com' }]
    const phones = [{ value: '+12025550144' }]
    const one = await aRecord('contact', organization, { externalId: null, contactData: { emails } })
    const two = await aRecord('contact', organization, { externalId: null, contactData: { phones } })
    const file = csv(
      ['Title', 'Mail', 'Phone'],
      ['First', 'a@b.com; c@d.com', ''],
      ['Second', '', '+1 202 555 0143, +1 202 555 0144'],
      ['Third', 'a@b.com, e@f.com', ''],
    )
    const mapping = { jobTitle: 'Title', email1: 'Mail', phone1: 'Phone' }
    const done = await importFile(given.api, client, file, { mapping, dedupPolicy: byMail })
    expect([done.errors, done.counters]).toMatchObject([[], { updated: 3, created: 0 }])
    const titles = await Promise.all(
      [one, two].map(async ({ id }) => (await client.get(`/contacts/${id}`)).data.jobTitle),
    )
    expect(titles).toEqual(['Third', 'Second'])
  })

  it('are refused where a record cannot have as many', async () => {
    const { client } = await given.organization()
    const mails = (count: number) => Array.from({ length: count }, (_, at) => `a${at}@b.com`).join(';')
    const done = await contacts(client, 'email1', [mails(20), mails(21), mails(2000)])
    expect(errorsOf(done)).toEqual([
      [3, 'email1', 'too_long'],
      [4, 'email1', 'too_long'],
    ])
    // So is a cell with more, even if the record would have no more because the first of them has no place.
    const known = csv(['Key', 'Mail'], ['j', 'a1@b.com'])
    await importFile(given.api, client, known, { mapping: { externalId: 'Key', email1: 'Mail' } })
    const longer = csv(['Key', 'Mail'], ['j', mails(25)])
    const filled = await importFile(given.api, client, longer, { mapping: { externalId: 'Key', email1: 'Mail' } })
    expect(errorsOf(filled)).toEqual([[2, 'email1', 'too_long']])
    // A further address behind the twenty that the record has is one too many.
    const file = csv(['Key', 'Mail'], ['k', mails(20)])
    const mapping = { externalId: 'Key', email1: 'Mail' }
    await importFile(given.api, client, file, { mapping })
    const more = await importFile(given.api, client, csv(['Key', 'Mail'], ['k', 'a0@b.com;z@b.com']), { mapping })
    expect(errorsOf(more)).toEqual([[2, 'email1', 'too_long']])
  })
})

it('yes and no are read in the languages of people', async () => {
  const { client } = await withFields()
  const done = await contacts(client, 'custom.vip', ['Ja', 'нет', 'oui', 'N', 'x', '', 'vielleicht'])
  expect(errorsOf(done)).toEqual([[8, 'custom.vip', 'invalid_format']])
  expect(await values(client, custom('vip'))).toEqual([true, false, true, false, true, null])
})

it('NULL and \\N are blank cells, of which a preview tells, and persons named Null stay', async () => {
  const { client } = await given.organization()
  const file = csv(
    ['First', 'Last', 'Mail'],
    ['Ann', 'NULL', '\\N'],
    ['NULL', 'Null', 'a@b.com'],
    ['null', 'X', ' NULL '],
  )
  const { columns, warnings } = await previewed(client, file)
  expect(warnings).toEqual([0, 1, 2].map(column => ['null_words', column]))
  expect(columns.map(({ detectedType, samples }) => [detectedType, samples])).toEqual([
    ['text', ['Ann', 'null']],
    ['text', ['Null', 'X']],
    ['email', ['a@b.com']],
  ])
  const mapping = { firstName: 'First', lastName: 'Last', email1: 'Mail' }
  const done = await importFile(given.api, client, file, { mapping, defaults: { lastName: 'Unknown' } })
  expect(done.errors).toEqual([])
  const { items } = await client.get('/contacts')
  expect(items.map(({ firstName, lastName }) => `${firstName} ${lastName}`).toSorted()).toEqual([
    'Ann Unknown',
    'null Null',
    'null X',
  ])
})
