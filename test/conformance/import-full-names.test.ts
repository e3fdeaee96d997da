import { describe, expect, it } from 'vitest'
import { objectOf } from '../support/client.ts'
import { useApi } from './support/given.ts'
import { csv, errorsOf, expectStatus, importFile, upload } from './support/imports.ts'

const given = useApi()

type Row = readonly string[]

/** The names of the contacts that a file makes, by their keys, and the errors of its rows. */
async function imported(header: Row, rows: readonly Row[], fields: Readonly<Record<string, string>>) {
  const { client } = await given.organization()
  const mapping = { externalId: 'Key', ...fields }
  const done = await importFile(given.api, client, csv(header, ...rows), { mapping })
  const { items } = await client.get('/contacts')
  const names = items.map(({ externalId, firstName, middleName, lastName }) => [
    externalId,
    [firstName, middleName, lastName].map(name => name ?? '').join('|'),
  ])
  return { names: Object.fromEntries(names), errors: errorsOf(done), client }
}

describe('a column of full names', () => {
  it('becomes first, middle and last names', async () => {
    const rows = [
      ['a', 'Dr. Anna Petrova'],
      ['b', 'van der Berg, Jan'],
      ['c', 'Иванов Иван Петрович'],
      ['d', 'Madonna'],
    ]
    const { names, errors } = await imported(['Key', 'Name'], rows, { fullName: 'Name' })
    expect([names, errors]).toEqual([
      { a: 'Anna||Petrova', b: 'Jan||van der Berg', c: 'Иван|Петрович|Иванов', d: '||Madonna' },
      [],
    ])
  })

  it('has the last name first where its header says so', async () => {
    const { names } = await imported(['Key', 'ФИО'], [['a', 'Петров Иван']], { fullName: 'ФИО' })
    expect(names).toEqual({ a: 'Иван||Петров' })
  })

  it('is not used in a row that has a name in a column of its own', async () => {
    const rows = [
      ['a', 'Anna Petrova', 'Olga', ''],
      ['b', 'Anna Petrova', '', ''],
    ]
    const fields = { fullName: 'Name', firstName: 'First', lastName: 'Last' }
    const { names } = await imported(['Key', 'Name', 'First', 'Last'], rows, fields)
    expect(names).toEqual({ a: 'Olga||', b: 'Anna||Petrova' })
  })

  it('is named in the error of a part that is too long', async () => {
    const { errors } = await imported(['Key', 'Name'], [['a', `Anna ${'x'.repeat(101)}`]], { fullName: 'Name' })
    expect(errors).toEqual([[2, 'fullName', 'too_long']])
  })

  it('finds contacts by their names, and is enough for a mapping', async () => {
    const { client } = await given.organization()
    await client.post('/contacts', { firstName: 'Anna', lastName: 'Petrova' })
    const dedupPolicy = { strategy: 'update_only', matchBy: ['name'] }
    const file = csv(['Name', 'Job'], ['Petrova, Anna', 'Buyer'])
    await importFile(given.api, client, file, { mapping: { fullName: 'Name', jobTitle: 'Job' }, dedupPolicy })
    expect((await client.get('/contacts')).items.map(({ jobTitle }) => jobTitle)).toEqual(['Buyer'])
    const { id } = expectStatus(await upload(client, csv(['Name'], ['Olga'])), 201)
    expectStatus(
      await client.post(`/imports/${id}/start`, { mapping: { fullName: 'Name' }, dedupPolicy: 'create_only' }),
      202,
    )
  })

  it('is suggested, and the preview says that it is split', async () => {
    const { client } = await given.shared()
    const { id } = expectStatus(await upload(client, csv(['Full Name'], ['Anna Petrova'])), 201)
    const { columns, fields } = expectStatus(await client.post(`/imports/${id}/preview`, {}), 200)
    expect(columns).toMatchObject([{ suggestedField: 'fullName' }])
    const field = Array.isArray(fields) ? fields.map(objectOf).find(({ key }) => key === 'fullName') : undefined
    expect(field).toMatchObject({ label: 'Full name (split into first and last name)', required: false, guard: null })
  })
})
