import { expect, test } from 'vitest'
import { Signal } from './signal.ts'

test('a signal that was raised before ends the next wait, and no other', async () => {
  const signal = new Signal()
  signal.raise()
  signal.raise()
  await signal.wait(60_000)
  let hasEnded = false
  const waiting = signal.wait(60_000).then(() => (hasEnded = true))
  await Promise.resolve()
  expect(hasEnded).toBe(false)
  signal.raise()
  await waiting
})

test('a wait ends after its time', async () => {
  await new Signal().wait(1)
  await new Signal().wait(-1)
})
