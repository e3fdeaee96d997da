import { describe, expect, it } from 'vitest'
import type { Answer } from '../support/client.ts'
import type { TestOrganization } from '../support/organization.ts'
import { useApi } from './support/given.ts'
import { aRecord, type Kind, kinds, outcome, plurals } from './support/requests.ts'

const given = useApi()

async function create(kind: Kind, organization: TestOrganization, count: number): Promise<unknown[]> {
  const ids: unknown[] = []
  for (let index = 0; index < count; index += 1) ids.push((await aRecord(kind, organization)).id)
  return ids
}

const idsOf = ({ items }: Answer) => items.map(({ id }) => id)
const cursorOf = ({ meta }: Answer) => String(meta.nextCursor)

/** An organization whose list of this kind is empty but for what the test creates. */
async function anOrganization(kind: Kind) {
  const organization = await given.organization()
  // The company that deals stand for is there before the list is looked at.
  if (kind === 'deal') {
    const { id } = await aRecord('deal', organization)
    await organization.client.delete(`/deals/${id}?expectedVersion=1`)
  }
  return organization
}

describe.each(kinds)('the list of %ss', kind => {
  const path = `/${plurals[kind]}`

  it('shows the newest first; of the same millisecond the greatest id first', async () => {
    const organization = await anOrganization(kind)
    const early = await create(kind, organization, 3)
    given.clock.advance(1)
    const late = await create(kind, organization, 2)
    expect(idsOf(await organization.client.get(path))).toEqual([...late.reverse(), ...early.reverse()])
  })

  it('gives every record once over three pages while others are created; those appear on a new first page', async () => {
    const organization = await anOrganization(kind)
    const { client } = organization
    const ids = await create(kind, organization, 7)
    const first = await client.get(`${path}?limit=3`)
    const later = await create(kind, organization, 2)
    const second = await client.get(`${path}?limit=3&cursor=${cursorOf(first)}`)
    later.push(...(await create(kind, organization, 1)))
    const third = await client.get(`${path}?limit=3&cursor=${cursorOf(second)}`)
    expect([first, second, third].map(({ items }) => items.length)).toEqual([3, 3, 1])
    expect([first, second, third].flatMap(idsOf)).toEqual(ids.reverse())
    expect(third.meta.nextCursor).toBeNull()
    expect(idsOf(await client.get(`${path}?limit=3`))).toEqual(later.reverse())
  })

  it('refuses the cursor of another list, of other filters and of another organization', async () => {
    const organization = await anOrganization(kind)
    await create(kind, organization, 3)
    const { client } = organization
    const cursor = cursorOf(await client.get(`${path}?limit=1`))
    const otherKind = kind === 'contact' ? 'companies' : 'contacts'
    const { client: stranger } = await given.shared()
    const answers = [
      await client.get(`/${otherKind}?cursor=${cursor}`),
      await client.get(`${path}?search=a&cursor=${cursor}`),
      await client.get(`${path}?externalId=a&cursor=${cursor}`),
      await stranger.get(`${path}?cursor=${cursor}`),
      await client.get(`/changes?after=${cursor}`),
    ]
    expect(answers.map(outcome)).toEqual(answers.map(() => '400 invalid_cursor'))
    const position = String((await client.get('/changes/cursor')).data.cursor)
    expect(outcome(await client.get(`${path}?cursor=${position}`))).toBe('400 invalid_cursor')
  })

  it('shows what GET by id shows', async () => {
    const organization = await anOrganization(kind)
    const record = await aRecord(kind, organization)
    const { items } = await organization.client.get(path)
    expect(items).toEqual([record])
    expect((await organization.client.get(`${path}/${record.id}`)).data).toEqual(record)
  })
})

/** What follows is the same for every kind: it is shown with one. */
describe('a list', () => {
  const kind = 'contact'
  const path = '/contacts'

  it('is an empty array without a next page where there are no records', async () => {
    const { client } = await anOrganization(kind)
    const { body } = await client.get(path)
    expect(body).toEqual({ data: [], meta: { nextCursor: null } })
  })

  it('has no next page when the last page is exactly full', async () => {
    const organization = await anOrganization(kind)
    await create(kind, organization, 4)
    const first = await organization.client.get(`${path}?limit=2`)
    const second = await organization.client.get(`${path}?limit=2&cursor=${cursorOf(first)}`)
    expect([second.items.length, second.meta.nextCursor]).toEqual([2, null])
  })

  it('lets the limit change between pages', async () => {
    const organization = await anOrganization(kind)
    const ids = await create(kind, organization, 6)
    const first = await organization.client.get(`${path}?limit=1`)
    const second = await organization.client.get(`${path}?limit=2&cursor=${cursorOf(first)}`)
    const third = await organization.client.get(`${path}?cursor=${cursorOf(second)}`)
    expect([first, second, third].flatMap(idsOf)).toEqual(ids.reverse())
  })

  it('goes on from a cursor after the record that it was made at is changed', async () => {
    const organization = await anOrganization(kind)
    const ids = await create(kind, organization, 3)
    const first = await organization.client.get(`${path}?limit=1`)
    given.clock.advance(1000)
    await organization.client.patch(`${path}/${ids[2]}`, { expectedVersion: 1, description: 'changed' })
    const rest = await organization.client.get(`${path}?cursor=${cursorOf(first)}`)
    expect(idsOf(rest)).toEqual([ids[1], ids[0]])
  })

  it('refuses an empty, a tampered and an invented cursor', async () => {
    const organization = await anOrganization(kind)
    await create(kind, organization, 3)
    const cursor = cursorOf(await organization.client.get(`${path}?limit=1`))
    const middle = Math.floor(cursor.length / 2)
    const swap = (at: number) => `${cursor.slice(0, at)}${cursor[at] === 'A' ? 'B' : 'A'}${cursor.slice(at + 1)}`
    const wrong = ['', swap(0), swap(middle), cursor.slice(1), `A${cursor}`, `${cursor}AAAA`, cursor.slice(0, -4)]
    for (const text of [...wrong, 'abc', 'null', '1', `${cursor}%20`, `${cursor}=`, '%F0%9F%92%A9']) {
      const answer = await organization.client.get(`${path}?limit=1&cursor=${text}`)
      expect([text, outcome(answer), answer.details]).toEqual([text, '400 invalid_cursor', {}])
    }
  })

  it('serves the cursor to another application and token of the organization', async () => {
    const organization = await anOrganization(kind)
    await create(kind, organization, 2)
    const first = await organization.client.get(`${path}?limit=1`)
    const { client } = await organization.application()
    expect((await client.get(`${path}?cursor=${cursorOf(first)}`)).items).toHaveLength(1)
  })

  it('gives 50 by default, and at most 100', async () => {
    const organization = await anOrganization(kind)
    const write = (count: number) =>
      Promise.all(Array.from({ length: count }, () => organization.client.post(path, { lastName: 'P' })))
    await write(101)
    expect((await organization.client.get(path)).items).toHaveLength(50)
    const whole = await organization.client.get(`${path}?limit=100`)
    expect([whole.items.length, whole.meta.nextCursor]).toEqual([100, expect.any(String)])
  })
})
