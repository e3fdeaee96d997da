import type { IDataObject } from 'n8n-workflow'
import { afterEach, expect, test } from 'vitest'
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

async function poll(parameters: IDataObject, memory: IDataObject, mode?: 'manual') {
  const found = await new CrmTrigger().poll.call(polling({ url: server?.url ?? '', parameters }, memory, mode))
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
  const moved = event(5, 'deal.moved', { changedFields: ['stageUuid', 'status'] })
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

test('where events are gone, the workflow is told and goes on from the present', async () => {
  const memory = { cursor: 'at-4', toSeq: 4 }
  const expired: [number, object] = [410, { error: { code: 'cursor_expired', message: 'Gone.' } }]
  await serve(expired, cursor('at-90'), page(90, [event(91, 'deal.moved')], 91))
  expect(await poll({ kinds: ['deal.moved'] }, memory)).toMatchObject([{ kind: 'feed.reset', lostAfter: 4 }])
  expect(memory).toEqual({ cursor: 'at-90', toSeq: null })
  expect(await poll({ kinds: ['deal.moved'] }, memory)).toMatchObject([{ seq: 91 }])
})

test('a number that is missing is an error, and the place stays where it is', async () => {
  const gap = page(5, [], 6)
  const short = page(4, [event(5, 'deal.moved')], 5)
  await serve(gap, { ...short, data: [] })
  const memory = { cursor: 'at-4', toSeq: 4 }
  await expect(poll({ kinds: [] }, memory)).rejects.toThrow('it goes on after 5, not after 4')
  await expect(poll({ kinds: [] }, memory)).rejects.toThrow('0 events and 0 others')
  expect(memory).toEqual({ cursor: 'at-4', toSeq: 4 })
})

test('a failure in the middle repeats the whole poll, so that no event is lost', async () => {
  const memory = { cursor: 'at-4', toSeq: 4 }
  const failure: [number, object] = [500, { error: { code: 'internal_error', message: 'Failed.' } }]
  await serve(page(4, [event(5, 'deal.moved')], 5, true), failure, page(4, [event(5, 'deal.moved')], 5))
  await expect(poll({ kinds: [] }, memory)).rejects.toThrow('internal_error')
  expect(await poll({ kinds: [] }, memory)).toMatchObject([{ seq: 5 }])
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

test('a trial waits for the next event and leaves the place of the workflow alone', async () => {
  const memory = { cursor: 'at-4', toSeq: 4 }
  await serve(cursor('at-9'), page(9, [event(10, 'task.updated')], 10), cursor('at-10'), page(10, [], 10))
  expect(await poll({ kinds: [] }, memory, 'manual')).toMatchObject([{ seq: 10 }])
  expect(targets()?.at(1)).toContain('after=at-9&limit=100&resourceTypes=contact,company,deal,task&wait=30')
  await expect(poll({ kinds: [] }, memory, 'manual')).rejects.toThrow('No event came within 30 seconds')
  expect(memory).toEqual({ cursor: 'at-4', toSeq: 4 })
})
