import { forgetFile } from '../../../kernel/files/index.ts'
import type { Decision, WriteContext } from '../../../kernel/index.ts'
import { actionRow } from '../../../kernel/write/index.ts'
import type { ImportRow } from '../import.ts'

/** What a cancel makes of an import: the members that change, what is written with them, and the file that goes. */
export interface Cancellation extends Required<Pick<Decision<unknown>, 'rows' | 'drops'>> {
  readonly changed: Partial<ImportRow>
}

/**
 * Cancels an import: at once where no row is at work, otherwise when those at hand are done. What is canceled already is
 * not canceled again. Null for an import that has ended otherwise.
 */
export function cancellation(row: ImportRow, organizationId: string, write: WriteContext): Cancellation | null {
  const { id, status, file_id: fileId, size_bytes: size } = row
  if (status === 'canceled' || status === 'canceling') return { changed: {}, rows: [], drops: [] }
  if (row.finished_at !== null) return null
  const noted = actionRow({ resourceType: 'import', resourceId: id, action: 'import.canceled', version: null }, write)
  if (status === 'running') return { changed: { status: 'canceling' }, rows: [noted], drops: [] }
  const drops = fileId === null ? [] : [{ organizationId, purpose: 'import', id: fileId } as const]
  const forgotten = drops.map(({ id: dropped }) => forgetFile({ id: dropped, size }))
  return {
    changed: { status: 'canceled', finished_at: write.now, file_id: null },
    rows: [...forgotten, noted],
    drops,
  }
}
