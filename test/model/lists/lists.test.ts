import { afterAll, beforeAll, expect, test } from 'vitest'
import { bounds } from '../../../server/src/kernel/index.ts'
import type { JsonObject } from '../../../server/src/kernel/schema/index.ts'
import { startApi, type TestApi, TestClock } from '../../support/api.ts'
import type { Client } from '../../support/client.ts'
import { anOrganization } from '../../support/organization.ts'
import { Random, roundsOf, seedOf } from '../../support/random.ts'
import { setBound } from '../../support/set-bound.ts'
import { History } from './history.ts'
import { judge } from './judge.ts'
import { Questioner } from './questioner.ts'
import { type Question, turns } from './questions.ts'
import { configure } from './surroundings.ts'
import { walk } from './walk.ts'
import { Writers } from './writers.ts'

/** How many records a page looks at in the order of `createdAt`, and in others. */
const looks = [
  { scan: bounds.listScan.most, scattered: bounds.listScatteredScan.most },
  { scan: 50, scattered: 20 },
  { scan: 10, scattered: 10 },
]
const questions = Math.ceil(roundsOf('LIST_QUESTIONS', 300) / looks.length)
const patience = 120_000 + questions * 500
const readers = 4
/** How many milliseconds a writer pauses at most. */
const longestPause = 8

let api: TestApi
let client: Client
let history: History
let questioner: Questioner
let writers: Writers
let random: Random
let asked = 0

beforeAll(async () => {
  random = new Random(seedOf('LIST_SEED'))
  const clock = new TestClock()
  api = await startApi({ clock })
  const surroundings = await configure(api, await anOrganization(api), clock)
  history = new History()
  writers = new Writers(history, surroundings)
  await writers.fill(random.fork())
  ;({ client } = surroundings.organization)
  questioner = new Questioner(client, history, writers)
}, patience)
afterAll(() => api?.close())

test.each(looks)(
  'a walk over pages that look at $scan or $scattered records shows what matched throughout, in order, and nothing that never matched',
  {
    timeout: patience,
  },
  async ({ scan, scattered }) => {
    setBound(bounds.listScan, scan)
    setBound(bounds.listScatteredScan, scattered)
    asked += questions
    const asking = Array.from({ length: readers }, () => questioner.ask(asked, random.fork()))
    await whileWriting(() => Promise.all(asking))
    console.log(`${questioner} and ${writers}`)
    expect(questioner.findings.slice(0, 3)).toEqual([])
  },
)

test('each filter and each order finds something', { timeout: patience }, async () => {
  for (let turn = 0; turn < turns; turn += 1)
    for (let count = 0; count < 50 && !questioner.found.has(turn); count += 1) await questioner.askOne(random, turn)
  expect(questioner.found.size).toBe(turns)
  expect(questioner.findings.slice(0, 3)).toEqual([])
})

test('writers get no answer that they do not expect, and nothing fails inside', () => {
  expect(writers.surprises.slice(0, 3)).toEqual([])
  expect(api.failures).toEqual([])
})

test('the model notices a record that is missing, one too many, and a wrong order', async () => {
  const filters = new Map([['status', ['todo']]])
  const question: Question = { kind: 'task', filters, search: '', sort: 'title', limit: 100 }
  const asked = await walk(client, question, history)
  const other = history.all('task').find(({ data }) => data.status !== 'todo')
  const [first = {}, second = {}, ...rest] = asked.pages[0]?.items ?? []
  const judged = (items: readonly JsonObject[], meta: JsonObject = { nextCursor: null }) =>
    judge({ question, pages: asked.pages.map(page => ({ ...page, items, meta })) }, history).map(
      finding => finding.split(': ')[1],
    )
  const items = [first, second, ...rest]
  expect([items.length > 2, judged(items)]).toEqual([true, []])
  expect(judged([second, ...rest])).toEqual([`${String(first.id)} is missing`])
  expect(judged([second, first, ...rest])).toMatchObject([expect.stringContaining('stands behind')])
  expect(judged([first, first, second, ...rest])).toMatchObject([expect.stringContaining('stands behind')])
  expect(judged([{ ...first, version: 1000 }, second, ...rest])).toMatchObject([
    expect.stringContaining('which it was not then'),
  ])
  expect(judged([...items, { ...other?.data }])).toContainEqual(expect.stringContaining('which is no answer'))
  expect(judged(items, { nextCursor: 'more' })).toMatchObject([expect.stringContaining('is not full')])
  expect(judged(items, { nextCursor: null, truncated: true })).toMatchObject([expect.stringContaining('is truncated')])
})

/** Does something while writers write beside it. */
async function whileWriting(work: () => Promise<unknown>): Promise<void> {
  let over = false
  const writing = Array.from({ length: 2 }, () => writers.work(random.fork(), () => over, longestPause))
  await work().finally(() => {
    over = true
  })
  await Promise.all(writing)
}
