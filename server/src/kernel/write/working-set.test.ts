import { describe, expect, it } from 'vitest'
import { aRecord } from '../../../../test/support/decisions.ts'
import { gig } from '../../../../test/support/sample-resources.ts'
import { defineResource, type RecordState } from '../abilities/index.ts'
import { Refusal, requiredText } from '../schema/index.ts'
import { mostAffected, Needs } from './needs.ts'
import { goneKey, WorkingSet } from './working-set.ts'

const note = defineResource({
  kind: 'note',
  plural: 'notes',
  title: 'Note',
  scopes: { read: 'crm_contacts_read', write: 'crm_contacts_write', delete: 'crm_contacts_delete' },
  fields: { text: requiredText({ max: 100 }) },
})

const idOf = (digit: number) => `0197e2a4-0000-7000-8000-00000000000${digit}`

const aNote = (digit: number, members: Partial<RecordState> = {}) => aRecord(note, { id: idOf(digit), ...members })

const refusalOf = (result: unknown) =>
  result instanceof Refusal ? [result.status, result.code, result.details] : result

describe('a reference', () => {
  it('stands for a record that was loaded, by id in any case or by key', () => {
    const work = new WorkingSet()
    work.loadReferred('note', idOf(1), false)
    work.loadKey('note', 'k', { state: 'live', resourceId: idOf(1) })
    expect(work.resolve('note', { id: idOf(1).toUpperCase() })).toBe(idOf(1))
    expect(work.resolve('note', { externalId: 'k' })).toBe(idOf(1))
  })

  it('stands for a record that an earlier decision of the transaction has made', () => {
    const work = new WorkingSet()
    work.apply({ resource: note, before: null, after: aNote(1, { externalId: 'k' }) })
    expect(work.resolve('note', { id: idOf(1) })).toBe(idOf(1))
    expect(work.resolve('note', { externalId: 'k' })).toBe(idOf(1))
  })

  it('to nothing is 404 at its place, also to a record of another kind', () => {
    const work = new WorkingSet()
    work.loadReferred('note', idOf(1), false)
    expect(refusalOf(work.resolve('note', { id: idOf(2) }, '/notes/0'))).toEqual([
      404,
      'not_found',
      { path: '/notes/0' },
    ])
    expect(refusalOf(work.resolve('note', { externalId: 'k' }, '/notes/0'))).toEqual([
      404,
      'not_found',
      { path: '/notes/0' },
    ])
    expect(refusalOf(work.resolve('task', { id: idOf(1) }, '/tasks/0'))).toEqual([
      404,
      'not_found',
      { path: '/tasks/0' },
    ])
  })

  it('to an anonymized record is 410 resource_deleted, by id and by key', () => {
    const work = new WorkingSet()
    work.loadReferred('note', idOf(1), true)
    work.loadKey('note', 'k', { state: 'gone', resourceId: idOf(1), reason: 'anonymized' })
    expect(refusalOf(work.resolve('note', { id: idOf(1) }, '/x'))).toEqual([410, 'resource_deleted', { path: '/x' }])
    expect(refusalOf(work.resolve('note', { externalId: 'k' }, '/x'))).toEqual([
      410,
      'resource_deleted',
      { kind: 'note', path: '/x' },
    ])
  })

  it.each(['deleted', 'merged'] as const)('to the key of a %s record is 410 external_reference_deleted', reason => {
    const work = new WorkingSet()
    work.loadKey('note', 'k', { state: 'gone', resourceId: idOf(1), reason })
    expect(refusalOf(work.resolve('note', { externalId: 'k' }))).toEqual([
      410,
      'external_reference_deleted',
      { kind: 'note' },
    ])
    expect(refusalOf(goneKey('note', reason))).toStrictEqual([410, 'external_reference_deleted', { kind: 'note' }])
  })
})

describe('a reference that a record has already', () => {
  it('may stay although what it refers to was anonymized', () => {
    const work = new WorkingSet()
    work.loadReferred('note', idOf(1), true)
    for (const held of [idOf(1), [idOf(2), idOf(1)]]) {
      expect(work.resolve('note', { id: idOf(1) }, '/x', held)).toBe(idOf(1))
    }
    for (const held of [idOf(2), [idOf(2)], null, undefined]) {
      expect(refusalOf(work.resolve('note', { id: idOf(1) }, '/x', held))).toEqual([
        410,
        'resource_deleted',
        { path: '/x' },
      ])
    }
    expect(refusalOf(work.resolve('note', { id: idOf(1) }))).toStrictEqual([410, 'resource_deleted', {}])
  })
})

describe('what is loaded', () => {
  it('is found by kind and name, and nothing else is', () => {
    const work = new WorkingSet()
    expect([work.key('note', 'k'), work.extra('rows'), work.record('note', idOf(1))]).toEqual([null, [], null])
    work.loadKey('note', 'k', { state: 'live', resourceId: idOf(1) })
    work.loadExtra('rows', [{ id: 1 }])
    expect(work.extra('rows')).toEqual([{ id: 1 }])
    expect(work.key('task', 'k')).toBeNull()
    work.forgetKey('task', 'k')
    expect(work.key('note', 'k')).toEqual({ state: 'live', resourceId: idOf(1) })
    work.forgetKey('note', 'k')
    expect(work.key('note', 'k')).toBeNull()
  })

  it('belongs to a record where it names it as its parent', () => {
    const work = new WorkingSet()
    for (const [id, bandId] of [
      ['a', 'one'],
      ['b', 'other'],
      ['c', 'one'],
    ])
      work.load(gig, aRecord(gig, { id, bandId }))
    expect(work.nestedIn(gig, 'one').map(({ id }) => id)).toEqual(['a', 'c'])
  })

  it('belongs to the record that a step has given it to, until it is gone', () => {
    const work = new WorkingSet()
    const before = aRecord(gig, { id: 'a', bandId: 'one' })
    const after = { ...before, bandId: 'other' }
    work.load(gig, before)
    work.take({ resource: gig, before, after })
    for (const set of [work, work.copy(), new WorkingSet(work)])
      expect([set.nestedIn(gig, 'one'), set.nestedIn(gig, 'other')]).toEqual([[], [after]])
    work.take({ resource: gig, before: after, after: null })
    expect(work.nestedIn(gig, 'other')).toEqual([])
  })
})

describe('decided steps', () => {
  it('change the records that are nested in the record as well', () => {
    const work = new WorkingSet()
    const before = aRecord(gig, { id: 'gig' })
    const [place, added] = [{ ...before, place: 'Hall' }, aRecord(gig, { id: 'added' })]
    work.load(gig, before)
    const nested = [
      { resource: gig, before, after: place },
      { resource: gig, before: null, after: added },
    ]
    work.apply({ resource: note, before: aNote(1), after: aNote(1, { version: 2 }), nested })
    expect([work.record('gig', 'gig'), work.record('gig', 'added')]).toEqual([place, added])
    expect([...work.changed()].map(({ resource }) => resource.kind)).toEqual(['gig', 'note', 'gig'])
    expect(work.effects).toHaveLength(1)
  })

  it('leave a key that another record has got since', () => {
    const work = new WorkingSet()
    work.loadKey('note', 'k', { state: 'live', resourceId: idOf(2) })
    work.apply({ resource: note, before: aNote(1, { externalId: 'k' }), after: null })
    expect(work.key('note', 'k')).toEqual({ state: 'live', resourceId: idOf(2) })
  })

  it('free the key of a record that goes, and touch no other', () => {
    const work = new WorkingSet()
    work.loadKey('note', 'k', { state: 'live', resourceId: idOf(1) })
    work.apply({
      resource: note,
      before: aNote(1, { externalId: 'k' }),
      after: aNote(1, { externalId: 'k', version: 2 }),
    })
    expect(work.key('note', 'k')).toEqual({ state: 'live', resourceId: idOf(1) })
    work.apply({ resource: note, before: aNote(1, { externalId: 'k' }), after: null })
    expect(work.key('note', 'k')).toBeNull()
    work.apply({ resource: note, before: aNote(2), after: null })
    expect(work.key('note', 'null')).toBeNull()
  })

  it('are seen by later decisions', () => {
    const work = new WorkingSet()
    const [before, after] = [aNote(1), aNote(1, { version: 2, text: 'second' })]
    work.load(note, before)
    work.apply({ resource: note, before, after })
    expect(work.record('note', idOf(1))).toEqual(after)
    work.apply({ resource: note, before: after, after: null })
    expect(work.record('note', idOf(1))).toBeNull()
  })

  it('of one record fold into one row change, with all their effects', () => {
    const work = new WorkingSet()
    const states = [1, 2, 3].map(version => aNote(1, { version, text: `text ${version}` }))
    const [first, second, third] = states
    if (first === undefined || second === undefined || third === undefined) throw new Error('three states are needed')
    work.load(note, first)
    work.load(note, aNote(2))
    work.apply({ resource: note, before: first, after: second })
    work.apply({ resource: note, before: second, after: third })
    expect([...work.changed()]).toEqual([{ resource: note, before: first, current: third }])
    expect(work.effects).toHaveLength(2)
  })

  it('take a key to the record that has it now', () => {
    const work = new WorkingSet()
    const before = aNote(1, { externalId: 'old' })
    work.load(note, before)
    work.loadKey('note', 'old', { state: 'live', resourceId: idOf(1) })
    work.apply({ resource: note, before, after: aNote(1, { externalId: 'new', version: 2 }) })
    expect(work.key('note', 'old')).toBeNull()
    expect(work.key('note', 'new')).toEqual({ state: 'live', resourceId: idOf(1) })
  })

  it('show removed and foreign records not as siblings', () => {
    const work = new WorkingSet()
    work.load(note, aNote(1))
    work.load(note, aNote(2))
    work.apply({ resource: note, before: aNote(2), after: null })
    expect([...work.siblings('note')].map(({ id }) => id)).toEqual([idOf(1)])
    expect([...work.siblings('task')]).toEqual([])
  })

  it('are none where nothing was applied', () => {
    const work = new WorkingSet()
    work.load(note, aNote(1))
    expect([[...work.changed()], work.effects]).toEqual([[], []])
  })
})

describe('what a mutation needs', () => {
  it('names each record once, in lower case, and each key with whether it may come into being', () => {
    const needs = new Needs()
    needs.toChange(note, { id: idOf(1).toUpperCase() })
    needs.toChange(note, { id: idOf(1) })
    needs.toChange(note, { externalId: 'k' })
    needs.toRefer(note, { externalId: 'r' })
    needs.toCreate('note', 'k')
    const round = needs.take()
    expect(round?.change.get(note)).toEqual({ ids: new Set([idOf(1)]), keys: new Set(['k']) })
    expect(round?.refer.get(note)).toEqual({ ids: new Set(), keys: new Set(['r']) })
    expect([...(round?.keys.values() ?? [])]).toEqual([
      { kind: 'note', key: 'k', mayCreate: true },
      { kind: 'note', key: 'r', mayCreate: false },
    ])
  })

  it('keeps that a key may come into being, whichever is said first', () => {
    const needs = new Needs()
    needs.toCreate('note', 'k')
    needs.toRefer(note, { externalId: 'k' })
    expect([...(needs.take()?.keys.values() ?? [])]).toEqual([{ kind: 'note', key: 'k', mayCreate: true }])
  })

  it('keeps equal keys of different kinds apart', () => {
    const needs = new Needs()
    needs.toCreate('note', 'k')
    needs.toCreate('task', 'k')
    expect(needs.take()?.keys.size).toBe(2)
  })

  it('is asked for once, however often it is said', () => {
    const needs = new Needs()
    const say = () => {
      needs.toChange(note, { id: idOf(1) })
      needs.toRefer(note, { id: idOf(2) })
      needs.toCreate('note', 'k')
      needs.toKnow('tag', 'k')
      needs.toLoadAllKeysOf(idOf(1))
      needs.toLoadNestedIn(note, idOf(1))
      needs.toLoadNested(note, idOf(3))
      needs.toFollow(note, idOf(4), mostAffected)
    }
    say()
    expect(needs.take()).not.toBeNull()
    say()
    expect(needs.take()).toBeNull()
  })

  it('asks for a key again with each record that is found by it, because it may lead to another one by then', () => {
    const needs = new Needs()
    needs.toCreate('note', 'k')
    needs.take()
    needs.toChange(note, { externalId: 'k' })
    expect([...(needs.take()?.keys.values() ?? [])]).toEqual([{ kind: 'note', key: 'k', mayCreate: false }])
  })

  it('takes in what follows as long as one request may change that much', () => {
    const needs = new Needs()
    needs.toFollow(note, idOf(1), mostAffected - 1)
    needs.toFollow(note, idOf(2), 2)
    needs.toFollow(note, idOf(3), 1)
    expect(needs.take()?.nested.get(note)?.parents).toEqual(new Set([idOf(1), idOf(3)]))
  })
})
