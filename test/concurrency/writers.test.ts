import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApi, type TestApi } from '../support/api.ts'
import { aCompany, aContact, aDeal, aTask } from '../support/builders.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'

describe('writers at the same time', () => {
  let api: TestApi
  let organization: TestOrganization
  beforeAll(async () => {
    api = await startApi()
    organization = await anOrganization(api)
  })
  afterAll(() => api.close())

  it('lets one of a hundred writers on one version win, and gives the others the current version', async () => {
    const { client } = organization
    const { data } = await client.post('/contacts', aContact())
    const writers = Array.from({ length: 100 }, (_, index) =>
      client.patch(`/contacts/${data.id}`, { expectedVersion: 1, jobTitle: `Title ${index}` }),
    )
    const answers = await Promise.all(writers)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const refused = answers.filter(({ status }) => status === 409)
    expect(refused).toHaveLength(99)
    for (const { error, details } of refused) {
      expect(error.code).toBe('version_conflict')
      expect(details.currentVersion).toBe(2)
    }
    expect((await client.get(`/contacts/${data.id}`)).data.version).toBe(2)
  })

  it('gives fifty requests with one key one effect: each is replayed, or gets a 409 while the first is running', async () => {
    const { client } = organization
    const key = randomUUID()
    const body = aCompany({ name: 'Only once' })
    const answers = await Promise.all(Array.from({ length: 50 }, () => client.post('/companies', body, { key })))
    const created = answers.filter(({ status }) => status === 201)
    expect(new Set(created.map(({ data }) => data.id)).size).toBe(1)
    expect(created.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1)
    for (const answer of answers) {
      if (answer.status === 201) continue
      expect([answer.status, answer.error.code]).toEqual([409, 'idempotency_in_progress'])
      expect(answer.headers.get('retry-after')).toBe('1')
    }
    const found = await client.get(`/companies?externalId=${body.externalId}`)
    expect(found.items).toHaveLength(1)
    const again = await client.post('/companies', body, { key })
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true'])
  })

  it('creates one record when many upserts bring the same new key', async () => {
    const { client } = organization
    const body = aContact()
    const answers = await Promise.all(Array.from({ length: 30 }, () => client.post('/contacts/upsert', body)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 428)).toHaveLength(29)
    expect((await client.get(`/contacts?externalId=${body.externalId}`)).items).toHaveLength(1)
  })

  it('neither deadlocks nor loses an element when batches name the same keys in opposite orders', async () => {
    const { client } = organization
    const items = Array.from({ length: 20 }, () => aContact())
    const batches = Array.from({ length: 10 }, (_, index) =>
      client.post('/contacts/batch/upsert', { items: index % 2 === 0 ? items : [...items].reverse() }),
    )
    const answers = await Promise.all(batches)
    const created = answers.flatMap(({ items: elements }) => elements.filter(({ status }) => status === 201))
    const refused = answers.flatMap(({ items: elements }) => elements.filter(({ status }) => status === 428))
    expect([created.length, refused.length]).toEqual([20, 180])
  })

  it('never leaves a deal with a removed contact, whichever of link and removal comes first', async () => {
    const { client } = organization
    for (let round = 0; round < 15; round += 1) {
      const { data: company } = await client.post('/companies', aCompany())
      const { data: contact } = await client.post('/contacts', aContact())
      const deal = aDeal({ companies: [{ id: company.id }], contacts: [{ id: contact.id }] })
      const [created, removed] = await Promise.all([
        client.post('/deals', deal),
        client.delete(`/contacts/${contact.id}?expectedVersion=1&mode=full`),
      ])
      expect(removed.status).toBe(200)
      expect([201, 404]).toContain(created.status)
      if (created.status === 201) expect((await client.get(`/deals/${created.data.id}`)).data.contactIds).toEqual([])
    }
  })

  it('never leaves a task with a removed deal, whichever of reference and removal comes first', async () => {
    const { client } = organization
    const { data: company } = await client.post('/companies', aCompany())
    for (let round = 0; round < 15; round += 1) {
      const { data: deal } = await client.post('/deals', aDeal({ companies: [{ id: company.id }] }))
      const [created, removed] = await Promise.all([
        client.post('/tasks', aTask({ deal: { id: deal.id } })),
        client.delete(`/deals/${deal.id}?expectedVersion=1`),
      ])
      expect(removed.status).toBe(200)
      expect([201, 404]).toContain(created.status)
      if (created.status === 201) expect((await client.get(`/tasks/${created.data.id}`)).data.dealId).toBeNull()
    }
  })

  it('neither loses nor mixes the tags of a record that many replace at once', async () => {
    const { client, tag } = organization
    const { data } = await client.post('/contacts', aContact())
    const sets = Array.from({ length: 30 }, (_, index) => (index % 2 === 0 ? [{ id: tag }] : []))
    const put = (tags: unknown, expectedVersion: number) =>
      client.put(`/contacts/${data.id}/tags`, { expectedVersion, tags })
    const answers = await Promise.all(sets.map(tags => put(tags, 1)))
    // Those that take away what is not there change nothing, until the first tag comes.
    const changed = answers.filter(({ status, meta }) => status === 200 && meta.version === 2)
    expect(changed).toHaveLength(1)
    for (const { status, meta } of answers)
      expect(status === 409 || meta.version === 1 || meta.version === 2).toBe(true)
    expect((await client.get(`/contacts/${data.id}/tags`)).meta).toEqual({ version: 2 })
  })

  it('gives every deal a place of its own when many are created at the top of one stage', async () => {
    const { client } = organization
    const { data: company } = await client.post('/companies', aCompany())
    const deals = Array.from({ length: 40 }, () => client.post('/deals', aDeal({ companies: [{ id: company.id }] })))
    const ranks = (await Promise.all(deals)).map(({ status, data }) => (status === 201 ? data.rank : status))
    expect(new Set(ranks).size).toBe(40)
  })

  it('had no failure inside in all of this', () => {
    expect(api.failures).toEqual([])
  })
})
