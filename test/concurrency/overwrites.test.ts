import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { startApi, type TestApi } from '../support/api.ts'
import { aCompany, aContact, aDeal } from '../support/builders.ts'
import { type Answer, type Client, objectOf } from '../support/client.ts'
import { anOrganization } from '../support/organization.ts'

describe('upserts that overwrite at the same time', () => {
  let api: TestApi
  let client: Client
  let companies: string[]
  beforeAll(async () => {
    api = await startApi()
    client = (await anOrganization(api)).client
    const made = await Promise.all(Array.from({ length: 5 }, () => client.post('/companies', aCompany())))
    companies = made.map(({ data }) => String(data.id))
  })
  afterAll(() => api.close())

  const count = 40
  const overwrite = (path: string, body: JsonObject) => client.post(`${path}?overwrite=true`, body)

  /** The answer with the highest version: the record as the last one left it. */
  const lastOf = (answers: readonly JsonObject[]) =>
    answers.toSorted((one, other) => Number(other.version) - Number(one.version))[0]

  it('all change one record, one after the other, and its links are those of the last one', async () => {
    const body = aDeal({ companies: [{ id: companies[0] }] })
    const { data: deal } = await client.post('/deals', body)
    const linked = (index: number) => [0, 1].map(next => ({ id: companies[(index + next) % companies.length] }))
    const answers = await Promise.all(
      Array.from({ length: count }, (_, index) =>
        overwrite('/deals/upsert', { ...body, title: `Chairs ${index}`, companies: linked(index) }),
      ),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    const versions = answers.map(({ data }) => Number(data.version)).toSorted((one, other) => one - other)
    expect(versions).toEqual(Array.from({ length: count }, (_, index) => index + 2))
    const { data: stored } = await client.get(`/deals/${deal.id}`)
    expect(stored).toEqual(lastOf(answers.map(({ data }) => data)))
    const index = Number(String(stored.title).split(' ')[1])
    expect(stored.companyIds).toEqual(linked(index).map(({ id }) => id))
  })

  it('create one record where there is none, and the others change it', async () => {
    const { externalId } = aContact()
    const answers = await Promise.all(
      Array.from({ length: count }, (_, index) =>
        overwrite('/contacts/upsert', aContact({ externalId, jobTitle: `Title ${index}` })),
      ),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(count - 1)
    const { items } = await client.get(`/contacts?externalId=${externalId}`)
    expect(items).toEqual([lastOf(answers.map(({ data }) => data))])
    expect(items[0]?.version).toBe(count)
  })

  it('neither deadlock nor lose an element in batches that name the same keys in opposite orders', async () => {
    const keys = Array.from({ length: 20 }, () => aContact().externalId)
    const batch = (index: number) =>
      keys.map(externalId => aContact({ externalId, jobTitle: `Title ${index}` }))[index % 2 ? 'toReversed' : 'slice']()
    const answers: Answer[] = await Promise.all(
      Array.from({ length: 10 }, (_, index) => overwrite('/contacts/batch/upsert', { items: batch(index) })),
    )
    const elements = answers.flatMap(({ items }) => items)
    expect(elements.filter(({ status }) => status === 201)).toHaveLength(20)
    expect(elements.filter(({ status }) => status === 200)).toHaveLength(180)
    expect(elements.filter(({ data }) => objectOf(data).version === 10)).toHaveLength(20)
  })

  it('take turns with writers that name versions, each of whom is refused or changes what is there', async () => {
    const body = aContact()
    const { data } = await client.post('/contacts', body)
    const answers = await Promise.all(
      Array.from({ length: count }, (_, index) =>
        index % 2 === 0
          ? overwrite('/contacts/upsert', { ...body, jobTitle: `Title ${index}` })
          : client.patch(`/contacts/${data.id}`, { expectedVersion: 1 + index, description: `Text ${index}` }),
      ),
    )
    const changed = answers.filter(({ status }) => status === 200)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(count - changed.length)
    expect(changed.length).toBeGreaterThanOrEqual(count / 2)
    expect((await client.get(`/contacts/${data.id}`)).data.version).toBe(1 + changed.length)
  })
})
