import { expect, it } from 'vitest'
import type { TakenStep } from '../../../kernel/index.ts'
import { keptRows } from './kept-records.ts'

const kept = (recordId: string, reason: 'changed' | 'linked', fields: readonly string[] = []): TakenStep => ({
  step: { id: '', kind: 'contact', recordId, isCreation: false, changes: [] },
  done: null,
  kept: { reason, fields },
})
const rowsOf = (...args: Parameters<typeof keptRows>) => keptRows(...args).map(({ operation, row }) => [operation, row])

it('lists a record once, with the fields of all its steps', () => {
  const taken = [
    kept('a', 'changed', ['firstName']),
    kept('b', 'linked'),
    kept('a', 'changed', ['lastName', 'firstName']),
  ]
  expect(rowsOf('u', taken, [])).toEqual([
    ['insert', { undo_id: 'u', record_id: 'a', kind: 'contact', reason: 'changed', fields: ['firstName', 'lastName'] }],
    ['insert', { undo_id: 'u', record_id: 'b', kind: 'contact', reason: 'linked', fields: [] }],
  ])
})

it('adds fields to a record that is listed already', () => {
  const known = [{ id: 'a', reason: 'refused', fields: ['firstName'] }]
  expect(rowsOf('u', [kept('a', 'changed', ['lastName'])], known)).toEqual([
    ['update', { undo_id: 'u', record_id: 'a', fields: ['firstName', 'lastName'] }],
  ])
})

it('lists nothing that was taken back', () => {
  expect(keptRows('u', [{ ...kept('a', 'changed'), done: 'removed', kept: null }], [])).toEqual([])
})
