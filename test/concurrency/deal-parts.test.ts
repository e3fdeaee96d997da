import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApi, type TestApi } from '../support/api.ts'
import { aCompany, aDeal } from '../support/builders.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'

const chair = { name: 'Chair', quantity: '3', price: '0.335' }

describe('writers of the parts of one deal at the same time', () => {
  let api: TestApi
  let organization: TestOrganization
  beforeAll(async () => {
    api = await startApi()
    organization = await anOrganization(api)
  })
  afterAll(() => api.close())

  async function newDeal(): Promise<string> {
    const { data: company } = await organization.client.post('/companies', aCompany())
    const deal = aDeal({ companies: [{ id: company.id }], amount: null, currency: 'USD' })
    return `/deals/${(await organization.client.post('/deals', deal)).data.id}`
  }

  it('add items beside each other: all are there, each in a place of its own, and the sum is right', async () => {
    const path = await newDeal()
    const { client: other } = await organization.application()
    const clients = Array.from({ length: 30 }, (_, index) => (index % 2 === 0 ? organization.client : other))
    const answers = await Promise.all(clients.map(client => client.post(`${path}/items`, chair)))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201))
    const versions = answers.map(({ meta }) => Number(meta.dealVersion)).toSorted((one, next) => one - next)
    expect(versions).toEqual(answers.map((_, index) => index + 2))
    const { data } = await other.get(path)
    expect(data).toMatchObject({ version: 31, itemsCount: 30, itemsTotal: '30.30' })
    const { items } = await other.get(`${path}/items`)
    expect(items.map(({ position }) => position)).toEqual(items.map((_, index) => index))
  })

  it('put items in front while others move and remove them: each is in a place of its own, without gaps', async () => {
    const { client } = organization
    const path = `${await newDeal()}/items`
    const ids: unknown[] = []
    while (ids.length < 8) ids.push((await client.post(path, chair)).data.id)
    const adds = Array.from({ length: 10 }, (_, index) => client.post(path, { ...chair, position: index % 3 }))
    const moves = ids.map((id, index) => client.patch(`${path}/${id}`, { expectedVersion: 1, position: index % 2 }))
    const removals = ids.slice(0, 4).map(id => client.delete(`${path}/${id}?expectedVersion=1`))
    const reads = Array.from({ length: 20 }, () => client.get(path))
    const answers = await Promise.all([...adds, ...moves, ...removals])
    expect(answers.filter(({ status }) => ![200, 201, 404, 409].includes(status))).toEqual([])
    const lists = [...(await Promise.all(reads)), await client.get(path)]
    for (const { items } of lists) expect(items.map(({ position }) => position)).toEqual(items.map((_, index) => index))
    const pages = [await client.get(`${path}?limit=5`)]
    for (let next = pages[0]?.meta.nextCursor; typeof next === 'string'; next = pages.at(-1)?.meta.nextCursor)
      pages.push(await client.get(`${path}?limit=5&cursor=${next}`))
    expect(pages.flatMap(({ items }) => items)).toEqual(lists.at(-1)?.items)
  })

  it('patch one item: one of twenty wins, and the others get the current version', async () => {
    const path = await newDeal()
    const { data } = await organization.client.post(`${path}/items`, chair)
    const writers = Array.from({ length: 20 }, (_, index) =>
      organization.client.patch(`${path}/items/${data.id}`, { expectedVersion: 1, quantity: String(index + 4) }),
    )
    const answers = await Promise.all(writers)
    const won = answers.filter(({ status }) => status === 200)
    expect(won).toHaveLength(1)
    for (const { status, error, details } of answers.filter(answer => answer.status !== 200)) {
      expect([status, error.code, details.currentVersion]).toEqual([409, 'version_conflict', 2])
    }
    const deal = (await organization.client.get(path)).data
    expect([deal.version, deal.itemsTotal]).toEqual([3, won[0]?.data.total])
  })

  it('add items while the currency changes: every item is summed in the currency of the deal', async () => {
    for (let round = 0; round < 10; round += 1) {
      const path = await newDeal()
      await organization.client.post(`${path}/items`, chair)
      const answers = await Promise.all([
        organization.client.post(`${path}/items`, chair),
        organization.client.patch(path, { expectedVersion: 2, currency: 'JPY' }),
        organization.client.post(`${path}/items`, chair),
      ])
      expect([200, 409]).toContain(answers[1]?.status)
      const { data } = await organization.client.get(path)
      const { items } = await organization.client.get(`${path}/items`)
      const total = data.currency === 'JPY' ? '1' : '1.01'
      expect(items.map(item => item.total)).toEqual([total, total, total])
      expect(data.itemsTotal).toBe(data.currency === 'JPY' ? '3' : '3.03')
    }
  })

  it('add an activity while the deal is deleted: it is there and gone with it, or 404', async () => {
    for (let round = 0; round < 15; round += 1) {
      const path = await newDeal()
      const [added, removed] = await Promise.all([
        organization.client.post(`${path}/activities`, { type: 'note', subject: 'Last words' }),
        organization.client.delete(`${path}?expectedVersion=1`),
      ])
      expect([
        [201, 409],
        [404, 200],
      ]).toContainEqual([added.status, removed.status])
      if (removed.status === 200) expect((await organization.client.get(`${path}/activities`)).status).toBe(404)
    }
  })

  it('name a contact while it is erased: the activity names it, or is refused', async () => {
    for (let round = 0; round < 10; round += 1) {
      const path = await newDeal()
      const { data: contact } = await organization.client.post('/contacts', { lastName: 'Petrova' })
      const activity = { type: 'note', subject: 'x', contact: { id: contact.id } }
      const [added, erased] = await Promise.all([
        organization.client.post(`${path}/activities`, activity),
        organization.client.delete(`/contacts/${contact.id}?expectedVersion=1`),
      ])
      expect([201, 410]).toContain(added.status)
      expect(erased.status).toBe(200)
    }
  })

  it('had no failure inside in all of this', () => {
    expect(api.failures).toEqual([])
  })
})
