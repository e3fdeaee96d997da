import { describe, expect, it } from 'vitest'
import { checklistItemRules, checklistRules, reflectChecklists } from './checklist.rules.ts'

const now = '2026-03-02T10:00:00.000Z'
const earlier = '2026-02-01T10:00:00.000Z'
const operator = '01980000-0000-7000-8000-000000000001'
const write = { now, author: { uuid: operator } }
const open = { isDone: false, doneAt: null, doneByUuid: null }
const done = { isDone: true, doneAt: earlier, doneByUuid: null }

describe('an item that is done', () => {
  const settle = (next: typeof open | typeof done, previous: typeof next | null = null) =>
    checklistItemRules.settle(next, { previous, write })

  it('shows when and by whom it was done, also when it is created as done', () => {
    const expected = { isDone: true, doneAt: now, doneByUuid: operator }
    expect(settle({ ...open, isDone: true })).toEqual(expected)
    expect(settle({ ...open, isDone: true }, open)).toEqual(expected)
  })

  it('keeps both while it is done', () => {
    expect(settle(done, done)).toEqual(done)
  })

  it('loses both when it is no longer done', () => {
    expect(settle({ ...done, isDone: false, doneByUuid: null }, done)).toEqual(open)
  })
})

const item = { resource: { kind: 'checklist_item' } }
const at = (position: number, isDone = false) => ({ position, isDone })

describe('the set of items of a checklist', () => {
  const changes = (before: object | null, after: object | null, kind = 'checklist_item') =>
    checklistRules.reflect({ itemSetVersion: 3 }, [
      { resource: { kind }, before: before && { ...before }, after: after && { ...after } },
    ]).itemSetVersion === 4

  it('changes with an item that comes, goes or moves', () => {
    expect([changes(null, at(0)), changes(at(0), null), changes(at(0), at(1))]).toEqual([true, true, true])
  })

  it('does not change with the text of an item, nor with the place of a checklist', () => {
    expect([changes(at(0), at(0, true)), changes(at(0), at(1), 'checklist')]).toEqual([false, false])
  })
})

describe("the summary of a task's parts", () => {
  it('follows every item and every file', () => {
    const steps = [
      { ...item, before: null, after: at(0, true) },
      { ...item, before: null, after: at(1) },
      { ...item, before: null, after: at(7, true) },
      { ...item, before: null, after: at(8, true) },
      { ...item, before: at(2), after: at(2, true) },
      { ...item, before: at(3, true), after: at(3) },
      { ...item, before: at(4, true), after: null },
      { ...item, before: at(5), after: at(6) },
      { resource: { kind: 'checklist' }, before: null, after: {} },
      { resource: { kind: 'task_file' }, before: null, after: {} },
      { resource: { kind: 'task_file' }, before: null, after: {} },
      { resource: { kind: 'task_file' }, before: {}, after: null },
    ]
    const progress = { checklistItemsTotal: 10, checklistItemsDone: 4, filesCount: 2 }
    expect(reflectChecklists(progress, steps)).toEqual({
      checklistItemsTotal: 13,
      checklistItemsDone: 6,
      filesCount: 3,
    })
  })
})
