import { expect, test } from 'vitest'
import { Throttle } from './throttle.ts'

/** Notes each time that a name was really done. */
function noting(most = 3) {
  const done: string[] = []
  const once = new Throttle(1000, most)
  const at = (now: number, name: string) => once.do(name, now, async () => void done.push(name))
  return { once, done, at }
}

test('a throttle runs the work once in its interval, and then again', async () => {
  const { done, at } = noting()
  for (const now of [0, 1, 999, 1000, 1999]) await at(now, 'a')
  expect(done).toEqual(['a', 'a'])
})

test('a throttle remembers a bounded number of keys, and forgets the oldest', async () => {
  const { done, at } = noting(3)
  for (const name of ['a', 'b', 'c', 'd', 'b', 'a']) await at(0, name)
  expect(done).toEqual(['a', 'b', 'c', 'd', 'a'])
})

test('a caller that comes meanwhile waits for the work', async () => {
  const { once } = noting()
  let finish = () => {}
  const first = once.do('a', 0, () => new Promise(resolve => void (finish = resolve)))
  let isOver = false
  const second = once.do('a', 0, () => Promise.reject(new Error('done twice'))).then(() => void (isOver = true))
  await new Promise(setImmediate)
  expect(isOver).toBe(false)
  finish()
  await Promise.all([first, second])
})

test('work that failed is tried again', async () => {
  const { once, done, at } = noting()
  await expect(once.do('a', 0, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  await at(0, 'a')
  expect(done).toEqual(['a'])
})
