import type { LongTransaction, Statement } from '../kernel/sql/index.ts'
import { ArchiveError } from './archive-error.ts'
import type { ArchivedTable } from './manifest.ts'

/** The number of rows of each table, including empty tables. */
export type LoadedRows = Readonly<Record<string, number>>

export function totalOf(rows: LoadedRows): number {
  return Object.values(rows).reduce((sum, count) => sum + count, 0)
}

/**
 * Throws an `ArchiveError` unless the archive has the same tables as this database, each with the same columns. `whyUnknown` explains why a
 * table does not exist here.
 */
export function expectTables(
  written: readonly ArchivedTable[],
  here: readonly { readonly name: string; readonly columns: readonly string[] }[],
  whyUnknown = (_: string): string => 'is not known here',
): void {
  for (const { name, columns, rows } of written) {
    const table = here.find(each => each.name === name)
    if (table === undefined) throw new ArchiveError(`the table ${name} ${whyUnknown(name)}`)
    if (rows === 0) continue
    const strange = columns.find(column => !table.columns.includes(column))
    if (strange !== undefined) throw new ArchiveError(`the table ${name} has no column ${strange}`)
    const missing = table.columns.find(column => !columns.includes(column))
    if (missing !== undefined) throw new ArchiveError(`the column ${missing} of ${name} is missing`)
  }
  const missing = here.find(({ name }) => !written.some(table => table.name === name))
  if (missing !== undefined) throw new ArchiveError(`the archive has no rows of ${missing.name}: it is not whole`)
}

/**
 * Writes the rows of one table, and resolves to their number. Throws an `ArchiveError` for a row that the database refuses, with its number
 * if PostgreSQL reports it.
 */
export async function copyInto(
  transaction: LongTransaction,
  statement: Statement,
  rows: AsyncIterable<Uint8Array>,
  table: string,
): Promise<number> {
  try {
    return await transaction.copyIn(statement, rows)
  } catch (error) {
    if (!isRefusal(error)) throw error
    const [, number] = /line (\d+)/u.exec('where' in error ? String(error.where) : '') ?? []
    const row = number === undefined ? 'a row' : `row ${number}`
    throw new ArchiveError(`${row} of ${table}: ${error.message}`, { cause: error })
  }
}

/** Whether PostgreSQL rejects the data: values, constraints, or JSON that is nested too deeply. */
function isRefusal(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && /^(?:22|23|54)/u.test(String(error.code))
}
