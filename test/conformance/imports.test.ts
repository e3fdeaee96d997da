import { describe, expect, it } from 'vitest'
import { useApi } from './support/given.ts'
import { csv, errorsOf, importFile } from './support/imports.ts'

const given = useApi()

describe('an import of contacts', () => {
  it('makes a record of each row', async () => {
    const { client } = await given.organization()
    const file = csv(
      ['Vorname', 'Nachname', 'Mail', 'Telefon', 'Key'],
      ['Anna', 'Petrova', 'anna@example.com', '0202 555 0143', 'k1'],
      ['Igor', 'Orlov', 'igor@example.com', '+7 912 345-67-89', 'k2'],
    )
    const mapping = { firstName: 'Vorname', lastName: 'Nachname', email1: 'Mail', phone1: 3, externalId: 'Key' }
    const done = await importFile(given.api, client, file, { mapping })
    expect(done).toMatchObject({
      status: 'completed',
      rowCount: 2,
      counters: { total: 2, created: 2, updated: 0, unchanged: 0, skipped: 0, failed: 0, pending: 0 },
      errors: [],
    })
    const { items } = await client.get('/contacts?externalId=k2')
    expect(items[0]).toMatchObject({
      firstName: 'Igor',
      lastName: 'Orlov',
      contactData: { emails: [{ value: 'igor@example.com' }], phones: [{ value: '+7 912 345-67-89' }] },
    })
    expect(errorsOf(done)).toEqual([])
  })
})
