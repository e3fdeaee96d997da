import { expect, it } from 'vitest'
import { secondsLeft } from './time-left.ts'

const startedAt = '2026-03-02T10:00:00.000Z'
const now = Date.parse(startedAt) + 60_000

it.each([
  [{ startedAt, done: 25, total: 100 }, 180],
  [{ startedAt, done: 99, total: 100 }, 1],
  [{ startedAt, done: 100, total: 100 }, 0],
  [{ startedAt, done: 0, total: 100 }, null],
  [{ startedAt, done: 25, total: null }, null],
  [{ startedAt: null, done: 25, total: 100 }, null],
  [{ startedAt, finishedAt: startedAt, done: 25, total: 100 }, 0],
  [{ startedAt: null, finishedAt: startedAt, done: 0, total: null }, 0],
])('a job with %o has %o seconds left a minute after its start', (progress, left) => {
  expect(secondsLeft({ finishedAt: null, ...progress }, now)).toBe(left)
})
