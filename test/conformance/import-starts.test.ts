import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { objectOf } from '../support/client.ts'
import { useApi } from './support/given.ts'
import { expectStatus, importFile, upload } from './support/imports.ts'
import { issuePaths, outcome } from './support/requests.ts'

const given = useApi()

/** The objects in a list. */
const objectsIn = (value: unknown) => (Array.isArray(value) ? value.map(objectOf) : [])

describe('before the start', () => {
  it('a preview tells the columns, what they seem to be for, and the fields of the token', async () => {
    const organization = await given.organization()
    const { client } = organization
    const file = 'Vorname;Nachname;E-Mail-Adresse;Mobiltelefon;PLZ\nAnna;Müller;anna@example.com;+49 30 1234567;01067\n'
    const { id } = expectStatus(await upload(client, Buffer.from(file, 'latin1')), 201)
    const { data } = await client.post(`/imports/${id}/preview`, { sampleSize: 1 })
    expect(data).toMatchObject({ rowCount: 1, encoding: 'windows-1252', delimiter: ';', sheets: [], warnings: [] })
    const told = objectsIn(data.columns).map(({ samples, suggestedField }) => [...[samples].flat(), suggestedField])
    expect(told).toEqual([
      ['Anna', 'firstName'],
      ['Müller', 'lastName'],
      ['anna@example.com', 'email1'],
      ['+49 30 1234567', 'phone1'],
      ['01067', 'address.postalCode'],
    ])
    const keys = objectsIn(data.fields).map(({ key }) => key)
    expect(keys).toContain('phone2')
    const poor = await organization.token(['crm_import_manage'])
    const less = (await poor.post(`/imports/${id}/preview`, {})).data
    expect(objectsIn(less.fields).map(({ key }) => key)).not.toContain('phone2')
    expect(objectsIn(less.columns)[2]?.suggestedField).toBeNull()
    expect((await client.get(`/imports/${id}`)).data.status).toBe('ready')
  })

  it.each<[string, string | Buffer, number]>([
    ['a picture', Buffer.from('89504e470d0a1a0a', 'hex'), 422],
    ['nothing', '', 422],
    ['a table', 'a\n1\n', 201],
  ])('%s is taken by its content alone', async (_name, content, status) => {
    const { client } = await given.organization()
    expect((await upload(client, content, { fileName: 'x.xlsx' })).status).toBe(status)
  })

  it('a type is known, and that of other products is refused', async () => {
    const { client } = await given.organization()
    const uploaded = async (entityType: string) => outcome(await upload(client, 'a\n1\n', { entityType }))
    expect(await uploaded('deals')).toBe('400 validation_error')
    expect(await uploaded('provider_bundle')).toBe('422 validation_error')
  })

  it('a file is not too large', async () => {
    const { client } = await given.organization()
    const { status, details } = await upload(client, Buffer.alloc(25 * 1024 * 1024 + 1, 'a'))
    expect([status, details.limitBytes]).toEqual([413, 26_214_400])
  })

  it('a mapping is checked: fields and what is missing are 400, columns are 422', async () => {
    const organization = await given.organization()
    const { client } = organization
    const { id } = expectStatus(await upload(client, 'First,Last,Last\nAnna,P,Q\n'), 201)
    const start = async (mapping: JsonObject, more: JsonObject = {}, asked = client) => {
      const answer = await asked.post(`/imports/${id}/start`, { mapping, dedupPolicy: 'create_only', ...more })
      return [outcome(answer), ...issuePaths(answer)]
    }
    expect(await start({ firstName: 0, colour: 1 })).toEqual(['400 validation_error', '/mapping/colour'])
    expect(await start({ jobTitle: 0 })).toEqual(['400 validation_error', '/mapping'])
    expect(await start({ firstName: 'Nope', lastName: 9 })).toEqual([
      '422 validation_error',
      '/mapping/firstName',
      '/mapping/lastName',
    ])
    expect(await start({ lastName: 'Last' })).toEqual(['422 validation_error', '/mapping/lastName'])
    expect(await start({ firstName: 0 }, { dedupPolicy: { strategy: 'create_only', matchBy: ['taxId'] } })).toEqual([
      '400 validation_error',
      '/dedupPolicy/matchBy',
    ])
    const poor = await organization.token(['crm_import_manage'])
    expect(await start({ firstName: 0, phone1: 1 }, {}, poor)).toEqual(['403 insufficient_scope'])
    expect(await start({ firstName: 'First' })).toEqual(['202'])
    expect(await start({ firstName: 'First' })).toEqual(['422 validation_error', ''])
    expect(outcome(await client.post(`/imports/${id}/preview`, {}))).toBe('422 validation_error')
  })

  it('an import is canceled, once or twice, unless it is over', async () => {
    const { client } = await given.organization()
    const { id } = expectStatus(await upload(client, 'First\nAnna\n'), 201)
    expect((await client.post(`/imports/${id}/cancel`)).data.status).toBe('canceled')
    expect((await client.post(`/imports/${id}/cancel`)).data.status).toBe('canceled')
    const done = await importFile(given.api, client, 'First\nAnna\n', { mapping: { firstName: 0 } })
    expect(outcome(await client.post(`/imports/${done.id}/cancel`))).toBe('422 validation_error')
  })
})
