import { createHash } from 'node:crypto'
import { type Row, type Statement, statement, type Transaction } from '../sql/index.ts'
import type { RowChange, Table } from './table.ts'
import { changes as changesTable } from './tables.ts'

/**
 * Writes everything that was decided in one statement: one fragment per table and kind of change, whatever the
 * number of rows, and the change events last, under the organization's feed lock. Resolves when PostgreSQL has
 * answered; the caller queues the commit behind it.
 *
 * Throws what the driver throws; a serialization failure when another number of rows was touched than was decided.
 */
export function save(
  transaction: Transaction,
  organizationId: string,
  rows: readonly RowChange[],
  events: readonly Readonly<Record<string, unknown>>[],
): Promise<Row[]> {
  const fragments = groupRows(rows)
  const values: unknown[] = [organizationId, rows.length]
  for (const fragment of fragments) values.push(...valuesOf(fragment))
  if (events.length > 0)
    values.push(events.length, JSON.stringify(events.map((event, ordinal) => ({ ...event, ordinal }))))
  return transaction.query(saveStatement(fragments, events.length > 0), values)
}

function valuesOf({ table, rows }: Fragment): unknown[] {
  const { large } = table
  if (large === undefined) return [JSON.stringify(rows)]
  const [row, ...others] = rows
  if (row === undefined || others.length > 0) throw new Error(`${table.name} takes one row a statement`)
  return [JSON.stringify([{ ...row, [large]: undefined }]), row[large]]
}

interface Fragment {
  readonly table: Table
  readonly operation: RowChange['operation']
  readonly columns: readonly string[]
  readonly signature: string
  readonly rows: RowChange['row'][]
}

function groupRows(rows: readonly RowChange[]): Fragment[] {
  const fragments: Fragment[] = []
  for (const change of rows) {
    const fragment = fragments.find(candidate => takes(candidate, change))
    if (fragment !== undefined) fragment.rows.push(change.row)
    else fragments.push(fragmentOf(change))
  }
  return fragments.sort((one, other) => (one.signature < other.signature ? -1 : 1))
}

function fragmentOf({ table, operation, row }: RowChange): Fragment {
  const columns = operation === 'delete' ? table.key : table.columnNames.filter(column => column in row)
  return { table, operation, columns, signature: `${table.name} ${operation} ${columns.join(',')}`, rows: [row] }
}

function takes({ table, operation, rows: [first = {}] }: Fragment, change: RowChange): boolean {
  if (change.table !== table || change.operation !== operation) return false
  return operation === 'delete' || table.columnNames.every(column => column in first === column in change.row)
}

const compiled = new Map<string, Statement>()

function saveStatement(fragments: readonly Fragment[], publishes: boolean): Statement {
  const key = `${fragments.map(({ signature }) => signature).join('; ')} ${publishes}`
  const known = compiled.get(key)
  if (known !== undefined) return known
  const name = `save_${createHash('sha256').update(key).digest('hex').slice(0, 16)}`
  const made = statement(name, saveText(fragments, publishes))
  compiled.set(key, made)
  return made
}

// PostgreSQL does not run fragments in the order of the text. That the feed comes last, so that its lock is held for
// the commit alone, follows from the data: it needs the counts of all the others.
function saveText(fragments: readonly Fragment[], publishes: boolean): string {
  let parameter = 3
  const parts = fragments.map((fragment, index) => {
    const text = fragmentText(fragment, parameter)
    parameter += fragment.table.large === undefined ? 1 : 2
    return `part_${index} as (\n${text}\n  returning 1)`
  })
  const counts = fragments.map((_, index) => `(select count(*) from part_${index})`).join(' + ') || '0'
  const touched = `touched as (select expect_rows(${counts}, $2::bigint) as ok)`
  if (!publishes) return `with ${[...parts, touched].join(',\n')}\nselect ok from touched`
  const count = `$${parameter}::bigint`
  const columns = Object.keys(changesTable.columns)
  const feed = `feed as (
  update organization_feed f set seq = f.seq + ${count} from touched
   where f.organization_id = $1 and touched.ok
  returning f.seq)`
  const published = `published as (
  insert into changes (organization_id, seq, ${columns.join(', ')})
  select $1, feed.seq - ${count} + 1 + r.ordinal, ${columns.map(column => `r.${column}`).join(', ')}
    from feed, json_to_recordset($${parameter + 1}::json) as r(ordinal bigint, ${columnTypes(changesTable, columns)})
  returning 1)`
  const parts2 = [...parts, touched, feed, published].join(',\n')
  return `with ${parts2}\nselect expect_rows((select count(*) from published), ${count})`
}

function fragmentText({ table, operation, columns }: Fragment, parameter: number): string {
  const source = `json_to_recordset($${parameter}::json) as r(${columnTypes(table, columns)})`
  if (operation === 'insert') {
    const large = `$${parameter + 1}::text`
    const selected = columns.map(column => (column === table.large ? large : `r.${column}`)).join(', ')
    return `  insert into ${table.name} (organization_id, ${columns.join(', ')})\n  select $1, ${selected} from ${source}`
  }
  const matches = ['t.organization_id = $1', ...table.key.map(column => `t.${column} = r.${column}`)].join(' and ')
  if (operation === 'delete') return `  delete from ${table.name} t using ${source}\n   where ${matches}`
  const assignments = columns.filter(column => !table.key.includes(column)).map(column => `${column} = r.${column}`)
  return `  update ${table.name} t set ${assignments.join(', ')} from ${source}\n   where ${matches}`
}

function columnTypes(table: Table, columns: readonly string[]): string {
  return columns.map(column => `${column} ${table.columns[column]}`).join(', ')
}
