import { describe, expect, it } from 'vitest'
import { objectOf } from '../support/client.ts'
import { addressBooks } from './support/address-books.ts'
import { crmProducts } from './support/crm-products.ts'
import { useApi } from './support/given.ts'
import { csv, expectStatus, upload } from './support/imports.ts'
import type { KnownFile } from './support/known-files.ts'

const given = useApi()

/** The columns that a preview suggests, by their fields. */
async function suggested({ entityType = 'contacts', header, cells = {} }: KnownFile): Promise<Record<string, string>> {
  const { client } = await given.shared()
  const file = csv(
    header,
    header.map(name => cells[name] ?? ''),
  )
  const { id } = expectStatus(await upload(client, file, { entityType }), 201)
  const { columns } = expectStatus(await client.post(`/imports/${id}/preview`, {}), 200)
  await client.post(`/imports/${id}/cancel`)
  const told = Array.isArray(columns) ? columns.map(objectOf) : []
  return Object.fromEntries(
    told.flatMap(({ suggestedField, name }) => (suggestedField === null ? [] : [[suggestedField, name]])),
  )
}

describe('a preview maps the columns in a file of', () => {
  it.each([...addressBooks, ...crmProducts].map(file => [file.product, file] as const))('%s', async (_name, file) => {
    expect(await suggested(file)).toEqual(file.mapping)
  })
})

describe('a preview', () => {
  it('knows the keys that exports write, whatever their case', async () => {
    const header = ['uuid', 'externalId', 'phone2', 'ADDRESS.CITY', 'ownerUuid']
    expect(await suggested({ product: 'exports', header, mapping: {} })).toEqual({
      uuid: 'uuid',
      externalId: 'externalId',
      phone2: 'phone2',
      'address.city': 'ADDRESS.CITY',
      ownerUuid: 'ownerUuid',
    })
  })

  it('suggests no field twice, and none that rows could not be taken with', async () => {
    const header = ['E-Mail', 'Email', 'Mail address', 'Email 2', 'Email 3', 'Labels', 'Owner']
    const cells = { Labels: 'Unknown', Owner: 'Olga', Email: 'x@example.com' }
    expect(await suggested({ product: 'twice', header, cells, mapping: {} })).toEqual({
      email1: 'Email',
      email2: 'E-Mail',
      email3: 'Email 2',
    })
  })
})
