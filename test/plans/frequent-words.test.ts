import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bounds } from '../../server/src/kernel/index.ts'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { csv, upload } from '../conformance/support/imports.ts'
import type { Answer } from '../support/client.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'
import { fewerRecords, fillForSearches, idOf, rare, rareFamily, rareWord } from './fill.ts'
import { sequentialScans } from './large-tables.ts'
import { executedPlan, type PlanNode } from './plan.ts'
import { type RecordedApi, startRecordedApi } from './recorded-api.ts'

// Words that a fifth or a quarter of all records has, so that an index finds more of them than a search may read.
let api: RecordedApi
let organization: TestOrganization
let small: TestOrganization
beforeAll(async () => {
  api = await startRecordedApi()
  small = await anOrganization(api)
  organization = await anOrganization(api)
  await fillForSearches(api.test.database, { organization: small, count: 8000 }, { organization, count: fewerRecords })
}, 180_000)
afterAll(() => api.close())

/** Searches all kinds for these words, and tells how each of its statements went, part by part. */
async function searched(q: string, types: string) {
  const { answer, nodes } = await executed(`/search?q=${encodeURIComponent(q)}&types=${types}`)
  return { answer: { items: answer.items.length, truncated: answer.meta.truncated === true }, nodes }
}

async function executed(path: string) {
  const answers: Answer[] = []
  const sent = await api.recorded(async () => void answers.push(await organization.client.get(path)))
  const [answer] = answers
  if (answer?.status !== 200) throw new Error(`${path}: ${answer?.status}`)
  const plans = await Promise.all(sent.map(each => executedPlan(api.test.database, each)))
  expect(plans.flatMap(sequentialScans)).toEqual([])
  const nodes: PlanNode[] = plans.flatMap(plan => [...plan.nodes])
  return { answer, nodes }
}

// No index tells of words of two letters, of marks, nor where a mistaken word stands beside a part of another one.
test.each([
  ['anna qq', 'contact', 20],
  ['example qq', 'contact', 0],
  ['ex', 'contact', 20],
  ['for-chairs', 'deal', 20],
  ['rading hairs', 'deal', 20],
])(
  'a search for %s, whose parts are frequent, reads a bounded number of records, and says so',
  async (q, kind, items) => {
    const { answer, nodes } = await searched(q, kind)
    expect(answer).toEqual({ items, truncated: true })
    const read = nodes.filter(({ table }) => table !== undefined)
    expect(Math.max(...read.map(({ rows, removed }) => rows + removed))).toBeLessThanOrEqual(bounds.searchRead.most + 1)
  },
)

test('a mistaken frequent word beside a part of a rare one finds the records that have both', async () => {
  const mistaken = String(rareFamily).replace('ss', 's')
  const { items } = await organization.client.get(`/search?limit=4&q=bigniew%20${mistaken}`)
  const kinds = ['contact', 'company', 'deal', 'task'] as const
  expect(new Map(items.map(({ type, id }) => [type, id]))).toEqual(new Map(kinds.map(kind => [kind, idOf(kind, rare)])))
})

test('a search that goes on to similar words reads the newest records once to learn the frequent words', async () => {
  const sent = await api.recorded(() => organization.client.get('/search?q=mraia%20smtih&types=contact'))
  const names = sent.map(each => each.statement.name)
  expect(names).toContain('find_similar_records')
  expect(names.filter(name => name.startsWith('newest_searched_texts'))).toHaveLength(1)
})

// Frequent and rare words, misspelt words and a title, as many words as a search has, the beginning of a legal form, words that nobody has.
test.each([
  ['petrova qq', 20],
  [`dr. ${rareWord} petrova`, 20],
  ['head of purchasing petrova', 0],
  ['anna petrova trading chairs tables smith weber qq', 0],
  ['pertova qq trdaing xx', 20],
  ['nobody nowhere', 0],
])('a search for %s reads a bounded number of records that have some of the words', async (q, items) => {
  const answers: Answer[] = []
  const path = `/search?q=${encodeURIComponent(q)}`
  const sent = await api.recorded(async () => void answers.push(await organization.client.get(path)))
  expect(answers[0]?.items.length).toBeGreaterThanOrEqual(items)
  const partial = sent.filter(({ statement: { name } }) => name === 'find_partial_records')
  expect(partial).toHaveLength(1)
  const plans = await Promise.all(partial.map(each => executedPlan(api.test.database, each)))
  expect(plans.flatMap(sequentialScans)).toEqual([])
  const read = plans.flatMap(({ nodes }) => nodes.filter(({ table }) => table !== undefined))
  // A record may come from each of five sources.
  const most = 5 * (bounds.searchPartial.most + 1)
  expect(Math.max(...read.map(({ rows, removed }) => rows + removed))).toBeLessThanOrEqual(most)
})

test('a search whose page is full looks neither for similar words nor for records with some of the words', async () => {
  const sent = await api.recorded(() => organization.client.get('/search?q=anna%20petrova'))
  const further = ['find_known_words', 'find_similar_records', 'find_partial_records']
  expect(sent.map(({ statement: { name } }) => name).filter(name => further.includes(name))).toEqual([])
})

test('a search takes one core, however much it reads', async () => {
  const select = statement('test_processes', `select current_setting('max_parallel_workers_per_gather') as processes`)
  expect(await api.services.database.search(select, [])).toEqual([{ processes: '0' }])
})

test('a search that finds all of 8,000 records shows the newest first', async () => {
  const called = statement(
    'test_frequent_name',
    `update contacts c set search_names = 'zz ' || c.search_names where c.organization_id = $1`,
  )
  await api.test.database.search(called, [small.id])
  const newest = statement(
    'test_newest_contacts',
    'select c.id from contacts c where c.organization_id = $1 order by c.updated_at desc, c.id limit 20',
  )
  const expected = await api.test.database.search(newest, [small.id])
  for (const q of ['zz', 'zz%20example']) {
    const { items, meta } = await small.client.get(`/search?q=${q}&types=contact&limit=20`)
    expect(items.map(({ id }) => ({ id }))).toEqual(expected)
    expect(meta.truncated).toBe(true)
  }
})

// Each address has all of these, and none when it is turned round.
const many = ['exa', 'xam', 'amp', 'mpl', 'ple', 'le.', 'e.c', '.co', 'com', '@ex']
const turned = statement(
  'test_turned_addresses',
  `update contacts c set search_contact_data = reverse(c.search_contact_data)
    where c.organization_id = $1 and (c.id between $2 and $3 or c.id between $4 and $5)`,
)

interface Turned {
  readonly from: number
  readonly to: number
}

/** The most records that a part of the plans reads, where the addresses of these records are turned round and nobody has all words. */
async function mostReadInVain(words: readonly string[], one: Turned, other: Turned = one): Promise<number> {
  const ids = [one.from, one.to, other.from, other.to].map(number => idOf('contact', number))
  await api.test.database.search(turned, [organization.id, ...ids])
  const { answer, nodes } = await executed(`/contacts?search=${encodeURIComponent([...words, 'zzz'].join(' '))}`)
  await api.test.database.search(turned, [organization.id, ...ids])
  expect(answer.items).toEqual([])
  return Math.max(...nodes.filter(({ table }) => table !== undefined).map(({ rows, removed }) => rows + removed))
}

describe('a list that is searched for eleven words reads a bounded number of records', () => {
  test.each([
    { lacking: 'newest 10,200', oldest: 0, newest: 10_200 },
    { lacking: 'newest 100 and the oldest 100', oldest: 100, newest: 100 },
  ])('where the $lacking have none of those that all others have', async ({ oldest, newest }) => {
    const most = await mostReadInVain(
      many,
      { from: 1, to: oldest },
      { from: fewerRecords + 1 - newest, to: fewerRecords },
    )
    expect(most).toBeLessThanOrEqual(bounds.searchScan.most + 1)
  })

  test('where a fifth of the records in the middle has them, and no newer or older record', async () => {
    const words = many.map(word => [...word].toReversed().join(''))
    const most = await mostReadInVain(words, { from: 20_000, to: 32_500 })
    expect(most).toBeLessThanOrEqual(bounds.searchScan.most + 1)
  })
})

test('a preview looks for a thousand companies with frequent words in their names, each by all of its words', async () => {
  // A page of the index for each word, and a few for each company.
  const most = 30_000
  const rows = Array.from({ length: 1000 }, (_, n) => ['Anna', `Petrova Chairs ${n * 50 + 1}`])
  const { data } = await upload(organization.client, csv(['Name', 'Company'], ...rows))
  const answers: Answer[] = []
  const sent = await api.recorded(
    async () => void answers.push(await organization.client.post(`/imports/${data.id}/preview`, {})),
  )
  const { named, missing } = Object(answers[0]?.data.missingCompanies)
  expect([named, missing > 0 && missing < 1000]).toEqual([1000, true])
  const [lookup, ...others] = sent.filter(({ statement: { text } }) => text.includes('search_companies_named'))
  if (lookup === undefined) throw new Error('no company was looked for')
  const plan = await executedPlan(api.test.database, lookup)
  expect([others, sequentialScans(plan), Math.max(plan.pages, most)]).toEqual([[], [], most])
})
