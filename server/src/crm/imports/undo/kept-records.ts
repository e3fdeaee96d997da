import type { TakenStep } from '../../../kernel/index.ts'
import type { Row } from '../../../kernel/sql/index.ts'
import type { RowChange } from '../../../kernel/write/index.ts'
import { importUndoKept } from './undo.sql.ts'

/** A record of which something stays. */
interface Kept {
  readonly kind: string
  readonly reason: string
  readonly fields: readonly string[]
}

/**
 * Pure: the rows that list the records of which something stays, each once, with the first reason and the fields of all steps. `known` has
 * those of these records that were listed before.
 */
export function keptRows(undoId: string, taken: readonly TakenStep[], known: readonly Row[]): RowChange[] {
  const listed = new Map(known.map(row => [String(row.id), row]))
  const next = new Map<string, Kept>()
  for (const { step, kept } of taken) {
    if (kept === null) continue
    const { recordId, kind } = step
    const before = next.get(recordId) ?? keptIn(listed.get(recordId), kind)
    const fields = [...new Set([...(before?.fields ?? []), ...kept.fields])]
    next.set(recordId, { kind, reason: before?.reason ?? kept.reason, fields })
  }
  return [...next].map(([recordId, { kind, reason, fields }]) => {
    const key = { undo_id: undoId, record_id: recordId }
    return listed.has(recordId)
      ? { table: importUndoKept, operation: 'update', row: { ...key, fields } }
      : { table: importUndoKept, operation: 'insert', row: { ...key, kind, reason, fields } }
  })
}

function keptIn(row: Row | undefined, kind: string): Kept | null {
  if (row === undefined) return null
  return { kind, reason: String(row.reason), fields: Array.isArray(row.fields) ? row.fields.map(String) : [] }
}
