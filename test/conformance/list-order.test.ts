import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import type { Client } from '../support/client.ts'
import { useApi } from './support/given.ts'
import { aRecord, type Kind, plurals } from './support/requests.ts'

const given = useApi()

/** As many characters as are compared. */
const long = 'x'.repeat(100)

/** Records by what they have, in ascending order; equal values are one group, and the last group has none. */
const orders: readonly (readonly [kind: Kind, sort: string, groups: readonly (readonly JsonObject[])[]])[] = [
  [
    'contact',
    'name',
    [
      [{ lastName: 'adam' }, { lastName: 'ÁDAM' }],
      [{ lastName: 'Adam', firstName: 'Zoe' }],
      [{ lastName: null, firstName: 'Bea' }],
      [{ lastName: null, firstName: null, jobTitle: 'buyer' }],
      [{ lastName: 'Žižek' }],
      [{ lastName: 'Ёлкин' }, { lastName: 'елкин' }],
    ].map(group => group.map(names => ({ firstName: null, ...names }))),
  ],
  ['company', 'name', [[{ name: '1st' }], [{ name: 'acme' }, { name: 'Ácme' }], [{ name: 'Acme B', legalName: 'A' }]]],
  [
    'deal',
    'title',
    [[{ title: 'chairs' }, { title: 'Chairs' }], [{ title: 'Tables' }], [{ title: `${long}b` }, { title: `${long}a` }]],
  ],
  [
    'deal',
    'amount',
    [
      [{ amount: '7' }],
      [{ amount: '10' }, { amount: '10.00' }, { amount: '10', currency: 'EUR' }],
      [{ amount: '90', currency: 'JPY' }],
      [{ amount: '1500.5' }],
      [{ amount: null }, { amount: null }],
    ],
  ],
  [
    'deal',
    'expectedCloseDate',
    [
      [{ expectedCloseDate: '2026-03-31' }, { expectedCloseDate: '2026-03-31' }],
      [{ expectedCloseDate: '2026-10-01' }],
      [{}, {}],
    ],
  ],
  ['task', 'title', [[{ title: 'Ask' }, { title: 'ask' }], [{ title: 'Call' }]]],
  [
    'task',
    'dueDate',
    [
      [{ dueDate: '2026-03-30T23:00:00+01:00' }],
      [{ dueDate: '2026-03-31' }, { dueDate: '2026-03-31' }],
      [{ dueDate: '2026-03-31T09:00:00Z' }],
      [{}, { dueDate: null }],
    ],
  ],
]

async function walked(client: Client, path: string): Promise<unknown[]> {
  const ids: unknown[] = []
  for (let cursor = ''; ; ) {
    const { status, items, meta, body } = await client.get(`${path}${cursor}`)
    expect([path, status === 200 ? 200 : body]).toEqual([path, 200])
    ids.push(...items.map(({ id }) => id))
    if (meta.nextCursor === null) return ids
    cursor = `&cursor=${String(meta.nextCursor)}`
  }
}

describe('a list is sorted', () => {
  it.each(orders)(
    '%ss by %s: ties by id, in the direction of the order, and empty values last both ways',
    async (kind, sort, groups) => {
      const organization = await given.organization()
      const { client } = organization
      const created: string[][] = groups.map(() => [])
      // Neither the order of creation nor that of ids is the order of values.
      for (const [index, group] of [...groups.entries()].reverse()) {
        for (const members of group) created[index]?.push(String((await aRecord(kind, organization, members)).id))
      }
      const hasEmpty = ['amount', 'expectedCloseDate', 'dueDate'].includes(sort)
      const [filled, empty] = hasEmpty ? [created.slice(0, -1), created.slice(-1)] : [created, []]
      const upwards = (some: readonly string[][]) => some.flatMap(group => group.toSorted())
      const path = `/${plurals[kind]}?limit=2&sort=`
      expect(await walked(client, `${path}${sort}`)).toEqual([...upwards(filled), ...upwards(empty)])
      expect(await walked(client, `${path}-${sort}`)).toEqual([
        ...upwards(filled).reverse(),
        ...upwards(empty).reverse(),
      ])
    },
  )

  it.each(['contact', 'company', 'deal', 'task'] as const)('%ss by createdAt and updatedAt, both ways', async kind => {
    const organization = await given.organization()
    const { client } = organization
    const party = String((await aRecord('company', organization)).id)
    const members = kind === 'deal' ? { companies: [{ id: party }] } : {}
    const ids: string[] = kind === 'company' ? [party] : []
    while (ids.length < 4) {
      given.clock.advance(ids.length === 2 ? 0 : 1)
      ids.push(String((await aRecord(kind, organization, members)).id))
    }
    const path = `/${plurals[kind]}?limit=2&sort=`
    expect(await walked(client, `${path}createdAt`)).toEqual(ids)
    expect(await walked(client, `${path}-createdAt`)).toEqual(ids.toReversed())
    given.clock.advance(1)
    const [first = '', ...others] = ids
    await client.patch(`/${plurals[kind]}/${first}`, { expectedVersion: 1, description: 'later' })
    expect(await walked(client, `${path}updatedAt`)).toEqual([...others, first])
    expect(await walked(client, `${path}-updatedAt`)).toEqual([first, ...others.toReversed()])
  })
})
