import { expect, test } from 'vitest'
import { isWorthAnotherTry, type Sent, submit } from './submission.ts'

test('a submission is repeated until the server has answered it', async () => {
  const answers: Sent<string, never>[] = [
    { outcome: 'again' },
    { outcome: 'again', afterMilliseconds: 70 },
    { outcome: 'saved', answer: 'v2' },
  ]
  const [told, pauses]: [boolean[], number[]] = [[], []]
  const result = await submit(() => Promise.resolve(answers.shift() ?? { outcome: 'again' }), {
    onWaiting: isWaiting => told.push(isWaiting),
    pause: milliseconds => Promise.resolve(void pauses.push(milliseconds)),
    signal: new AbortController().signal,
  })
  expect(result).toEqual({ outcome: 'saved', answer: 'v2' })
  expect([told, pauses]).toEqual([
    [true, true, false],
    [500, 70],
  ])
})

test('a form that gives up stops asking', async () => {
  const giveUp = new AbortController()
  const result = await submit(() => Promise.resolve({ outcome: 'again' }), {
    onWaiting: () => {},
    pause: () => Promise.resolve(giveUp.abort()),
    signal: giveUp.signal,
  })
  expect(result).toBeUndefined()
})

test('what the server refuses for good is not tried again', () => {
  expect([400, 403, 404, 409, 422].map(status => isWorthAnotherTry(status, 'version_conflict'))).not.toContain(true)
  expect(isWorthAnotherTry(0, 'unreachable')).toBe(true)
  expect(isWorthAnotherTry(503, 'service_unavailable')).toBe(true)
  expect(isWorthAnotherTry(409, 'idempotency_in_progress')).toBe(true)
})
