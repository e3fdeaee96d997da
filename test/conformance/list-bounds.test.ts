import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { bounds } from '../../server/src/kernel/index.ts'
import { newId } from '../../server/src/kernel/schema/index.ts'
import { aContact, aDeal } from '../support/builders.ts'
import type { TestOrganization } from '../support/organization.ts'
import { setBound } from '../support/set-bound.ts'
import { useApi } from './support/given.ts'

const given = useApi()
const count = 40
const looks = 7

/** Members of the deals by their number: some values are equal, some empty. */
const deals = Array.from({ length: count }, (_, number) => ({
  title: `Chairs ${number % 9}`,
  amount: number % 4 === 0 ? null : String(number % 6),
  expectedCloseDate: number % 3 === 0 ? null : `2026-03-1${number % 5}`,
  priority: number === 17 ? 'urgent' : number === 18 ? null : 'low',
}))

let organization: TestOrganization
let ids: string[]
beforeAll(async () => {
  organization = await given.organization()
  const contact = await organization.client.post('/contacts', aContact())
  ids = []
  for (const deal of deals) {
    const { data } = await organization.client.post('/deals', aDeal({ ...deal, contacts: [{ id: contact.data.id }] }))
    ids.push(String(data.id))
  }
})

afterEach(() => vi.restoreAllMocks())

beforeEach(() => {
  setBound(bounds.listScan, looks)
  setBound(bounds.listScatteredScan, looks)
})

const bothWays = (words: readonly string[]) => words.flatMap(word => [word, `-${word}`])
const sorts = bothWays(['createdAt', 'updatedAt', 'title', 'amount', 'expectedCloseDate'])

/** All pages of a list. */
async function pagesOf(query: string) {
  const pages: { found: unknown[]; isTruncated: boolean }[] = []
  let cursor = ''
  do {
    const { items, meta, status } = await organization.client.get(`/deals?${query}${cursor}`)
    expect(status).toBe(200)
    pages.push({ found: items.map(({ id }) => id), isTruncated: meta.truncated === true })
    cursor = meta.nextCursor === null ? '' : `&cursor=${meta.nextCursor}`
  } while (cursor !== '' && pages.length < 3 * count)
  return pages
}

describe('a page of a list with a filter that few records match', () => {
  it.each(sorts)('ends after a bounded number of records, and the next one goes on, in the order of %s', async sort => {
    const pages = await pagesOf(`priority=urgent&sort=${sort}`)
    expect(pages.flatMap(({ found }) => found)).toEqual([ids[17]])
    expect(pages.map(({ isTruncated }) => isTruncated)).toEqual([
      ...Array.from({ length: Math.floor(count / looks) }, () => true),
      false,
    ])
  })

  it('is not truncated where the range of its order has few records', async () => {
    const query = 'priority=urgent&expectedCloseFrom=2026-03-12&expectedCloseTo=2026-03-13'
    setBound(bounds.listScan, looks + 1)
    setBound(bounds.listScatteredScan, looks + 1)
    for (const sort of ['expectedCloseDate', '-expectedCloseDate']) {
      expect(await pagesOf(`${query}&sort=${sort}`)).toEqual([{ found: [ids[17]], isTruncated: false }])
    }
  })
})

describe('the pages of a sorted list', () => {
  it.each(sorts)(
    'have every record once, the equal ones by their ids and the empty ones last, in the order of %s',
    async sort => {
      const pages = await pagesOf(`limit=3&sort=${sort}`)
      const found = pages.flatMap(page => page.found)
      expect(found.toSorted()).toEqual(ids.toSorted())
      expect(found).toEqual(sorted(sort))
      expect(pages.every(({ isTruncated }) => !isTruncated)).toBe(true)
    },
  )

  it.each(sorts)('have the same records if an index finds them, in the order of %s', async sort => {
    setBound(bounds.listScatteredScan, count)
    const pages = await pagesOf(`limit=3&createdFrom=2000-01-01T00:00:00Z&sort=${sort}`)
    expect(pages.flatMap(({ found }) => found)).toEqual(sorted(sort))
  })
})

it('a page whose statements together exceed the time limit of one search gets 503', async () => {
  const { database } = given.api.services
  const search = database.search.bind(database)
  setBound(bounds.searchAnswer, 1000)
  // The first statement takes the time of the page, and half a second less than would end it.
  vi.spyOn(database, 'search').mockImplementation((statement, ...others) => {
    const text = `select x.* from pg_sleep(1) s cross join lateral (${statement.text}) x`
    return search(statement.name === 'walk_deal' ? { ...statement, text } : statement, ...others)
  })
  const { status, error } = await organization.client.get(`/deals?sort=title&ownerUuid=${newId()}`)
  expect([status, error.code]).toEqual([503, 'service_unavailable'])
  // Told to the operator.
  expect(given.api.failures.splice(0)).toHaveLength(1)
})

/** The ids in this order. */
function sorted(sort: string): unknown[] {
  const sign = sort.startsWith('-') ? -1 : 1
  const word = sort.replace('-', '')
  const all = ids.map((id, number) => ({ id, value: valueOf(word, deals[number]) }))
  const compare = (one: string | number, other: string | number) => (one < other ? -sign : one > other ? sign : 0)
  return all
    .toSorted((one, other) => {
      if (one.value === null || other.value === null)
        return Number(one.value === null) - Number(other.value === null) || compare(one.id, other.id)
      return compare(one.value, other.value) || compare(one.id, other.id)
    })
    .map(({ id }) => id)
}

/** The clock stands still, so all deals are created and changed at the same time. */
function valueOf(word: string, deal: Readonly<Record<string, string | null>> | undefined): string | null {
  return word.endsWith('At') ? '' : (deal?.[word] ?? null)
}
