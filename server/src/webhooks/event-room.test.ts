import { expect, it } from 'vitest'
import { webhookBounds } from './bounds.ts'
import { EventRoom } from './event-room.ts'

const { most } = webhookBounds.webhookEventBytes
const quarter = most / 4

/** Lanes that ask one room for pages, and the order in which they got them. */
function lanesOf(room: EventRoom) {
  const served: string[] = []
  const lane = (name: string, bytes = quarter) => {
    const ask = () => {
      if (room.enter(bytes, ask)) served.push(name)
    }
    return ask
  }
  return { served, lane }
}

it('a lane that waits for room is served before one that asks later, although that one needs less', () => {
  const room = new EventRoom()
  const { served, lane } = lanesOf(room)
  for (const name of ['a', 'b', 'c', 'd']) lane(name)()
  lane('large', 2 * quarter)()
  lane('small')()
  room.give(quarter)
  lane('late')()
  expect([served, room.taken]).toEqual([['a', 'b', 'c', 'd'], 3 * quarter])
  room.give(quarter)
  room.give(quarter)
  room.give(quarter)
  expect(served.slice(4)).toEqual(['large', 'small', 'late'])
  expect(room.taken).toBe(most)
})

it('a lane that asks again while it waits keeps its turn', () => {
  const room = new EventRoom()
  const { served, lane } = lanesOf(room)
  for (const name of ['a', 'b', 'c', 'd']) lane(name)()
  const [first, second] = [lane('first'), lane('second')]
  for (const ask of [first, second, first]) ask()
  room.give(quarter)
  expect(served.at(-1)).toBe('first')
})

it('a lane that leaves, or needs no room when it is called, makes way for the next one', () => {
  const room = new EventRoom()
  const { served, lane } = lanesOf(room)
  lane('all', most)()
  const calls: string[] = []
  const ended = () => void calls.push('ended')
  expect(room.enter(quarter, ended)).toBe(false)
  const large = lane('large', most)
  large()
  lane('next')()
  room.give(most / 2)
  expect([calls, served]).toEqual([['ended'], ['all']])
  room.leave(large)
  expect(served).toEqual(['all', 'next'])
})
