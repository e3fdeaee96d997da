import { expect, test } from 'vitest'
import { type Answer, answerOf } from '../core/answer.ts'
import { ConnectionLost, RateLimited, refusal } from '../core/errors.ts'
import type { LogEntry } from '../core/log.ts'
import type { FeedReads } from './feed-page.ts'
import { follow } from './follow.ts'

const lost = () => new ConnectionLost({ code: 'connection_lost', message: '', isRetryable: true })
const expired = () => refusal({ code: 'cursor_expired', message: '', status: 410, details: { resync: 'now' } })
const limited = (retryAfter: number) =>
  new RateLimited({ code: 'rate_limit_exceeded', message: '', status: 429, isRetryable: true, retryAfter })

/** A page with the event after a number. */
function page(fromSeq: number) {
  const meta = { range: { fromSeq, toSeq: fromSeq + 1, matched: 1, filtered: 0 }, nextCursor: `c${fromSeq + 1}` }
  return { data: [{ seq: fromSeq + 1 }], meta, response: new Response(), requestId: '' }
}

/** The same page again: nothing has happened since. */
function still(seq: number, headers: Record<string, string> = {}) {
  const meta = { range: { fromSeq: seq, toSeq: seq, matched: 0, filtered: 0 }, nextCursor: `c${seq}` }
  return { data: [], meta, response: new Response(null, { headers }), requestId: '' }
}

/** A server whose answers are given one after the other, and what the follower waits and tells. */
function script(lists: (ReturnType<typeof page | typeof still> | Error)[], cursors: (string | Error)[] = []) {
  const slept: number[] = []
  const told: LogEntry[] = []
  const asked: string[] = []
  const answer = <T>(value: T | Error | undefined): Promise<T> => {
    if (value === undefined) return Promise.reject(new Error('nothing more is asked'))
    return value instanceof Error ? Promise.reject(value) : Promise.resolve(value)
  }
  const changes: FeedReads<{ readonly seq: number }> = {
    cursor(): Answer<{ cursor: string }> {
      asked.push('cursor')
      const whole = answer(cursors.shift()).then(cursor => ({ ...still(0), data: { cursor } }))
      return answerOf(whole)
    },
    list({ after }) {
      asked.push(after)
      return answerOf(answer(lists.shift()))
    },
  }
  const sleep = async (milliseconds: number) => void slept.push(milliseconds)
  const clock = { now: () => 0, sleep, timeout: () => () => {} }
  const steps = (cursor: string | null) => follow(changes, cursor, {}, { clock, log: entry => told.push(entry) })
  return { steps, slept, told, asked }
}

test('a restart while the cursor of now is read, or just after, does not end a follower that has begun', async () => {
  const { steps, slept, asked } = script([page(0), expired(), lost(), page(9)], [lost(), 'c9'])
  const following = steps('c0')
  expect((await following.next()).value).toMatchObject({ events: [{ seq: 1 }], cursor: 'c1', reset: null })
  expect((await following.next()).value).toEqual({ events: [], cursor: 'c9', reset: { resync: 'now' } })
  expect((await following.next()).value).toMatchObject({ events: [{ seq: 10 }], cursor: 'c10', reset: null })
  expect(asked).toEqual(['c0', 'c1', 'cursor', 'cursor', 'c9', 'c9'])
  expect(slept).toEqual([1000, 1000])
})

test('a follower whose first cursor has expired has begun with the cursor of now', async () => {
  const { steps } = script([expired(), lost(), page(9)], ['c9'])
  const following = steps('c0')
  expect((await following.next()).value).toMatchObject({ cursor: 'c9', reset: { resync: 'now' } })
  expect((await following.next()).value).toMatchObject({ events: [{ seq: 10 }] })
})

test('a server that cannot tell the cursor of now ends a follower that has not begun', async () => {
  const away = lost()
  await expect(script([], [away]).steps(null).next()).rejects.toBe(away)
})

test('each rest is told to the log, and one of more than two minutes ends the follower', async () => {
  const { steps, slept, told } = script([limited(120), page(0), lost(), page(1)])
  const following = steps('c0')
  await following.next()
  await following.next()
  expect([slept, told.map(({ operation, attempt, code, retryIn }) => [operation, attempt, code, retryIn])]).toEqual([
    [120_000, 1000],
    [
      ['changes.list', 1, 'rate_limit_exceeded', 120_000],
      ['changes.list', 1, 'connection_lost', 1000],
    ],
  ])
  const tooLong = limited(121)
  await expect(script([tooLong]).steps('c0').next()).rejects.toBe(tooLong)
})

test('a page that asks for a day is followed by the next within two minutes', async () => {
  const { steps, slept } = script([still(0, { 'retry-after': '86400' }), page(0)])
  await steps('c0').next()
  expect(slept).toEqual([120_000])
})
