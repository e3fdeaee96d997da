import { isObject, isUuid } from '../kernel/schema/index.ts'
import type { TenantTable } from '../kernel/sql/index.ts'
import { leftOut } from './left-out.ts'
import type { RowCounts } from './parts.ts'
import { TenantError } from './tenant-error.ts'

/**
 * A line behind the first: a row of a table, bytes of a file, or at the end of the file the number of rows of each table.
 */
export type FileLine =
  | { readonly table: TenantTable }
  | { readonly file: string; readonly bytes: Uint8Array }
  | { readonly rows: RowCounts }

/** What lines are compared with. */
export interface Expected {
  readonly organizationId: string
  readonly tables: ReadonlyMap<string, TenantTable>
}

/** Throws a `TenantError`, which tells the number of the line, for what is no JSON. */
export function jsonOf(text: string, number: number): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new TenantError(`line ${number} is not JSON: the file is damaged, or was cut off`)
  }
}

/** Throws a `TenantError`, which tells the number of the line, for what is no row of this organization in this database. */
export function readLine(text: string, number: number, expected: Expected): FileLine {
  const refused = (reason: string) => new TenantError(`line ${number}: ${reason}`)
  const line = jsonOf(text, number)
  if (!isObject(line)) throw refused('this is no object')
  if (line.file !== undefined) {
    const { file, bytes, ...others } = line
    const isWhole = typeof file === 'string' && isUuid(file) && typeof bytes === 'string'
    if (!isWhole || Object.keys(others).length > 0) throw refused('these are no bytes of a file')
    return { file, bytes: Buffer.from(bytes, 'base64') }
  }
  if (line.table === undefined) {
    const counts = isObject(line.rows) ? Object.entries(line.rows) : []
    const isCounted = (entry: [string, unknown]): entry is [string, number] => typeof entry[1] === 'number'
    if (counts.length === 0 || !counts.every(isCounted)) throw refused('this is neither a row nor the end of the file')
    return { rows: Object.fromEntries(counts) }
  }
  const { table: name, row, ...others } = line
  const [other] = Object.keys(others)
  if (other !== undefined) throw refused(`a row has no member ${other}`)
  const table = expected.tables.get(String(name))
  if (table === undefined) {
    const reason = leftOut.has(String(name)) ? 'is not brought in from a file' : 'is not known here'
    throw refused(`the table ${String(name)} ${reason}`)
  }
  if (!isObject(row)) throw refused('the row is no object')
  const wrong = wrongColumn(table, row, expected.organizationId)
  if (wrong !== null) throw refused(wrong)
  return { table }
}

function wrongColumn({ name, columns, identity }: TenantTable, row: object, organizationId: string): string | null {
  const given = new Map<string, unknown>(Object.entries(row))
  if (given.has('organization_id'))
    return 'the row names an organization: all of the file belong to that of the first line'
  const known = new Set(columns)
  const unknown = [...given.keys()].find(column => !known.has(column))
  if (unknown !== undefined) return `the table ${name} has no column ${unknown}`
  const missing = columns.find(column => !given.has(column))
  if (missing !== undefined) return `the column ${missing} of ${name} is missing`
  if (identity !== null && given.get(identity) !== organizationId)
    return 'the row is another organization than that of the first line'
  return null
}
