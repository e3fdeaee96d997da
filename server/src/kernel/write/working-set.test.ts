import { describe, expect, it } from 'vitest'
import { aRecord } from '../../../../test/support/decisions.ts'
import { gig } from '../../../../test/support/sample-resources.ts'
import { defineResource, type RecordState } from '../abilities/index.ts'
import { Lookup } from '../record/index.ts'
import { Refusal, requiredText } from '../schema/index.ts'
import { statement } from '../sql/index.ts'
import { goneKey, WorkingSet } from './working-set.ts'

const note = defineResource({
  kind: 'note',
  plural: 'notes',
  title: 'Note',
  scopes: { read: 'crm_contacts_read', write: 'crm_contacts_write', delete: 'crm_contacts_delete' },
  fields: { text: requiredText({ max: 100 }) },
})

const rows = Lookup.rows(statement('rows_of_notes', 'select'), [])

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
  it('may stay although its record was anonymized', () => {
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

describe('a loaded record', () => {
  it('is found by kind and name alone', () => {
    const work = new WorkingSet()
    expect([work.key('note', 'k'), work.read(rows), work.record('note', idOf(1))]).toEqual([null, [], null])
    work.loadKey('note', 'k', { state: 'live', resourceId: idOf(1) })
    work.loadRows(rows, [{ id: 1 }])
    expect(work.read(rows)).toEqual([{ id: 1 }])
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
    const had = aNote(1, { externalId: 'k' })
    work.apply({ resource: note, before: had, after: { ...had, version: 2 } })
    expect(work.key('note', 'k')).toEqual({ state: 'live', resourceId: idOf(2) })
    work.apply({ resource: note, before: had, after: null })
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

  it('do not count removed and foreign records as siblings', () => {
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

describe('whether a record has changed', () => {
  it('is known for loaded and for new records', () => {
    const work = new WorkingSet()
    work.load(note, aNote(1))
    work.load(note, aNote(2))
    work.take({ resource: note, before: aNote(1), after: aNote(1, { text: 'second' }) })
    work.take({ resource: note, before: null, after: aNote(3) })
    expect([1, 2, 3, 4].map(digit => work.hasChanged('note', idOf(digit)))).toEqual([true, false, true, false])
    expect(work.hasChanged('task', idOf(1))).toBe(false)
  })
})

describe('the requests of a group', () => {
  const decided = () => {
    const work = new WorkingSet()
    work.load(note, aNote(1))
    work.loadReferred('note', idOf(2), false)
    work.loadKey('note', 'k', { state: 'live', resourceId: idOf(1) })
    work.loadNestedIn(gig, 'one')
    work.loadRows(rows, [{ id: 1 }])
    return work
  }

  it('see the records loaded for all, and the decisions before', () => {
    const work = decided()
    const [first, second] = [new WorkingSet(work), new WorkingSet(work)]
    const after = aNote(1, { externalId: 'k', version: 2 })
    first.apply({ resource: note, before: aNote(1), after })
    expect([second.record('note', idOf(1)), second.key('note', 'k')?.resourceId]).toEqual([after, idOf(1)])
    expect([second.resolve('note', { id: idOf(2) }), second.holdsNestedIn(gig, 'one')]).toEqual([idOf(2), true])
  })

  it('each have their own steps and rows', () => {
    const work = decided()
    const [first, second] = [new WorkingSet(work), new WorkingSet(work)]
    first.apply({ resource: note, before: aNote(1), after: aNote(1, { version: 2 }) })
    expect([first, second].map(view => [view.effects.length, [...view.changedHere()].length])).toEqual([
      [1, 1],
      [0, 0],
    ])
    expect([...second.changed()].map(({ current }) => current?.version)).toEqual([2])
    expect([work.read(rows), first.read(rows)]).toEqual([[{ id: 1 }], []])
  })

  it('have changed nothing where a record that they made is gone again', () => {
    const work = new WorkingSet()
    work.apply({ resource: note, before: null, after: aNote(1) })
    expect([...work.changedHere()]).toHaveLength(1)
    work.apply({ resource: note, before: aNote(1), after: null })
    expect([...work.changedHere()]).toEqual([])
  })

  it('are untouched until something is decided or taken over', () => {
    const work = decided()
    const [deciding, taking, other] = [new WorkingSet(work), new WorkingSet(work), new WorkingSet(work)]
    deciding.effects.push({ resource: note, before: aNote(1), after: null })
    taking.take({ resource: note, before: aNote(1), after: null })
    expect([deciding, taking, other].map(view => view.isUntouched())).toEqual([false, false, true])
  })

  it('may be tried on a copy, which changes nothing here', () => {
    const work = decided()
    const before = aNote(1, { externalId: 'k' })
    work.apply({ resource: note, before, after: { ...before, version: 2 } })
    const copy = work.copy()
    expect([copy.effects, [...copy.changed()], [...copy.changedHere()]]).toEqual([
      ...[work.effects, [...work.changed()], [...work.changedHere()]],
    ])
    expect([copy.read(rows), copy.key('note', 'k'), copy.holdsNestedIn(gig, 'one')]).toEqual([
      ...[[{ id: 1 }], { state: 'live', resourceId: idOf(1) }, true],
    ])
    expect([copy.resolve('note', { id: idOf(2) }), copy.isUntouched()]).toEqual([idOf(2), false])

    copy.apply({ resource: note, before: { ...before, version: 2 }, after: null })
    copy.loadReferred('note', idOf(3), false)
    copy.loadNestedIn(gig, 'other')
    expect([work.record('note', idOf(1))?.version, work.key('note', 'k')?.resourceId]).toEqual([2, idOf(1)])
    expect([work.effects.length, work.holdsNestedIn(gig, 'other')]).toEqual([1, false])
    expect(refusalOf(work.resolve('note', { id: idOf(3) }))).toEqual([404, 'not_found', {}])
  })
})

describe('the nested records of a parent', () => {
  it('are known to be loaded, all of a kind in one parent', () => {
    const work = new WorkingSet()
    work.loadNestedIn(gig, 'one')
    expect([work.holdsNestedIn(gig, 'one'), work.holdsNestedIn(gig, 'other')]).toEqual([true, false])
    expect(work.holdsNestedIn({ ...gig, kind: 'member' }, 'one')).toBe(false)
  })
})
