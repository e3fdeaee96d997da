import { describe, expect, it } from 'vitest'
import { singer } from '../../../../test/support/sample-resources.ts'
import { Lookup } from '../record/index.ts'
import { statement } from '../sql/index.ts'
import { mostAffected, Needs, Round } from './needs.ts'

const select = statement('needed_rows', 'select organization_id from singers where organization_id = $1')

const idOf = (digit: number) => `0197e2a4-0000-7000-8000-00000000000${digit}`

describe('the needs of a mutation', () => {
  it('name each record once, in lower case, and each key with whether it may be created', () => {
    const needs = new Needs()
    needs.toChange(singer, { id: idOf(1).toUpperCase() })
    needs.toChange(singer, { id: idOf(1) })
    needs.toChange(singer, { externalId: 'k' })
    needs.toRefer(singer, { externalId: 'r' })
    needs.toCreate('singer', 'k')
    const round = needs.take()
    expect(round?.change.get(singer)).toEqual({ ids: new Set([idOf(1)]), keys: new Set(['k']) })
    expect(round?.refer.get(singer)).toEqual({ ids: new Set(), keys: new Set(['r']) })
    expect([...(round?.keys.values() ?? [])]).toEqual([
      { kind: 'singer', key: 'k', mayCreate: true },
      { kind: 'singer', key: 'r', mayCreate: false },
    ])
  })

  it('keep that a key may be created, in whichever order they are added', () => {
    const needs = new Needs()
    needs.toCreate('singer', 'k')
    needs.toRefer(singer, { externalId: 'k' })
    expect([...(needs.take()?.keys.values() ?? [])]).toEqual([{ kind: 'singer', key: 'k', mayCreate: true }])
  })

  it('keep equal keys of different kinds apart', () => {
    const needs = new Needs()
    needs.toCreate('singer', 'k')
    needs.toCreate('task', 'k')
    expect(needs.take()?.keys.size).toBe(2)
  })

  it('load each record once, however often it is added', () => {
    const needs = new Needs()
    const say = () => {
      needs.toChange(singer, { id: idOf(1) })
      needs.toRefer(singer, { id: idOf(2) })
      needs.toCreate('singer', 'k')
      needs.toKnow('tag', 'k')
      needs.toLoad(Lookup.rows(select, [idOf(1)]))
      needs.toLoadNestedIn(singer, idOf(1))
      needs.toLoadNested(singer, idOf(3))
      needs.toFollow(singer, idOf(4), mostAffected)
    }
    say()
    expect(needs.take()).not.toBeNull()
    say()
    expect(needs.take()).toBeNull()
  })

  it('load a key again with each record that is found by it, because it may lead to another one by then', () => {
    const needs = new Needs()
    needs.toCreate('singer', 'k')
    needs.take()
    needs.toChange(singer, { externalId: 'k' })
    expect([...(needs.take()?.keys.values() ?? [])]).toEqual([{ kind: 'singer', key: 'k', mayCreate: false }])
  })

  it('include referring records up to the bound of one request', () => {
    const needs = new Needs()
    needs.toFollow(singer, idOf(1), mostAffected - 1)
    needs.toFollow(singer, idOf(2), 2)
    needs.toFollow(singer, idOf(3), 1)
    expect(needs.take()?.nested.get(singer)?.parents).toEqual(new Set([idOf(1), idOf(3)]))
  })

  it('count each referring record once, however often it is added', () => {
    const needs = new Needs()
    needs.toFollow(singer, idOf(1), mostAffected / 2)
    needs.toFollow(singer, idOf(1), mostAffected / 2)
    needs.toFollow(singer, idOf(2), mostAffected / 2)
    expect(needs.take()?.nested.get(singer)?.parents).toEqual(new Set([idOf(1), idOf(2)]))
  })

  it('distinguish names that look alike when they are joined', () => {
    const needs = new Needs()
    needs.toCreate('singer', 'sk')
    needs.toCreate('singers', 'k')
    needs.toChange(singer, { id: 'same' })
    needs.toChange(singer, { externalId: 'same' })
    const round = needs.take()
    expect([...(round?.keys.values() ?? [])].map(({ kind, key }) => `${kind} ${key}`)).toEqual([
      ...['singer sk', 'singers k', 'singer same'],
    ])
    expect(round?.change.get(singer)).toEqual({ ids: new Set(['same']), keys: new Set(['same']) })
  })
})

const rows = Lookup.rows(select, [])

/** Each need by itself, and what a round has of it. */
const each = [
  {
    need: 'a nested record',
    say: (needs: Needs) => needs.toLoadNested(singer, 'n'),
    has: { nested: new Map([[singer, { ids: new Set(['n']), parents: new Set() }]]) },
  },
  {
    need: 'the nested records of a parent',
    say: (needs: Needs) => needs.toLoadNestedIn(singer, 'p'),
    has: { nested: new Map([[singer, { ids: new Set(), parents: new Set(['p']) }]]) },
  },
  {
    need: 'a key',
    say: (needs: Needs) => needs.toKnow('tag', 'k'),
    has: { keys: new Map([['tag\0k', { kind: 'tag', key: 'k', mayCreate: false }]]) },
  },
  { need: 'one more of a kind', say: (needs: Needs) => needs.toAdd(singer), has: { added: new Set(['singer']) } },
  { need: 'a look-up', say: (needs: Needs) => needs.toLoad(rows), has: { lookups: [rows] } },
]

describe.each(each)('$need', ({ say, has }) => {
  it('is a need, alone and beside another one, until it is taken', () => {
    const needs = new Needs()
    expect(needs.take()).toBeNull()
    say(needs)
    expect(needs.take()).toMatchObject(has)
    say(needs)
    expect(needs.take()).toBeNull()

    const both = new Needs()
    both.toChange(singer, { id: idOf(1) })
    say(both)
    expect(both.take()).toMatchObject(has)
  })
})

describe('a round of needs', () => {
  const roundOf = (say: (needs: Needs) => void) => {
    const needs = new Needs()
    say(needs)
    return needs.take() ?? new Round()
  }

  it('counts its records and keys', () => {
    const sizes = [
      roundOf(needs => needs.toChange(singer, { id: 'a' })),
      roundOf(needs => needs.toRefer(singer, { id: 'a' })),
      // By key, which is asked for as well.
      roundOf(needs => needs.toRefer(singer, { externalId: 'a' })),
      roundOf(needs => needs.toLoadNested(singer, 'a')),
      roundOf(needs => needs.toLoadNestedIn(singer, 'a')),
      roundOf(needs => needs.toKnow('tag', 'a')),
      new Round(),
    ].map(round => round.size)
    expect(sizes).toEqual([1, 1, 2, 1, 1, 1, 0])
    const all = roundOf(needs => {
      for (const id of ['a', 'b', 'c']) needs.toChange(singer, { id })
      needs.toRefer(singer, { externalId: 'd' })
      for (const id of ['a', 'b']) needs.toLoadNested(singer, id)
      needs.toLoadNestedIn(singer, 'a')
      needs.toKnow('tag', 'a')
    })
    expect(all.size).toBe(9)
  })

  it('includes another one, so that both are loaded together', () => {
    const one = roundOf(needs => {
      needs.toChange(singer, { id: 'a' })
      needs.toCreate('singer', 'k')
      needs.toLoadNested(singer, 'n')
    })
    const other = roundOf(needs => {
      needs.toChange(singer, { id: 'b' })
      needs.toChange(singer, { externalId: 'c' })
      needs.toRefer(singer, { externalId: 'k' })
      needs.toLoadNested(singer, 'm')
      needs.toLoadNestedIn(singer, 'p')
      needs.toKnow('tag', 't')
    })
    one.include(other)
    expect(one.change).toEqual(new Map([[singer, { ids: new Set(['a', 'b']), keys: new Set(['c']) }]]))
    expect(one.refer).toEqual(new Map([[singer, { ids: new Set(), keys: new Set(['k']) }]]))
    expect(one.nested).toEqual(new Map([[singer, { ids: new Set(['n', 'm']), parents: new Set(['p']) }]]))
    const keys = (round: Round) => [...round.keys.values()].map(({ key, mayCreate }) => [key, mayCreate])
    expect(keys(one)).toEqual([
      ['k', true],
      ['c', false],
      ['t', false],
    ])
    // Whichever comes first, a key that may come into being is locked.
    other.include(one)
    expect(new Map(keys(other).map(([key, mayCreate]) => [key, mayCreate])).get('k')).toBe(true)
  })
})
