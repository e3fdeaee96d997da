import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { objectOf } from '../support/client.ts'
import type { TestOrganization } from '../support/organization.ts'
import { aChecklist, aTaskWithChecklists } from './support/checklists.ts'
import { factsOf, nothing } from './support/facts.ts'
import { useApi } from './support/given.ts'
import { aPart } from './support/parts.ts'
import { aRecord, issuePaths, outcome } from './support/requests.ts'

const given = useApi()

/** Where records with places are, in something new that holds none yet. */
interface Collection {
  readonly path: string
  readonly table: string
  readonly body: JsonObject
  /** All of them, in order, as the API shows them. */
  listed(): Promise<JsonObject[]>
}

const collections: readonly (readonly [string, (organization: TestOrganization) => Promise<Collection>])[] = [
  [
    'an item of a deal',
    async organization => {
      const path = `/deals/${(await aRecord('deal', organization)).id}/items`
      const listed = async () => [...(await organization.client.get(path)).items]
      return { path, table: 'deal_items', body: aPart.items, listed }
    },
  ],
  [
    'a checklist',
    async organization => {
      const { checklists: path } = await aTaskWithChecklists(organization)
      const listed = async () => [...(await organization.client.get(path)).items]
      return { path, table: 'checklists', body: { title: 'Before the call' }, listed }
    },
  ],
  [
    'an item of a checklist',
    async organization => {
      const { checklists, path } = await aChecklist(organization)
      const listed = async () => {
        const { items } = objectOf((await organization.client.get(checklists)).items[0])
        return Array.isArray(items) ? items.map(objectOf) : []
      }
      return { path: `${path}/items`, table: 'checklist_items', body: { text: 'Look up the last offer' }, listed }
    },
  ],
]

describe.each(collections)('the position of %s', (_, begin) => {
  async function aCollection(count = 0) {
    const organization = await given.shared()
    const { client } = organization
    const collection = await begin(organization)
    const { path, table, body, listed } = collection
    const add = (position?: number) => client.post(path, position === undefined ? body : { ...body, position })
    const ids: string[] = []
    while (ids.length < count) ids.push(String((await add()).data.id))
    return {
      ...collection,
      organization,
      client,
      ids,
      add,
      patch: (id: unknown, members: JsonObject) => client.patch(`${path}/${id}`, { expectedVersion: 1, ...members }),
      order: async () => (await listed()).map(({ id }) => id),
      /** Rows as they were last written: a row that is written again, even with the same values, differs. */
      rows: () => given.sql(`select id, xmin::text, version from ${table} where id = any ($1) order by id`, [ids]),
    }
  }

  it('is the place, counted from 0: a position beyond the end, or none, is the end', async () => {
    const { add, listed } = await aCollection()
    const added: JsonObject[] = []
    for (const position of [undefined, 5, 0, 1, 2_147_483_647, undefined]) added.push((await add(position)).data)
    expect(added.map(({ position }) => position)).toEqual([0, 1, 0, 1, 4, 5])
    const [one, two, first, second, far, last] = added.map(({ id }) => id)
    const shown = await listed()
    expect(shown.map(({ id }) => id)).toEqual([first, second, one, two, far, last])
    expect(shown.map(({ position }) => position)).toEqual([0, 1, 2, 3, 4, 5])
  })

  it.each([
    ['forward', 3, 1, [0, 3, 1, 2]],
    ['to the front', 2, 0, [2, 0, 1, 3]],
    ['backward, counted without itself', 0, 2, [1, 2, 0, 3]],
    ['to the end', 1, 99, [0, 2, 3, 1]],
  ])('in a PATCH moves it %s, and writes no other record', async (_move, moved, position, expected) => {
    const { ids, patch, listed, rows } = await aCollection(4)
    const before = await rows()
    const { status, data } = await patch(ids[moved], { position })
    expect([status, data.version, data.position]).toEqual([200, 2, Math.min(position, 3)])
    const shown = await listed()
    expect(shown.map(({ id }) => id)).toEqual(expected.map(index => ids[index]))
    expect(shown.map(each => each.position)).toEqual([0, 1, 2, 3])
    const others = (all: typeof before) => all.filter(({ id }) => id !== ids[moved])
    expect(others(await rows())).toEqual(others(before))
  })

  it('is no change where it is the place already', async () => {
    const { organization, ids, patch } = await aCollection(3)
    const facts = await factsOf(given, organization, async () => {
      for (const [index, id] of ids.entries()) expect((await patch(id, { position: index })).data.version).toBe(1)
      expect((await patch(ids[2], { position: 99 })).data).toMatchObject({ version: 1, position: 2 })
    })
    expect(facts).toEqual(nothing)
  })

  it('has no gap where one was removed or put between others, and no other record is written', async () => {
    const { client, path, ids, add, listed, rows, order } = await aCollection(4)
    const before = await rows()
    expect((await client.delete(`${path}/${ids[1]}?expectedVersion=1`)).status).toBe(200)
    expect((await listed()).map(({ position }) => position)).toEqual([0, 1, 2])
    const { data } = await add(1)
    expect((await listed()).map(({ position }) => position)).toEqual([0, 1, 2, 3])
    expect(await order()).toEqual([ids[0], data.id, ids[2], ids[3]])
    expect(await rows()).toEqual(before.filter(({ id }) => id !== ids[1]))
  })

  it('stands in the audit log before and after', async () => {
    const { organization, client, path, ids, add, patch } = await aCollection(2)
    const { audit } = await factsOf(given, organization, async () => {
      const { data } = await add(0)
      await patch(ids[1], { position: 0 })
      await client.delete(`${path}/${data.id}?expectedVersion=1`)
    })
    const places = audit.map(({ changes }) => {
      const { before, after } = objectOf(changes.find(change => 'position' in objectOf(change.before ?? change.after)))
      return [before, after].map(each => objectOf(each).position)
    })
    expect(places).toEqual([
      [undefined, 0],
      [2, 0],
      [1, undefined],
    ])
  })

  it.each([-1, 0.5, 2_147_483_648, '1', null])('is refused as %j: 400', async position => {
    const { client, path, body, ids, patch } = await aCollection(1)
    const answers = [await client.post(path, { ...body, position }), await patch(ids[0], { position })]
    for (const answer of answers)
      expect([outcome(answer), issuePaths(answer)]).toEqual(['400 validation_error', ['/position']])
  })

  it('can be given to any number at one place', async () => {
    const { ids, add, order } = await aCollection(2)
    const between: unknown[] = []
    for (let made = 0; made < 40; made += 1) between.unshift((await add(1)).data.id)
    expect(await order()).toEqual([ids[0], ...between, ids[1]])
  })
})

describe.each(collections.slice(0, 2))('the position of %s on a page', (_, begin) => {
  it('is its place among all, also where one before it was removed since the page before', async () => {
    const organization = await given.shared()
    const { client } = organization
    const { path, body } = await begin(organization)
    const ids: unknown[] = []
    while (ids.length < 5) ids.push((await client.post(path, body)).data.id)
    const placesOf = async (cursor: string) => {
      const { items, meta } = await client.get(`${path}?limit=2${cursor}`)
      return { places: items.map(({ id, position }) => [id, position]), next: `&cursor=${meta.nextCursor}` }
    }
    const first = await placesOf('')
    const second = await placesOf(first.next)
    expect([...first.places, ...second.places]).toEqual(ids.slice(0, 4).map((id, index) => [id, index]))
    await client.delete(`${path}/${ids[0]}?expectedVersion=1`)
    expect((await placesOf(first.next)).places).toEqual([
      [ids[2], 1],
      [ids[3], 2],
    ])
    // The record that the cursor was made of is gone: the page begins behind where it stood.
    await client.delete(`${path}/${ids[1]}?expectedVersion=1`)
    expect((await placesOf(first.next)).places).toEqual([
      [ids[2], 0],
      [ids[3], 1],
    ])
  })
})

describe('the position of a contact of a company', () => {
  it('has no gap where a contact was deleted, and the first of the rest is primary', async () => {
    const organization = await given.shared()
    const { client } = organization
    const ids = await Promise.all([0, 1, 2].map(async () => (await aRecord('contact', organization)).id))
    const path = `/companies/${(await aRecord('company', organization)).id}/contacts`
    await client.put(path, { expectedVersion: 1, contacts: ids.map(id => ({ id })) })
    expect((await client.delete(`/contacts/${ids[0]}?expectedVersion=1&mode=full`)).status).toBe(200)
    const shown = [
      { contactId: ids[1], isPrimary: true, role: null, position: 0, anonymized: false },
      { contactId: ids[2], isPrimary: false, role: null, position: 1, anonymized: false },
    ]
    expect((await client.get(path)).items).toEqual(shown)
    const again = await client.put(path, { expectedVersion: 3, contacts: [{ id: ids[1] }, { id: ids[2] }] })
    expect([again.items, again.meta]).toEqual([shown, { version: 3 }])
  })

  it('is the place in the set that replaces another; links that stay in order are not written', async () => {
    const organization = await given.shared()
    const { client } = organization
    const ids = await Promise.all([0, 1, 2, 3, 4].map(async () => (await aRecord('contact', organization)).id))
    const company = (await aRecord('company', organization)).id
    const path = `/companies/${company}/contacts`
    const put = async (expectedVersion: number, order: readonly number[]) => {
      const { status, items } = await client.put(path, { expectedVersion, contacts: order.map(n => ({ id: ids[n] })) })
      const places = order.map((n, position) => [ids[n], position])
      expect([status, items.map(({ contactId, position }) => [contactId, position])]).toEqual([200, places])
      const listed = (await client.get(path)).items
      expect(listed.map(({ contactId, position }) => [contactId, position])).toEqual(places)
    }
    const rows = () =>
      given.sql('select contact_id, xmin::text from company_contacts where company_id = $1 order by contact_id', [
        company,
      ])
    await put(1, [1, 3])
    const before = await rows()
    await put(2, [0, 1, 2, 3, 4])
    const after = await rows()
    for (const row of before) expect(after).toContainEqual(row)
    await put(3, [4, 2, 0, 3, 1])
    await put(4, [1, 2])
  })
})
