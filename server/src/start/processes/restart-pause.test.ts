import { expect, test } from 'vitest'
import { RestartBackoff } from './restart-backoff.ts'

test('the pause grows while a process ends soon, up to half a minute', () => {
  const pause = new RestartBackoff()
  const pauses = Array.from({ length: 10 }, () => pause.after(1000))
  expect(pauses).toEqual([0, 250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
})

test('a process that lived for a minute is started again at once', () => {
  const pause = new RestartBackoff()
  for (let count = 0; count < 8; count += 1) pause.after(59_999)
  expect(pause.isInVain).toBe(true)
  expect(pause.after(60_000)).toBe(0)
  expect(pause.isInVain).toBe(false)
})

test('five ends in a row stop further restarts', () => {
  const pause = new RestartBackoff()
  const shown = Array.from({ length: 5 }, () => {
    pause.after(0)
    return pause.isInVain
  })
  expect(shown).toEqual([false, false, false, false, true])
})
