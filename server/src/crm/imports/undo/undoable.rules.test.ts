import { describe, expect, it } from 'vitest'
import { refuseUndo, type UndoableImport, undoableUntil } from './undoable.rules.ts'

const day = 86_400_000
const times = { now: Date.parse('2026-03-02T10:00:00.000Z'), auditSeconds: 365 * 86_400 }
const ended: UndoableImport = {
  status: 'completed',
  dry_run: false,
  started_at: '2026-03-01T10:00:00.000Z',
  finished_at: '2026-03-01T12:00:00.000Z',
  undo: null,
}

describe('an import can be undone', () => {
  it('for 30 days after its end', () => {
    expect(undoableUntil(ended, times)).toBe('2026-03-31T12:00:00.000Z')
    const last = Date.parse('2026-03-31T12:00:00.000Z')
    expect(undoableUntil(ended, { ...times, now: last - 1 })).toBe('2026-03-31T12:00:00.000Z')
    expect(undoableUntil(ended, { ...times, now: last })).toBeNull()
  })

  it('no longer than the entries of its first rows are kept', () => {
    const short = { now: times.now, auditSeconds: (7 * day) / 1000 }
    expect(undoableUntil(ended, short)).toBe('2026-03-08T10:00:00.000Z')
    expect(refuseUndo(ended, { ...short, now: Date.parse('2026-03-08T10:00:00.000Z') })?.details.issues).toMatchObject([
      { rule: 'expired' },
    ])
  })

  it.each(['completed', 'completed_with_errors', 'canceled', 'failed'])('when it is %s', status => {
    expect(refuseUndo({ ...ended, status }, times)).toBeNull()
  })

  it.each([
    ['has not ended', { finished_at: null, status: 'running' }],
    ['was a dry run', { dry_run: true }],
    ['has applied no row', { started_at: null }],
  ])('but not when it %s', (_, change) => {
    expect(refuseUndo({ ...ended, ...change }, times)?.status).toBe(422)
    expect(undoableUntil({ ...ended, ...change }, times)).toBeNull()
  })

  it.each([
    ['queued', false],
    ['running', false],
    ['completed', false],
    ['canceled', true],
    ['failed', true],
  ] as const)('while its undo is %s: %s', (status, isLeft) => {
    expect(undoableUntil({ ...ended, undo: { status } }, times) !== null).toBe(isLeft)
  })
})
