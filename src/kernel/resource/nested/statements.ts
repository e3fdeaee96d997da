import { type Statement, statement } from '../../sql/index.ts'
import type { Resource } from '../resource.ts'
import { columnsOf, guard } from '../statements.ts'

/** The statements of one kind of nested records. */
export interface NestedStatements {
  /** $1 organization, $2 ids */
  readonly load: Statement
  /** $1 organization, $2 ids of what they belong to */
  readonly loadIn: Statement
  /** $1 organization, $2 id of what they belong to: one row, how many there are, and the last position */
  readonly extent: Statement
}

const compiled = new Map<string, NestedStatements>()

/** No locks: whoever changes a nested record holds that of the record at the top. */
export function nestedStatements(resource: Resource): NestedStatements {
  const known = compiled.get(resource.kind)
  if (known !== undefined) return known
  const { kind, table, fields } = resource
  const column = parentColumn(resource)
  const select = `select ${columnsOf(resource)} from ${table.name} t where ${guard} and t.organization_id = $1`
  const last = 'position' in fields ? 'max(t.position)' : 'null'
  const made = {
    load: statement(`load_${kind}`, `${select} and t.id = any ($2::uuid[])`),
    loadIn: statement(`load_${kind}_in`, `${select} and t.${column} = any ($2::uuid[])`),
    extent: statement(
      `extent_of_${kind}`,
      `select count(*)::integer as count, ${last} as last from ${table.name} t
        where ${guard} and t.organization_id = $1 and t.${column} = $2
       having ${guard}`,
    ),
  }
  compiled.set(kind, made)
  return made
}

/** The column that holds the id of what a nested record belongs to. */
export function parentColumn({ parent, fields }: Resource): string {
  const column = fields[parent?.member ?? '']?.columnName
  if (column === undefined) throw new Error('only nested records have a parent')
  return column
}
