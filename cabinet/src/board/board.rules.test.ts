import { expect, test } from 'vitest'
import {
  type Board,
  type BoardCard,
  cardsToAsk,
  indexOfDrop,
  mostCards,
  positionAt,
  standsAt,
  withMove,
  withStages,
} from './board.rules.ts'

const card = (id: string, place: number, stageUuid = 'new'): BoardCard => ({
  id,
  version: 1,
  place,
  title: id,
  stageUuid,
  amount: null,
  currency: null,
  ownerUuid: null,
  expectedCloseDate: null,
  stageChangedAt: '2026-03-02T10:00:00.000Z',
  company: null,
})

const board: Board = {
  pipelineId: 'sales',
  stages: [
    { stageUuid: 'new', count: 5, isExact: true, cards: [card('a', 0), card('b', 2), card('c', 4)] },
    { stageUuid: 'won', count: 1, isExact: true, cards: [card('d', 0, 'won')] },
  ],
}
const [first] = board.stages

const idsOf = ({ stages }: Board) => stages.map(({ cards }) => cards.map(({ id }) => id).join(''))

test('a card that moves leaves its stage and stands in the other one, and both counts follow', () => {
  const moved = withMove(board, { card: card('a', 0), stageUuid: 'won', index: 1 })
  expect(idsOf(moved)).toEqual(['bc', 'da'])
  expect(moved.stages.map(({ count }) => count)).toEqual([4, 2])
  expect(moved.stages[1]?.cards[1]?.stageUuid).toBe('won')
})

test('a card that moves within its stage is counted once', () => {
  const moved = withMove(board, { card: card('a', 0), stageUuid: 'new', index: 2 })
  expect(idsOf(moved)).toEqual(['bca', 'd'])
  expect(moved.stages.map(({ count }) => count)).toEqual([5, 1])
})

test('places follow moves that are not answered yet, so that the next move goes where it is dropped', () => {
  const moved = withMove(board, { card: card('c', 4), stageUuid: 'won', index: 0 })
  const [left, reached] = moved.stages.map(({ cards }) => cards)
  expect(reached?.map(({ id, place }) => [id, place])).toEqual([
    ['c', 0],
    ['d', 1],
  ])
  expect(positionAt(reached ?? [], card('a', 0), 0)).toBe(0)
  expect(left?.map(({ place }) => place)).toEqual([0, 2])
  const [within] = withMove(board, { card: card('a', 0), stageUuid: 'new', index: 1 }).stages
  expect(within?.cards.map(({ id, place }) => [id, place])).toEqual([
    ['b', 1],
    ['a', 3],
    ['c', 4],
  ])
})

test('a card that moves to a stage that is not shown leaves the board', () => {
  expect(idsOf(withMove(board, { card: card('a', 0), stageUuid: 'elsewhere', index: 0 }))).toEqual(['bc', 'd'])
})

test('the position of a move follows from the places of the cards around it, though some deals of the stage are not shown', () => {
  const [cards, other] = [first?.cards ?? [], card('x', 0, 'won')]
  expect([0, 1, 2, 3].map(index => positionAt(cards, other, index))).toEqual([0, 2, 4, 5])
  expect(positionAt([], other, 0)).toBeUndefined()
})

test('the position within the own stage is counted without the card that moves', () => {
  const cards = first?.cards ?? []
  expect(positionAt(cards, card('a', 0), 1)).toBe(3)
  expect(positionAt(cards, card('a', 0), 2)).toBe(4)
  expect(positionAt(cards, card('c', 4), 0)).toBe(0)
  expect(positionAt(cards, card('c', 4), 1)).toBe(2)
})

test('a drop before or after a card becomes an index among the other cards', () => {
  const cards = first?.cards ?? []
  const other = card('x', 0, 'won')
  expect(indexOfDrop(cards, other, { id: 'b', isAfter: false })).toBe(1)
  expect(indexOfDrop(cards, other, { id: 'c', isAfter: true })).toBe(3)
  expect(indexOfDrop(cards, card('a', 0), { id: 'b', isAfter: true })).toBe(1)
  expect(indexOfDrop(cards, other, null)).toBe(0)
})

test('a drop where the card already stands is none', () => {
  const stands = (stageUuid: string, index: number) =>
    first !== undefined && standsAt(first, card('b', 2), { card: card('b', 2), stageUuid, index })
  expect(stands('new', 1)).toBe(true)
  expect(stands('new', 0)).toBe(false)
  expect(stands('won', 1)).toBe(false)
})

test('more cards are asked for in steps, up to what the server shows', () => {
  expect([50, 73, 150, 200].map(cardsToAsk)).toEqual([100, 150, 200, mostCards])
})

test('a stage that was read again takes the place of its older state', () => {
  const newer = { stageUuid: 'won', count: 0, isExact: true, cards: [] }
  expect(idsOf(withStages(board, [newer]))).toEqual(['abc', ''])
})
