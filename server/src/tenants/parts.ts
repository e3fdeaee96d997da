import type { Files } from '../kernel/files/index.ts'
import type { Secret } from '../kernel/index.ts'
import type { Database, TenantTable } from '../kernel/sql/index.ts'
import { leftOut, leftOutColumns } from './left-out.ts'

/** What exporting, importing and removing need of an installation. */
export interface TenantParts {
  readonly database: Database
  readonly secret: Secret
  readonly files: Files
}

/** How many rows of each table; those of tables without a row count too. */
export type RowCounts = Readonly<Record<string, number>>

export function totalOf(rows: RowCounts): number {
  return Object.values(rows).reduce((sum, count) => sum + count, 0)
}

/** The tables of a file and their columns in it, in its order: a table stands behind those that it refers to. */
export function fileTables(tables: readonly TenantTable[]): TenantTable[] {
  return tables
    .filter(({ name }) => !leftOut.has(name))
    .map(table => {
      const without = leftOutColumns.get(table.name) ?? []
      return { ...table, columns: table.columns.filter(column => !without.includes(column)) }
    })
    .toReversed()
}
