import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import type { Client } from '../support/client.ts'
import { download } from './support/files.ts'
import { useApi } from './support/given.ts'
import { csv, type Imported, importFile } from './support/imports.ts'
import { aRecord } from './support/requests.ts'

const given = useApi()

/** What an import tells that does not depend on when it ran. */
const told = ({ status, counters, errors }: JsonObject) => ({ status, counters, errors })

/** Imports a table twice, first without effect, and expects both to tell the same. */
async function rehearsed(client: Client, content: string | Uint8Array, imported: Imported): Promise<JsonObject> {
  const dry = await importFile(given.api, client, content, { ...imported, dryRun: true })
  const done = await importFile(given.api, client, content, imported)
  expect(told(dry)).toEqual(told(done))
  return done
}

/** Row, field, code and outcome of the errors of an import. */
const listed = (done: JsonObject) =>
  Array.isArray(done.errors) ? done.errors.map(({ row, field, code, outcome }) => [row, field, code, outcome]) : []

const leftOut = 'left_out'
const created = async (client: Client, path = '/contacts') => (await client.get(path)).items.toReversed()

describe('a cell that is not a value of its field', () => {
  const mapping = {
    externalId: 'key',
    firstName: 'first',
    lastName: 'last',
    email1: 'mail',
    phone1: 'phone',
    birthDate: 'born',
    ownerEmail: 'owner',
    ownerUuid: 'owner id',
    'address.country': 'country',
    'address.city': 'city',
  }
  const table = (...rows: readonly JsonObject[]) =>
    csv(Object.keys(mapping), ...rows.map(row => Object.keys(mapping).map(key => row[key] ?? '')))
  const columns = Object.fromEntries(Object.keys(mapping).map(key => [key, key]))
  const contacts = (client: Client, rows: readonly JsonObject[], more: Partial<Imported> = {}) =>
    rehearsed(client, table(...rows), { mapping: columns, onInvalidCell: 'leave_out', ...more })

  const anna = { externalId: '1', firstName: 'Anna' }

  it('refuses its row, unless the start says otherwise', async () => {
    const { client } = await given.organization()
    const done = await contacts(client, [{ ...anna, birthDate: 'soon' }], { onInvalidCell: undefined })
    expect([done.onInvalidCell, listed(done)]).toEqual(['refuse_row', [[2, 'birthDate', 'invalid_format', 'failed']]])
    expect(await created(client)).toEqual([])
  })

  it('is left out and listed, and the rest of its row is applied', async () => {
    const { client } = await given.organization()
    const unknown = '0197e2a4-0000-7000-8000-00000000beef'
    const done = await contacts(client, [
      { ...anna, email1: 'no address', phone1: '7.9E+10', birthDate: '31.02.2020' },
      { ...anna, externalId: '2', ownerEmail: 'nobody@example.com' },
      { ...anna, externalId: '3', ownerUuid: 'Olga', 'address.country': 'Atlantis', 'address.city': 'Berlin' },
      { ...anna, externalId: '4', ownerUuid: unknown, lastName: 'x'.repeat(500) },
      { ...anna, externalId: '5' },
    ])
    expect(done).toMatchObject({ status: 'completed_with_errors', counters: { created: 5, failed: 0 } })
    expect(listed(done)).toEqual([
      [2, 'phone1', 'invalid_format', leftOut],
      [2, 'email1', 'invalid_format', leftOut],
      [2, 'birthDate', 'invalid_format', leftOut],
      [3, 'ownerEmail', 'reference_not_found', leftOut],
      [4, 'ownerUuid', 'invalid_format', leftOut],
      [4, 'address.country', 'invalid_format', leftOut],
      [5, 'lastName', 'too_long', leftOut],
      [5, 'ownerUuid', 'invalid_option', leftOut],
    ])
    expect(done.errors).toMatchObject([
      { column: 'phone1', value: '7.9E+10', message: expect.any(String) },
      ...Array.from({ length: 7 }, () => ({})),
    ])
    const made = await created(client)
    expect(made.map(({ firstName, lastName, ownerUuid }) => [firstName, lastName, ownerUuid])).toEqual(
      made.map(() => ['Anna', null, null]),
    )
    expect(made[0]?.contactData).toMatchObject({ phones: [], emails: [] })
    expect(made[2]?.contactData).toMatchObject({ addresses: [{ city: 'Berlin' }] })
    const lines = (await download(done.errorsFileUrl)).bytes.toString().trimEnd().split('\r\n')
    expect([lines[0], lines[1]?.endsWith(',left_out'), lines.length]).toEqual([
      'row,column,field,code,message,outcome',
      true,
      9,
    ])
  })

  it('changes nothing of a record, and does not make its row one that changed it', async () => {
    const organization = await given.organization()
    const { client } = organization
    const phones = [{ value: '+1 202 555 0143' }]
    await aRecord('contact', organization, { externalId: '1', firstName: 'Anna', contactData: { phones } })
    const done = await contacts(client, [{ ...anna, phone1: '7.9E+10' }], {
      dedupPolicy: { strategy: 'create_or_update', onConflict: 'overwrite' },
    })
    expect([done.counters, listed(done)]).toEqual([
      expect.objectContaining({ unchanged: 1 }),
      [[2, 'phone1', 'invalid_format', leftOut]],
    ])
    expect((await created(client))[0]?.contactData).toMatchObject({ phones })
  })

  it('is not listed for a row that the policy passes over', async () => {
    const { client } = await given.organization()
    await client.post('/contacts', { ...anna })
    const done = await contacts(client, [{ ...anna, birthDate: 'soon' }], { dedupPolicy: 'skip_existing' })
    expect([done.status, done.counters, listed(done)]).toEqual([
      'completed',
      expect.objectContaining({ skipped: 1 }),
      [],
    ])
  })

  it.each<[string, JsonObject, readonly string[], readonly string[]]>([
    ['the key', { ...anna, externalId: 'k\u0007' }, ['externalId'], ['externalId', 'invalid_format']],
    ['the address that finds the record', { ...anna, email1: 'x' }, ['email'], ['email1', 'invalid_format']],
    ['the number that finds it', { ...anna, phone1: '7.9E+10' }, ['phone'], ['phone1', 'invalid_format']],
    ['a name that finds it', { ...anna, lastName: 'x'.repeat(500) }, ['name'], ['lastName', 'too_long']],
  ])('refuses its row if it is %s', async (_, row, matchBy, [field, code]) => {
    const { client } = await given.organization()
    const done = await contacts(client, [row], { dedupPolicy: { strategy: 'create_or_update', matchBy } })
    expect(listed(done)).toEqual([[2, field, code, 'failed']])
    expect(await created(client)).toEqual([])
  })

  it('is listed as a reason if nothing is left that a record needs', async () => {
    const { client } = await given.organization()
    const done = await contacts(client, [{ externalId: '1', email1: 'x' }])
    expect([done.counters, listed(done)]).toEqual([
      expect.objectContaining({ failed: 1 }),
      [
        [2, 'email1', 'invalid_format', 'failed'],
        [2, 'lastName', 'required', 'failed'],
      ],
    ])
    const company = await rehearsed(client, csv(['name', 'staff'], ['x'.repeat(301), '5'], ['Nordwind', 'many']), {
      entityType: 'companies',
      mapping: { name: 0, employeesCount: 1 },
      onInvalidCell: 'leave_out',
    })
    expect(listed(company)).toEqual([
      [2, 'name', 'too_long', 'failed'],
      [3, 'employeesCount', 'invalid_format', leftOut],
    ])
  })

  it('is listed beside the reason for which its row is refused', async () => {
    const organization = await given.organization()
    for (const name of ['1', '2'])
      await aRecord('contact', organization, { firstName: 'Anna', lastName: 'Twin', externalId: null, jobTitle: name })
    const done = await contacts(organization.client, [{ firstName: 'Anna', lastName: 'Twin', birthDate: 'soon' }], {
      dedupPolicy: { strategy: 'create_or_update', matchBy: ['externalId', 'name'] },
    })
    // The date is read by the rules for a request, and this row never becomes one.
    expect(listed(done)).toEqual([[2, 'name', 'ambiguous_match', 'failed']])
    const unread = await contacts(
      organization.client,
      [{ firstName: 'Anna', lastName: 'Twin', ownerEmail: 'nobody@example.com' }],
      { dedupPolicy: { strategy: 'create_or_update', matchBy: ['externalId', 'name'] } },
    )
    expect(listed(unread)).toEqual([
      [2, 'ownerEmail', 'reference_not_found', 'failed'],
      [2, 'name', 'ambiguous_match', 'failed'],
    ])
  })
})

describe('a cell of a custom field', () => {
  it('is left out by the rules for its type, unless the field is required', async () => {
    const organization = await given.organization()
    const { client } = organization
    const options = JSON.stringify([{ key: 'gold', label: 'Gold', position: 0, archived: false }])
    await given.configure(
      organization,
      `insert into custom_field_definitions (organization_id, kind, key, label, type, options, required, position, created_at)
       values ($1, 'contact', 'level', 'Level', 'select', $2, false, 0, now()),
              ($1, 'contact', 'since', 'Since', 'date', '[]', true, 1, now()),
              ($1, 'contact', 'size', 'Size', 'number', '[]', false, 2, now())`,
      [organization.id, options],
    )
    const rows = csv(
      ['n', 'level', 'since', 'size'],
      ['A', 'Tin', '2020-01-31', 'large'],
      ['B', 'Gold', 'soon', '12.5'],
      ['C', '', '', ''],
    )
    const done = await rehearsed(client, rows, {
      mapping: { firstName: 0, 'custom.level': 1, 'custom.since': 2, 'custom.size': 3 },
      onInvalidCell: 'leave_out',
    })
    expect(listed(done)).toEqual([
      [2, 'custom.level', 'invalid_option', leftOut],
      [2, 'custom.size', 'invalid_format', leftOut],
      [3, 'custom.since', 'invalid_format', 'failed'],
      [4, 'custom.since', 'required', 'failed'],
    ])
    expect(await created(client)).toMatchObject([{ firstName: 'A', customFields: { since: '2020-01-31' } }])
  })
})

describe('rows with much that is wrong', () => {
  it('are refused if more than twenty cells would be left out, because no more are listed', async () => {
    const organization = await given.organization()
    const { client } = organization
    const count = 21
    await given.configure(
      organization,
      `insert into custom_field_definitions (organization_id, kind, key, label, type, required, position, created_at)
       select $1, 'contact', 'n' || n, 'N' || n, 'number', false, n, now() from generate_series(1, ${count}) n`,
      [organization.id],
    )
    const keys = Array.from({ length: count }, (_, index) => `n${index + 1}`)
    const rows = csv(
      ['name', ...keys],
      ['A', ...keys.map(() => 'many')],
      ['B', ...keys.map((_, at) => (at === 0 ? '1' : 'many'))],
    )
    const mapping = Object.fromEntries([['firstName', 'name'], ...keys.map(key => [`custom.${key}`, key])])
    const done = await rehearsed(client, rows, { mapping, onInvalidCell: 'leave_out' })
    expect(done.counters).toMatchObject({ created: 1, failed: 1 })
    expect(listed(done).map(([row, , , outcome]) => `${row} ${outcome}`)).toEqual([
      ...Array(20).fill('2 failed'),
      ...Array(20).fill('3 left_out'),
    ])
  })

  it('stay errors if another record has the key', async () => {
    const { client } = await given.organization()
    await client.post('/contacts', { externalId: 'a', firstName: 'Anna' })
    const done = await rehearsed(client, csv(['k', 'm'], ['a', 'new@example.com']), {
      mapping: { externalId: 0, email1: 1 },
      dedupPolicy: { strategy: 'create_or_update', matchBy: ['email'] },
      onInvalidCell: 'leave_out',
    })
    expect(listed(done)).toEqual([[2, 'externalId', 'already_exists', 'failed']])
  })
})

describe('a cell that cannot be read', () => {
  const readMapping = { firstName: 'name', jobTitle: 'source', source: 'source' }

  it('is left out of all fields that its column is mapped to', async () => {
    const { client } = await given.organization()
    const content = csv(['name', 'source'], ['A', 'x'.repeat(33_000)], ['B', 'Fair'])
    const done = await rehearsed(client, content, { mapping: readMapping, onInvalidCell: 'leave_out' })
    expect(listed(done)).toEqual([
      [2, 'jobTitle', 'too_long', leftOut],
      [2, 'source', 'too_long', leftOut],
    ])
    expect((await created(client)).map(({ firstName, source, jobTitle }) => [firstName, source, jobTitle])).toEqual([
      ['A', null, null],
      ['B', 'Fair', 'Fair'],
    ])
  })

  it('refuses its row if it is the key, and a row that cannot be read is refused whole', async () => {
    const { client } = await given.organization()
    const content = `${csv(['key', 'name'], ['x'.repeat(33_000), 'A'])}1,2,3\r\n`
    const done = await rehearsed(client, content, {
      mapping: { externalId: 'key', firstName: 'name' },
      onInvalidCell: 'leave_out',
    })
    expect(listed(done)).toEqual([
      [2, 'externalId', 'too_long', 'failed'],
      [3, null, 'column_count', 'failed'],
    ])
  })
})

describe('a cell of a link', () => {
  it('is left out if it is not a side of the link', async () => {
    const organization = await given.organization()
    await aRecord('company', organization, { externalId: 'c' })
    for (const externalId of ['p', 'q', 'r']) await aRecord('contact', organization, { externalId })
    const content = csv(
      ['c', 'p', 'role', 'primary', 'uuid'],
      ['c', 'p', 'x'.repeat(101), '', ''],
      ['c', 'q', 'Buyer', 'perhaps', ''],
      ['c', '', '', 'perhaps', 'r'],
    )
    const imported = {
      entityType: 'company_contacts',
      mapping: { companyExternalId: 0, contactExternalId: 1, role: 2, isPrimary: 3, contactUuid: 4 },
      onInvalidCell: 'leave_out',
    }
    const done = await rehearsed(organization.client, content, imported)
    expect([done.counters, listed(done)]).toEqual([
      expect.objectContaining({ created: 2, failed: 1 }),
      [
        [2, 'role', 'too_long', leftOut],
        [3, 'isPrimary', 'invalid_format', leftOut],
        [4, 'isPrimary', 'invalid_format', 'failed'],
        [4, 'contactUuid', 'invalid_format', 'failed'],
      ],
    ])
    const again = await rehearsed(organization.client, content, { ...imported, dedupPolicy: 'skip_existing' })
    expect([again.counters, listed(again).map(([row]) => row)]).toEqual([
      expect.objectContaining({ skipped: 2, failed: 1 }),
      [4, 4],
    ])
  })
})
