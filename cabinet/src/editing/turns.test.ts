import { expect, test } from 'vitest'
import { OwnVersions, Turns } from './turns.ts'

test('what is done to one record is done in turn, also when it fails, and to another at once', async () => {
  const turns = new Turns()
  const done: string[] = []
  let finish = () => {}
  const first = turns.run('a', async () => {
    await new Promise<void>(resolve => {
      finish = resolve
    })
    done.push('first')
    throw new Error('refused')
  })
  const second = turns.run('a', () => Promise.resolve(done.push('second')))
  await turns.run('b', () => Promise.resolve(done.push('other')))
  expect(done).toEqual(['other'])
  finish()
  await expect(first).rejects.toThrow('refused')
  await second
  expect(done).toEqual(['other', 'first', 'second'])
  await turns.settled()
})

test('who saw a version before own saves is no conflict to them', () => {
  const own = new OwnVersions()
  expect(own.after('a', 3)).toBe(3)
  own.note('a', 3, 4)
  own.note('a', 4, 5)
  expect([2, 3, 4, 5, 6].map(version => own.after('a', version))).toEqual([2, 5, 5, 5, 6])
  // Somebody else has written version 6.
  own.note('a', 6, 7)
  expect([3, 5, 6].map(version => own.after('a', version))).toEqual([3, 5, 7])
  expect(own.after('b', 3)).toBe(3)
})

test('the saves of 500 records are remembered', () => {
  const own = new OwnVersions()
  for (let index = 0; index <= 500; index += 1) own.note(String(index), 1, 2)
  expect([own.after('0', 1), own.after('1', 1)]).toEqual([1, 2])
})
