import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isObject, type JsonObject } from '../../server/src/kernel/schema/index.ts'
import type { Client } from '../support/client.ts'
import { setOf, setsPath } from './support/agent-requests.ts'
import { useApi } from './support/given.ts'
import { outcome } from './support/requests.ts'

const given = useApi()
const ids = fc.constantFrom('a', 'b', 'c', 'd', 'e')
const steps = fc.array(
  fc.oneof(
    fc.record({ act: fc.constant('create' as const), id: ids, name: fc.constantFrom('Pot', 'Cup') }),
    fc.record({ act: fc.constant('replace' as const), id: ids, name: fc.constantFrom('Pot', 'Cup') }),
    fc.record({ act: fc.constant('remove' as const), id: ids, name: fc.constant('') }),
  ),
  { minLength: 1, maxLength: 12 },
)
type Step = { readonly act: 'create' | 'replace' | 'remove'; readonly id: string; readonly name: string }

const act = (client: Client, collection: string, { act, id, name }: Step) =>
  ({
    create: () => client.post(collection, { id, name }),
    replace: () => client.put(`${collection}/${id}`, { name }),
    remove: () => client.delete(`${collection}/${id}`),
  })[act]()

/** What a set has to answer: a map from ids to names, in the order in which they came. */
function expected(model: Map<string, string>, { act, id, name }: Step): string {
  const isThere = model.has(id)
  if (act === 'create') {
    if (isThere) return '409 already_exists'
    model.set(id, name)
    return '201'
  }
  if (!isThere) return '404 not_found'
  if (act === 'replace') model.set(id, name)
  else model.delete(id)
  return '200'
}

async function allOf(client: Client, collection: string): Promise<JsonObject[]> {
  const found: JsonObject[] = []
  for (let page = 1; ; page += 1) {
    const { items, total } = (await client.get(`${collection}?limit=2&page=${page}`)).data
    const products = Array.isArray(items) ? items.filter(isObject) : []
    found.push(...products)
    if (products.length > 0) continue
    expect(total).toBe(found.length)
    return found
  }
}

it('a set answers any requests as a map from ids to products would', async () => {
  const organization = await given.organization()
  await fc.assert(
    fc.asyncProperty(steps, async taken => {
      const collection = `${setsPath}/${String((await setOf(organization)).id)}/products`
      const model = new Map<string, string>()
      for (const step of taken) {
        given.clock.advance(1)
        const answer = await act(organization.client, collection, step)
        expect([step, outcome(answer)]).toEqual([step, expected(model, step)])
      }
      const found = await allOf(organization.client, collection)
      expect(found.map(({ id, name }) => [id, name])).toEqual([...model].toReversed())
      await organization.client.delete(collection.replace(/\/products$/u, ''))
    }),
    { numRuns: 15 },
  )
})

it('each of simultaneous requests has its effect or is refused, and the remaining products are counted', async () => {
  const organization = await given.organization()
  await fc.assert(
    fc.asyncProperty(steps, async taken => {
      const { id: setId } = await setOf(organization)
      const collection = `${setsPath}/${String(setId)}/products`
      const answers = await Promise.all(taken.map(step => act(organization.client, collection, step)))
      const left = new Map<string, number>()
      for (const [index, { act, id }] of taken.entries()) {
        const status = answers[index]?.status
        expect([200, 201, 404, 409]).toContain(status)
        if (status === 201) left.set(id, (left.get(id) ?? 0) + 1)
        if (act === 'remove' && status === 200) left.set(id, (left.get(id) ?? 0) - 1)
      }
      const found = await allOf(organization.client, collection)
      const there = [...left].filter(([, count]) => count === 1).map(([id]) => id)
      expect(found.map(({ id }) => id).toSorted()).toEqual(there.toSorted())
      expect([...left.values()].every(count => count === 0 || count === 1)).toBe(true)
      const set = await organization.client.get(`${setsPath}/${String(setId)}`)
      expect(set.data.productsCount).toBe(found.length)
      await organization.client.delete(`${setsPath}/${String(setId)}`)
    }),
    { numRuns: 10 },
  )
})
