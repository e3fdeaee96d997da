import { expect, onTestFinished, test, vi } from 'vitest'
import { ClientGone } from '../input/call.ts'
import { FairSemaphore, Overloaded, type SemaphoreBounds } from './fair-semaphore.ts'

const fairSemaphore = (bounds: Partial<SemaphoreBounds> = {}) =>
  new FairSemaphore({ name: 'place', places: 4, perKey: 2, waiting: 10, milliseconds: 10_000, ...bounds })

const goneAlready = (listener: () => void) => {
  listener()
  return () => {}
}

/** Enters in the background, and notes the names in the order in which they got in. */
function queue(gate: FairSemaphore, order: string[], name: string, label = name): Promise<() => void> {
  const entered = gate.enter(name)
  void entered.then(() => order.push(label))
  return entered
}

test('one key gets its share, and another one the rest', async () => {
  const gate = fairSemaphore()
  const order: string[] = []
  const first = await queue(gate, order, 'a', 'a1')
  await queue(gate, order, 'a', 'a2')
  const third = queue(gate, order, 'a', 'a3')
  await queue(gate, order, 'b', 'b1')
  expect(order).toEqual(['a1', 'a2', 'b1'])
  first()
  await third
  expect(order).toEqual(['a1', 'a2', 'b1', 'a3'])
})

test('waiting keys take turns, however many requests of one wait', async () => {
  const gate = fairSemaphore({ places: 1 })
  const order: string[] = []
  const leave = await gate.enter('a')
  const waiting = ['a1', 'a2', 'a3', 'b1', 'c1'].map(label => queue(gate, order, label.charAt(0), label))
  leave()
  for (const entered of [waiting[0], waiting[3], waiting[4], waiting[1], waiting[2]]) (await entered)?.()
  expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'a3'])
  expect(gate.usage()).toEqual({ inside: 0, waiting: 0 })
})

test('beyond the bound of one key it refuses at once, and lets another key wait', async () => {
  const gate = fairSemaphore({ places: 1, waiting: 1 })
  const leave = await gate.enter('a')
  const waiting = gate.enter('a')
  await expect(gate.enter('a')).rejects.toBeInstanceOf(Overloaded)
  const other = gate.enter('b')
  leave()
  ;(await waiting)()
  ;(await other)()
})

test('a request that waits too long is refused, and leaves no trace', async () => {
  const gate = fairSemaphore({ perKey: 1, milliseconds: 5 })
  const leave = await gate.enter('a')
  await expect(gate.enter('a')).rejects.toMatchObject({ bound: 'place' })
  leave()
  expect(gate.usage()).toEqual({ inside: 0, waiting: 0 })
})

test('a client that has left does not enter, also when it left before it waited', async () => {
  const gate = fairSemaphore({ places: 1 })
  const leave = await gate.enter('a')
  let hangUp = () => {}
  const waiting = gate.enter('a', listener => {
    hangUp = listener
    return () => {}
  })
  hangUp()
  await expect(waiting).rejects.toBeInstanceOf(ClientGone)
  await expect(gate.enter('a', goneAlready)).rejects.toBeInstanceOf(ClientGone)
  leave()
  expect(gate.usage()).toEqual({ inside: 0, waiting: 0 })
})

test('work that fails gives its place back', async () => {
  const gate = fairSemaphore({ places: 1 })
  await expect(gate.pass('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await gate.pass('a', async () => 'done')).toBe('done')
})

test('a key has fewer places while another one comes too, and all of them again when it is alone', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const gate = fairSemaphore({ perKey: 4, perKeyBesideOthers: 1 })
  const order: string[] = []
  const ofB = await queue(gate, order, 'b')
  const ofA = await queue(gate, order, 'a', 'a1')
  const waiting = ['a2', 'a3', 'a4'].map(label => queue(gate, order, 'a', label))
  ofB()
  await Promise.resolve()
  expect(order).toEqual(['b', 'a1'])
  vi.advanceTimersByTime(1001)
  ofA()
  await Promise.all(waiting)
  expect(order).toEqual(['b', 'a1', 'a2', 'a3', 'a4'])
})
