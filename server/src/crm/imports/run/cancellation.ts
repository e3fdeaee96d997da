import { type FileName, forgetFile } from '../../../kernel/files/index.ts'
import type { WriteContext } from '../../../kernel/index.ts'
import { actionRow, type RowChange } from '../../../kernel/write/index.ts'
import type { ImportRow } from '../import.ts'

/** What a cancel makes of an import: the members that change, what is written with them, and the file that goes. */
export interface Cancellation {
  readonly changed: Partial<ImportRow>
  readonly rows: readonly RowChange[]
  readonly dropped: FileName | null
}

/**
 * Cancels an import: at once where no row is at work, otherwise when those at hand are done. What is canceled already is
 * not canceled again. Null for an import that has ended otherwise.
 */
export function cancellation(row: ImportRow, organizationId: string, write: WriteContext): Cancellation | null {
  const { id, status, file_id: fileId, size_bytes: size } = row
  if (status === 'canceled' || status === 'canceling') return { changed: {}, rows: [], dropped: null }
  if (row.finished_at !== null) return null
  const noted = actionRow({ resourceType: 'import', resourceId: id, action: 'import.canceled', version: null }, write)
  if (status === 'running') return { changed: { status: 'canceling' }, rows: [noted], dropped: null }
  const dropped = fileId === null ? null : ({ organizationId, purpose: 'import', id: fileId } as const)
  const forgotten = dropped === null ? [] : [forgetFile({ id: dropped.id, size })]
  return {
    changed: { status: 'canceled', finished_at: write.now, file_id: null },
    rows: [...forgotten, noted],
    dropped,
  }
}
