import { createHash } from 'node:crypto'
import { bounds } from '../limits/index.ts'
import { defineTable, type RowChange, type Table } from '../record/table.ts'
import { joined, listText } from '../schema/index.ts'
import { type Statement, statement } from '../sql/index.ts'
import { changes } from './tables.ts'

/** A statement, ready to be sent. */
export interface Save {
  readonly statement: Statement
  readonly values: readonly unknown[]
}

/**
 * Makes the one statement that writes everything that was decided. It has one fragment for each table and kind of
 * change, whatever the number of rows, and writes the change events last, under the lock of the organization's feed. It
 * is made in steps that each take little time. The caller sends it and queues the commit behind it.
 *
 * If the statement touches another number of rows than was decided, it fails with a serialization failure. So it does if
 * there are change events and the configuration that decided them is too old by now: what it refers to may be removed.
 */
export function* saveInSteps(
  organizationId: string,
  rows: readonly RowChange[],
  events: readonly Readonly<Record<string, unknown>>[],
  configurationVersion: string | null,
  statements = ofProcess,
): Generator<unknown, Save> {
  const fragments = groupRows(rows)
  const form = events.length <= 1 && fragments.every(fragment => fragment.rows.length === 1) ? 'row' : 'rowset'
  const values: unknown[] = [organizationId, form === 'row' ? 1 : rows.length]
  for (const { table, columns, rows: written } of fragments) {
    values.push(...(yield* parametersOf(table, columns, written, form)))
  }
  if (events.length > 0) {
    const numbered = events.map((event, ordinal) => ({ ordinal, ...event }))
    values.push(events.length, configurationVersion)
    values.push(...(yield* parametersOf(numberedChanges, numberedChanges.columnNames, numbered, form)))
  }
  return { statement: statements.of(fragments, events.length > 0, form), values }
}

/**
 * How rows are sent: `rowset` as one JSON text; `row` value by value, which costs less, if each fragment has one row.
 */
type Form = 'row' | 'rowset'

const numberedChanges = defineTable('changes', ['seq'], { ...changes.columns, ordinal: 'bigint' })

function* parametersOf(
  table: Table,
  columns: readonly string[],
  rows: readonly RowChange['row'][],
  form: Form,
): Generator<unknown, readonly unknown[]> {
  const [row] = rows
  if (form === 'row') return columns.map(column => parameterOf(table.columns[column], row?.[column]))
  const large = largeAlone(table, rows)
  if (large === undefined || row === undefined) return [joined(yield* listText('[', rows, ']'))]
  return [JSON.stringify([{ ...row, [large]: undefined }]), row[large]]
}

/** The column whose text is a parameter of its own: there is one only where the statement writes one row of the table. */
function largeAlone({ large }: Table, rows: readonly unknown[]): string | undefined {
  return rows.length === 1 ? large : undefined
}

function parameterOf(type: string | undefined, value: unknown): unknown {
  return type === 'jsonb' && value !== null && value !== undefined ? JSON.stringify(value) : value
}

/** SQL that gives the rows of a fragment as `r`, from this parameter on, and the number of parameters that it uses. */
function source(
  table: Table,
  columns: readonly string[],
  parameter: number,
  form: Form,
  size = 1,
): { text: string; size: number } {
  if (form === 'rowset') {
    const types = columns.map(column => `${column} ${table.columns[column]}`)
    return { text: `json_to_recordset($${parameter}::json) as r(${types.join(', ')})`, size }
  }
  const values = columns.map((column, index) => `$${parameter + index}::${table.columns[column]} as ${column}`)
  return { text: `(select ${values.join(', ')}) as r`, size: columns.length }
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

/**
 * The forms of the statement that were made so far. Groups save what their members need, in any combination: a form that is one
 * too many gets no name, and so is not prepared.
 */
export class SaveStatements {
  readonly #most: number
  readonly #made = new Map<string, Statement>()

  constructor(most: number) {
    this.#most = most
  }

  of(fragments: readonly Fragment[], publishes: boolean, form: Form): Statement {
    const parts = fragments.map(({ signature, table, rows }) => [signature, largeAlone(table, rows)].join(' '))
    const key = `${parts.join('; ')} ${publishes} ${form}`
    const known = this.#made.get(key)
    if (known !== undefined) return known
    const text = saveText(fragments, publishes, form)
    if (this.#made.size >= this.#most) return { name: '', text }
    const made = statement(`save_${createHash('sha256').update(key).digest('hex').slice(0, 16)}`, text)
    this.#made.set(key, made)
    return made
  }
}

const ofProcess = new SaveStatements(bounds.saveStatements.most)

// PostgreSQL does not run the fragments in the order of the text. The feed comes last because it needs the row counts
// of all others; so its lock is held only for the commit.
function saveText(fragments: readonly Fragment[], publishes: boolean, form: Form): string {
  let parameter = 3
  const parts = fragments.map((fragment, index) => {
    const { text, size } = fragmentText(fragment, parameter, form)
    parameter += size
    return `part_${index} as (\n${text}\n  returning 1)`
  })
  const names = parts.map((_, index) => `part_${index}`)
  // If every part has one row, one count of their product replaces a count for each part.
  const counted = form === 'row' ? [names.join(', ')] : names
  const counts = counted.map(name => `(select count(*) from ${name})`).join(' + ')
  const touched = `touched as (select expect_rows(${counts}, $2::bigint) as ok)`
  if (!publishes) return `with ${[...parts, touched].join(',\n')}\nselect ok from touched`
  const count = `$${parameter}::bigint`
  const columns = changes.columnNames
  const feed = `feed as (
  update organization_feed f set seq = f.seq + ${count} from touched
   where f.organization_id = $1 and touched.ok and f.oldest_configuration <= $${parameter + 1}::bigint
  returning f.seq)`
  const published = `published as (
  insert into changes (organization_id, seq, ${columns.join(', ')})
  select $1, feed.seq - ${count} + 1 + r.ordinal, ${columns.map(column => `r.${column}`).join(', ')}
    from feed, ${source(numberedChanges, numberedChanges.columnNames, parameter + 2, form).text}
  returning 1)`
  const all = [...parts, touched, feed, published].join(',\n')
  return `with ${all}\nselect expect_rows((select count(*) from published), ${count})`
}

function fragmentText({ table, operation, columns, rows }: Fragment, parameter: number, form: Form) {
  const large = form === 'rowset' ? largeAlone(table, rows) : undefined
  const { text, size } = source(table, columns, parameter, form, large === undefined ? 1 : 2)
  if (operation === 'insert') {
    const selected = columns.map(column => (column === large ? `$${parameter + 1}::text` : `r.${column}`)).join(', ')
    const [names, values] = [columns.join(', '), `${selected} from ${text}`]
    if (table.isTenant) return { size, text: `  insert into ${table.name} (${names})\n  select ${values}` }
    return { size, text: `  insert into ${table.name} (organization_id, ${names})\n  select $1, ${values}` }
  }
  const matches = ['t.organization_id = $1', ...table.key.map(column => `t.${column} = r.${column}`)].join(' and ')
  if (operation === 'delete') return { size, text: `  delete from ${table.name} t using ${text}\n   where ${matches}` }
  const assignments = columns.filter(column => !table.key.includes(column)).map(column => `${column} = r.${column}`)
  return { size, text: `  update ${table.name} t set ${assignments.join(', ')} from ${text}\n   where ${matches}` }
}
