import { type JobContext, type Mutation, mutate } from '../../../kernel/index.ts'
import { type ImportRow, isImportRow } from '../import.ts'
import { importTable, lockImport } from '../imports.sql.ts'
import { cancellation } from './cancellation.ts'
import { importWriter } from './import-writer.ts'

/** Cancels an import for an operator. Does nothing if it has ended already. */
export async function cancelImport(
  row: ImportRow,
  { organizationId, services }: Pick<JobContext, 'organizationId' | 'services'>,
): Promise<void> {
  const mutation: Mutation<null, never> = {
    needs: needs => needs.toLoad([{ name: 'import', statement: lockImport, values: [row.id] }]),
    decide(work, write) {
      const [current] = work.extra('import')
      const canceled = isImportRow(current) ? cancellation(current, organizationId, write) : null
      if (canceled === null || Object.keys(canceled.changed).length === 0) return { result: null }
      const { changed, rows, drops } = canceled
      const update = { table: importTable, operation: 'update', row: { id: row.id, ...changed } } as const
      return { result: null, rows: [update, ...rows], drops }
    },
  }
  await mutate(mutation, importWriter(organizationId, row), services)
}
