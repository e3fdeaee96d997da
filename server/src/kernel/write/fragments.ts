import { createHash } from 'node:crypto'
import { filesTable } from '../files/index.ts'
import { bounds } from '../limits/index.ts'
import { defineTable, type RowChange, type Table, tenantColumn } from '../record/index.ts'
import { joined, listText } from '../schema/index.ts'
import { type Statement, statement } from '../sql/index.ts'
import { changesTable } from './tables.ts'

/** All rows of one table that are changed in the same way and in the same columns, so that one piece of SQL writes them. */
export interface Fragment {
  readonly table: Table
  readonly operation: RowChange['operation']
  readonly columns: readonly string[]
  readonly signature: string
  readonly rows: RowChange['row'][]
  /** The columns whose values are sent once for all rows. */
  readonly alike: readonly string[]
}

/** How rows are sent: `rowset` as one JSON text, or `values` as one parameter per value, which is cheaper for few rows. */
export type Form = 'values' | 'rowset'

/** The table of change events with one more column: the ordinal of an event within the save. */
export const numberedChanges: Table = {
  ...defineTable('changes', ['seq'], { ...changesTable.columns, ordinal: 'bigint' }),
  alike: changesTable.alike ?? [],
}

/** Groups changes that one piece of SQL can write. */
export function groupRows(rows: readonly RowChange[]): Fragment[] {
  const fragments: Fragment[] = []
  for (const change of rows) {
    const fragment = fragments.find(candidate => takes(candidate, change))
    if (fragment !== undefined) {
      fragment.rows.push(change.row)
      continue
    }
    const { table, operation, row } = change
    const columns = operation === 'delete' ? table.key : columnsIn(table, row)
    const signature = `${table.name} ${operation} ${columns.join(',')}`
    fragments.push({ table, operation, columns, signature, rows: [row], alike: [] })
  }
  return fragments.sort((one, other) => (one.signature < other.signature ? -1 : 1))
}

/** Whether a fragment must affect exactly its rows. */
export function isCounted({ table, operation }: Fragment): boolean {
  return table.mayLackRows !== true || operation !== 'delete'
}

/** The columns that the row has, in the order of the table. */
function columnsIn({ columnNames }: Table, row: RowChange['row']): string[] {
  const columns: string[] = []
  for (const column of columnNames) if (column in row) columns.push(column)
  return columns
}

function takes({ table, operation, rows: [first = {}] }: Fragment, change: RowChange): boolean {
  if (change.table !== table || change.operation !== operation) return false
  if (operation === 'delete') return true
  for (const column of table.columnNames) if (column in first !== column in change.row) return false
  return true
}

/** By how many bytes these rows change the total of the organization's files; null if none of them is a file. */
export function fileBytesMoved(rows: readonly RowChange[]): number | null {
  let bytes: number | null = null
  for (const { table, operation, row } of rows) {
    if (table === filesTable) bytes = (bytes ?? 0) + Number(row.size_bytes) * (operation === 'delete' ? -1 : 1)
  }
  return bytes
}

/**
 * The columns of a table that all these rows fill alike: all columns that it declares so and the rows have, or none, so that a table has
 * two forms of a statement.
 */
export function columnsAlike(
  { alike = [] }: Table,
  columns: readonly string[],
  rows: readonly RowChange['row'][],
): readonly string[] {
  const [first] = rows
  const shared = alike.filter(column => columns.includes(column))
  if (first === undefined) return []
  for (const row of rows) for (const column of shared) if (row[column] !== first[column]) return []
  return shared
}

/** The parameters that pass these rows to `source`. */
export function* fragmentParameters(
  table: Table,
  columns: readonly string[],
  rows: readonly RowChange['row'][],
  form: Form,
  alike: readonly string[] = [],
): Generator<unknown, readonly unknown[]> {
  if (form === 'values') {
    const parameters: unknown[] = []
    for (const row of rows) {
      if (parameters.length > 0) yield
      for (const column of columns) {
        const value = row[column]
        const isJson = table.columns[column] === 'jsonb' && value !== null && value !== undefined
        parameters.push(isJson ? JSON.stringify(value) : value)
      }
    }
    return parameters
  }
  const [row] = rows
  const { large } = table
  if (large === undefined || row === undefined) {
    const own = yield* ownValues(columns, rows, alike)
    return [joined(yield* listText('[', own, ']')), ...alike.map(column => row?.[column])]
  }
  if (rows.length === 1) return [JSON.stringify([{ ...row, [large]: undefined }]), row[large]]
  const parts: Buffer[] = []
  let end = 0
  const placed = rows.map(({ [large]: text, ...others }) => {
    const part = Buffer.isBuffer(text) ? text : Buffer.from(String(text))
    parts.push(part)
    const [at, length] = [end + 1, part.length]
    end += length
    return { ...others, [`${large}_at`]: at, [`${large}_length`]: length }
  })
  return [joined(yield* listText('[', placed, ']')), Buffer.concat(parts)]
}

/** What the JSON of rows has to say: a column that is missing there is null. PostgreSQL parses each member of each row. */
function* ownValues(
  columns: readonly string[],
  rows: readonly RowChange['row'][],
  alike: readonly string[],
): Generator<unknown, readonly RowChange['row'][]> {
  const names = columns.filter(column => !alike.includes(column))
  const own: RowChange['row'][] = []
  for (const row of rows) {
    const values: Record<string, unknown> = {}
    for (const name of names) {
      const value = row[name]
      if (value !== null && value !== undefined) values[name] = value
    }
    own.push(values)
    yield
  }
  return own
}

/**
 * How the texts of the large column of a table are sent, which are never part of the JSON: a single text as a parameter, several texts
 * concatenated in a parameter of bytes, in which each row has an offset.
 */
export function largeForm({ large }: Table, rows: readonly unknown[]): 'text' | 'bytes' | undefined {
  if (large === undefined) return undefined
  return rows.length === 1 ? 'text' : 'bytes'
}

/** SQL that yields the rows of a fragment as `r`, starting at this parameter, and the number of parameters that it uses. */
export function source(
  table: Table,
  columns: readonly string[],
  parameter: number,
  form: Form,
  alike: readonly string[] = [],
): { text: string; size: number } {
  if (form === 'rowset') {
    const { large } = table
    const places = large === undefined ? [] : [`${large}_at integer`, `${large}_length integer`]
    const own = columns.filter(column => !alike.includes(column))
    const types = [...own.map(column => `${column} ${table.columns[column]}`), ...places]
    const rowset = (name: string) => `json_to_recordset($${parameter}::json) as ${name}(${types.join(', ')})`
    if (alike.length === 0) return { text: rowset('r'), size: large === undefined ? 1 : 2 }
    const shared = alike.map((column, index) => `$${parameter + 1 + index}::${table.columns[column]} as ${column}`)
    return { text: `(select o.*, ${shared.join(', ')} from ${rowset('o')}) as r`, size: 1 + alike.length }
  }
  const values = columns.map((column, index) => `$${parameter + index}::${table.columns[column]} as ${column}`)
  return { text: `(select ${values.join(', ')}) as r`, size: columns.length }
}

/** SQL of this many rows of values, starting at this parameter; the beginning of a row depends on its index. */
export function tuplesOf(
  table: Table,
  columns: readonly string[],
  parameter: number,
  count: number,
  beginning: (row: number) => readonly string[],
): string {
  const tuples = Array.from({ length: count }, (_, row) => {
    const first = parameter + row * columns.length
    const values = columns.map((column, index) => `$${first + index}::${table.columns[column]}`)
    return `(${[...beginning(row), ...values].join(', ')})`
  })
  return tuples.join(',\n         ')
}

/**
 * SQL that writes the rows of a fragment, starting at this parameter, and the number of parameters that it uses. $1 is the organization;
 * `owner` is SQL of the organization of new rows.
 */
export function fragmentText(
  { table, operation, columns, rows, alike }: Fragment,
  parameter: number,
  form: Form,
  owner = '$1',
): { text: string; size: number } {
  const { text, size } = source(table, columns, parameter, form, alike)
  if (operation === 'insert') {
    const [names, owners] = table.isTenant ? [columns, []] : [['organization_id', ...columns], [owner]]
    const into = `  insert into ${table.name} (${names.join(', ')})\n`
    if (form === 'values') {
      const tuples = tuplesOf(table, columns, parameter, rows.length, () => owners)
      return { size: rows.length * columns.length, text: `${into}  values ${tuples}` }
    }
    const values = columns.map(column => {
      if (column !== table.large) return `r.${column}`
      const bytes = `substr($${parameter + 1}::bytea, r.${column}_at, r.${column}_length)`
      return largeForm(table, rows) === 'text' ? `$${parameter + 1}::text` : `convert_from(${bytes}, 'UTF8')`
    })
    return { size, text: `${into}  select ${[...owners, ...values].join(', ')} from ${text}` }
  }
  const matches = [`t.${tenantColumn(table)} = $1`, ...table.key.map(column => `t.${column} = r.${column}`)].join(
    ' and ',
  )
  if (operation === 'delete') return { size, text: `  delete from ${table.name} t using ${text}\n   where ${matches}` }
  const assignments = columns.filter(column => !table.key.includes(column)).map(column => `${column} = r.${column}`)
  return { size, text: `  update ${table.name} t set ${assignments.join(', ')} from ${text}\n   where ${matches}` }
}

/**
 * The statements of saves made so far. Groups save what their members need, in any combination; beyond the bound, a new statement gets no
 * name and so is not prepared.
 */
export class SaveStatements {
  readonly #most: number
  readonly #made = new Map<string, Statement>()

  constructor(most: number) {
    this.#most = most
  }

  /** The statement with this signature, which identifies its text. */
  of(signature: string, textOf: () => string): Statement {
    const known = this.#made.get(signature)
    if (known !== undefined) return known
    if (this.#made.size >= this.#most) return { name: '', text: textOf() }
    const made = statement(`save_${createHash('sha256').update(signature).digest('hex').slice(0, 16)}`, textOf())
    this.#made.set(signature, made)
    return made
  }
}

/** The statements of this process. */
export const saveStatements = new SaveStatements(bounds.saveStatements.most)
