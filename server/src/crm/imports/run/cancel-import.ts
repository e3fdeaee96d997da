import type { FileName } from '../../../kernel/files/index.ts'
import { type JobContext, mutate, Refusal } from '../../../kernel/index.ts'
import { type ImportRow, isImportRow } from '../import.ts'
import { importTable, lockImport } from '../imports.sql.ts'
import { cancellation } from './cancellation.ts'
import { importWriter } from './import-writer.ts'

/** Cancels an import for an operator. Does nothing if it has ended already. */
export async function cancelImport(
  row: ImportRow,
  { organizationId, services }: Pick<JobContext, 'organizationId' | 'services'>,
): Promise<void> {
  let dropped: FileName | null = null
  const outcome = await mutate(
    {
      needs: needs => needs.toLoad([{ name: 'import', statement: lockImport, values: [row.id] }]),
      decide(work, write) {
        const [current] = work.extra('import')
        const canceled = isImportRow(current) ? cancellation(current, organizationId, write) : null
        dropped = canceled?.dropped ?? null
        const isChanged = canceled !== null && Object.keys(canceled.changed).length > 0
        const update = { table: importTable, operation: 'update', row: { id: row.id, ...canceled?.changed } } as const
        return { status: 200, data: null, meta: {}, shown: [], rows: isChanged ? [update, ...canceled.rows] : [] }
      },
    },
    importWriter(organizationId, row),
    services,
  )
  if (outcome instanceof Refusal) throw new Error(`a cancel of an import was refused: ${outcome.message}`)
  if (dropped !== null) await services.files.discard([dropped])
}
