import type { IDataObject } from 'n8n-workflow'
import { afterEach, expect, test, vi } from 'vitest'
import { CrmTrigger } from '../../packages/n8n-nodes-crm/nodes/CrmTrigger/CrmTrigger.node.ts'
import { ScriptedServer } from '../../packages/sdk/scenarios/scripted-server.ts'
import { polling } from './stand-ins.ts'

let server: ScriptedServer | undefined
afterEach(() => server?.stop())

const changes = '/api/v1/crm/changes'

async function serve(...answers: readonly (object | [number, object])[]): Promise<void> {
  const exchanges = answers.map(answer => {
    const [status, json] = Array.isArray(answer) ? answer : [200, answer]
    return { request: { method: '', target: '' }, answer: { status, json } }
  })
  server = await ScriptedServer.start(exchanges, () => {})
}

const cursor = (text: string) => ({ data: { cursor: text } })

function page(fromSeq: number, events: readonly IDataObject[], toSeq: number, hasMore = false) {
  const range = { fromSeq, toSeq, matched: events.length, filtered: toSeq - fromSeq - events.length }
  return { data: events, meta: { range, hasMore, nextCursor: `at-${toSeq}` } }
}

function withRange(range: object, events: readonly IDataObject[]) {
  return { data: events, meta: { range, hasMore: false, nextCursor: 'later' } }
}

const event = (seq: number, kind: string, more: IDataObject = {}): IDataObject => ({
  seq,
  kind,
  resourceType: kind.split('.')[0] ?? '',
  resourceId: 'd1',
  operation: 'updated',
  version: seq,
  changedFields: [],
  ...more,
})

interface Polling {
  readonly mode?: 'manual'
  readonly workflow?: string
}

async function poll(parameters: IDataObject, memory: IDataObject, { mode, ...workflow }: Polling = {}) {
  const run = { url: server?.url ?? '', parameters, ...workflow }
  const found = await new CrmTrigger().poll.call(polling(run, memory, mode))
  return found?.[0]?.map(({ json }) => json) ?? null
}

const targets = () => server?.received.map(({ target }) => decodeURIComponent(target))

test('the first poll remembers where the feed is, and the next ones begin the workflow with what came since', async () => {
  const memory = {}
  const made = event(11, 'contact.created')
  await serve(
    cursor('at-10'),
    page(10, [made], 12, true),
    page(12, [], 13),
    page(13, [event(14, 'contact.updated')], 14),
  )
  expect(await poll({ kinds: [] }, memory)).toBeNull()
  expect(await poll({ kinds: [] }, memory)).toEqual([made])
  expect(await poll({ kinds: [] }, memory)).toMatchObject([{ seq: 14 }])
  expect(memory).toEqual({ cursor: 'at-14', toSeq: 14 })
  const query = 'limit=100&resourceTypes=contact,company,deal,task&include=record'
  expect(targets()).toEqual([`${changes}/cursor`, ...[10, 12, 13].map(seq => `${changes}?after=at-${seq}&${query}`)])
})

test('only the chosen kinds begin the workflow, and others are not asked for', async () => {
  const memory = { cursor: 'at-0', toSeq: 0 }
  await serve(page(0, [event(1, 'contact.created'), event(2, 'contact.updated')], 2))
  expect(await poll({ kinds: ['contact.updated'], includeRecord: false }, memory)).toMatchObject([{ seq: 2 }])
  expect(targets()).toEqual([`${changes}?after=at-0&limit=100&resourceTypes=contact`])
})

test('a deal that was won is found in its history, also if it was reopened since', async () => {
  const moved = event(6, 'deal.moved', { version: 5, changedFields: ['stageUuid', 'status'] })
  const history = [
    { kind: 'deal.reopened', dealVersion: 6 },
    { kind: 'deal.won', dealVersion: 5 },
    { kind: 'deal.moved', dealVersion: 5 },
  ]
  await serve(page(4, [event(5, 'deal.moved'), moved], 6), { data: history, meta: { nextCursor: null } })
  expect(await poll({ kinds: ['deal.won'] }, { cursor: 'at-4', toSeq: 4 })).toEqual([{ ...moved, kind: 'deal.won' }])
  expect(targets()?.at(1)).toBe('/api/v1/crm/deals/d1/events?limit=100')
})

test('a deal that was moved to another open stage, or deleted since, was not won', async () => {
  const moved = event(5, 'deal.moved', { changedFields: ['status'] })
  const gone: [number, object] = [404, { error: { code: 'not_found', message: 'There is none.' } }]
  const history = { data: [{ kind: 'deal.lost', dealVersion: 5 }], meta: { nextCursor: null } }
  await serve(page(4, [moved, { ...moved, seq: 6, version: 6 }], 6), history, gone)
  expect(await poll({ kinds: ['deal.won'] }, { cursor: 'at-4', toSeq: 4 })).toBeNull()
})

test('a deal that was won, lost or reopened begins a workflow for all kinds too, behind the event of its move', async () => {
  const moved = event(5, 'deal.moved', { changedFields: ['status'] })
  const history = { data: [{ kind: 'deal.reopened', dealVersion: 5 }], meta: { nextCursor: null } }
  await serve(page(4, [moved], 5), history)
  const reopened = { ...moved, kind: 'deal.reopened' }
  expect(await poll({ kinds: [] }, { cursor: 'at-4', toSeq: 4 })).toEqual([moved, reopened])
})

test('where events are gone, the workflow is told and goes on from the present', async () => {
  const memory = { cursor: 'at-4', toSeq: 4 }
  const expired: [number, object] = [410, { error: { code: 'cursor_expired', message: 'Gone.' } }]
  await serve(expired, cursor('at-90'), page(90, [event(91, 'deal.moved')], 91))
  expect(await poll({ kinds: ['deal.moved'] }, memory)).toMatchObject([{ kind: 'feed.reset', lostAfter: 4 }])
  expect(memory).toEqual({ cursor: 'at-90', toSeq: null })
  expect(await poll({ kinds: ['deal.moved'] }, memory)).toMatchObject([{ seq: 91 }])
})

test.each([
  ['it goes on after 5, not after 4', page(5, [], 6)],
  ['0 events and 0 others', { ...page(4, [event(5, 'deal.moved')], 5), data: [] }],
  [
    '3 events and -1 others',
    page(4, [event(5, 'task.updated'), event(6, 'task.updated'), event(6, 'task.updated')], 6),
  ],
  ['5 comes after 6', page(4, [event(6, 'deal.moved'), event(5, 'deal.moved')], 6)],
  ['5 comes after 5', page(4, [event(5, 'deal.moved'), event(5, 'deal.moved')], 6)],
  ['7 comes after 4', page(4, [event(7, 'deal.moved')], 6)],
  [
    'does not tell which numbers',
    withRange({ fromSeq: null, toSeq: 1, matched: 1, filtered: 0 }, [event(1, 'deal.moved')]),
  ],
  [
    'does not tell which numbers',
    withRange({ fromSeq: 4, toSeq: 5.5, matched: 1, filtered: 0.5 }, [event(5, 'deal.moved')]),
  ],
  [
    'does not tell which numbers',
    withRange({ fromSeq: 4, toSeq: '5', matched: 1, filtered: 0 }, [event(5, 'deal.moved')]),
  ],
])('a page with a gap is an error, and the place stays where it is: %s', async (said, gap) => {
  await serve(gap)
  const memory = { cursor: 'at-4', toSeq: 4 }
  await expect(poll({ kinds: [] }, memory)).rejects.toThrow(said)
  expect(memory).toEqual({ cursor: 'at-4', toSeq: 4 })
})

test('a failure in the middle repeats the whole poll, so that no event is lost', async () => {
  const memory = { cursor: 'at-4', toSeq: 4 }
  const workflow = { workflow: 'failing' }
  const failure: [number, object] = [500, { error: { code: 'internal_error', message: 'Failed.' } }]
  await serve(page(4, [event(5, 'task.updated')], 5, true), failure, page(4, [event(5, 'task.updated')], 5))
  await expect(poll({ kinds: [] }, memory, workflow)).rejects.toThrow('internal_error')
  expect(await poll({ kinds: [] }, memory, workflow)).toMatchObject([{ seq: 5 }])
})

test('a poll that begins while another one of its workflow is under way reads nothing', async () => {
  const memory = { cursor: 'at-4', toSeq: 4 }
  const one = page(4, [event(5, 'task.updated')], 5)
  await serve(one, one)
  const [first, second, another] = await Promise.all([
    poll({ kinds: [] }, memory, { workflow: 'busy' }),
    poll({ kinds: [] }, memory, { workflow: 'busy' }),
    poll({ kinds: [] }, { ...memory }, { workflow: 'other' }),
  ])
  expect([first?.length, second, another?.length]).toEqual([1, null, 1])
})

test('a workflow that was published anew during a poll, with the memory of before it, goes on behind that poll', async () => {
  const before = { cursor: 'at-4', toSeq: 4 }
  await serve(page(4, [event(5, 'task.updated')], 5), page(5, [event(6, 'task.updated')], 6))
  const published = { ...before }
  expect(await poll({ kinds: [] }, before, { workflow: 'anew' })).toMatchObject([{ seq: 5 }])
  expect(await poll({ kinds: [] }, published, { workflow: 'anew' })).toMatchObject([{ seq: 6 }])
  expect(published).toEqual({ cursor: 'at-6', toSeq: 6 })
})

test('a poll takes a thousand events, and the next one goes on behind them', async () => {
  const memory = { cursor: 'at-0', toSeq: 0 }
  const full = (from: number) => {
    const events = Array.from({ length: 100 }, (_, index) => event(from + index + 1, 'task.updated'))
    return page(from, events, from + 100, true)
  }
  await serve(...Array.from({ length: 11 }, (_, index) => full(index * 100)))
  expect(await poll({ kinds: [] }, memory)).toHaveLength(1000)
  expect([server?.received.length, memory.cursor]).toEqual([10, 'at-1000'])
})

test('a trial waits for an event that is wanted, and leaves the place of the workflow alone', async () => {
  const memory = { cursor: 'at-4', toSeq: 4 }
  const wanted = event(11, 'task.updated')
  await serve(cursor('at-9'), page(9, [event(10, 'task.created')], 10), page(10, [wanted], 11))
  expect(await poll({ kinds: ['task.updated'] }, memory, { mode: 'manual' })).toEqual([wanted])
  expect(targets()?.slice(1)).toEqual([
    expect.stringMatching(/after=at-9&limit=100&resourceTypes=task&wait=\d\d&/u),
    expect.stringMatching(/after=at-10&limit=100&resourceTypes=task&wait=\d\d&/u),
  ])
  expect(memory).toEqual({ cursor: 'at-4', toSeq: 4 })
})

test('a trial ends after half a minute, however many events come that are not wanted', async () => {
  let seconds = 0
  vi.spyOn(performance, 'now').mockImplementation(() => 1000 * seconds++)
  const others = Array.from({ length: 30 }, (_, at) => page(at, [event(at + 1, 'task.created')], at + 1))
  await serve(cursor('at-0'), ...others)
  const trial = poll({ kinds: ['task.updated'] }, {}, { mode: 'manual' })
  await expect(trial).rejects.toThrow('No event came within 30 seconds')
  vi.restoreAllMocks()
})
