import { describe, expect, it } from 'vitest'
import { outcomeOfStatus, probeDelay, retryDelay } from './outcome.rules.ts'

const now = Date.parse('2026-03-02T10:00:00.000Z')
const hour = 3_600_000

describe('an answer', () => {
  it.each([
    [200, 'delivered'],
    [299, 'delivered'],
    [302, 'refused'],
    [400, 'refused'],
    [404, 'refused'],
    [410, 'gone'],
    [429, 'down'],
    [500, 'refused'],
    [501, 'refused'],
    [502, 'down'],
    [503, 'down'],
    [504, 'down'],
  ])('with the status %i is %s', (status, kind) => {
    expect(outcomeOfStatus(status, undefined, now).kind).toBe(kind)
  })

  it.each([
    ['120', 120_000],
    ['Mon, 02 Mar 2026 10:10:00 GMT', 600_000],
    ['Mon, 02 Mar 2026 09:00:00 GMT', 0],
    ['86400', hour],
    ['soon', null],
    [undefined, null],
  ])('can delay the next call by an hour at most, with Retry-After: %s', (text, wait) => {
    expect(outcomeOfStatus(503, text, now).retryAfter).toBe(wait)
  })
})

describe('a refused event', () => {
  it('waits from 5 s to 24 h, up to 20 % shorter or longer, and has ten attempts', () => {
    const delays = Array.from({ length: 10 }, (_, n) => retryDelay(n + 1, 0.5))
    const hours = [0.5, 2, 5, 10, 14, 20, 24].map(each => each * hour)
    expect(delays).toEqual([5000, 300_000, ...hours, null])
    expect([retryDelay(1, 0), retryDelay(1, 1)]).toEqual([4000, 6000])
  })
})

describe('a receiver that is down', () => {
  it('is called after 5 s at first and each hour at last', () => {
    expect([1, 2, 3, 4, 5, 6, 7, 100].map(probeDelay)).toEqual([
      5000,
      30_000,
      120_000,
      300_000,
      900_000,
      1_800_000,
      hour,
      hour,
    ])
  })
})
