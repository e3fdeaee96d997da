import { expect, test } from 'vitest'
import { CrmError } from './errors.ts'
import { pauseAfter, retryAfterOf } from './retry.ts'

const busy = (retryAfter: number | null = null) =>
  new CrmError({ code: 'service_unavailable', message: '', status: 503, retryAfter, isRetryable: true })

test('a wait is any part of a time that doubles up to 8 seconds', () => {
  for (const [attempt, longest] of [500, 1_000, 2_000, 4_000, 8_000, 8_000].entries())
    expect([0, 0.5, 1].map(part => pauseAfter(busy(), attempt + 1, () => part))).toEqual([0, longest / 2, longest])
})

test('a wait is never shorter than the server asks for', () => {
  expect(pauseAfter(busy(5), 1, () => 0)).toBe(5_000)
  expect(pauseAfter(busy(5), 1, () => 1)).toBe(5_500)
})

test('what may not be sent again, or would fail again, has no wait', () => {
  expect(pauseAfter(new CrmError({ code: 'validation_error', message: '' }), 1, () => 0)).toBe(null)
  expect(pauseAfter(new CrmError({ code: 'x', message: '', status: 500, isRetryable: true }), 1, () => 0)).toBe(null)
})

test.each([
  ['7', 7],
  ['0', 0],
  ['Mon, 02 Mar 2026 10:00:30 GMT', 30],
  ['Mon, 02 Mar 2026 09:00:00 GMT', 0],
  ['soon', null],
  ['-1', null],
  [undefined, null],
])('Retry-After %s is %s seconds', (text, seconds) => {
  const headers = new Headers(text === undefined ? {} : { 'retry-after': text })
  expect(retryAfterOf(headers, Date.parse('2026-03-02T10:00:00Z'))).toBe(seconds)
})
