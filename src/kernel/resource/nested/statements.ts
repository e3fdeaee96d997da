import { columnName, type Statement, statement } from '../../sql/index.ts'
import type { Resource } from '../resource.ts'
import { columnsOf, guard } from '../statements.ts'
import type { Nested } from './define.ts'

/** The statements of one kind of nested records. */
export interface NestedStatements {
  /** $1 organization, $2 ids */
  readonly load: Statement
  /** $1 organization, $2 ids of what they belong to */
  readonly loadIn: Statement
}

const compiled = new Map<string, NestedStatements>()

/** No locks: whoever changes a nested record holds that of the record at the top. */
export function nestedStatements(resource: Resource): NestedStatements {
  const known = compiled.get(resource.kind)
  if (known !== undefined) return known
  const { kind, table } = resource
  const column = parentColumn(resource)
  const select = `select ${columnsOf(resource)} from ${table.name} t where ${guard} and t.organization_id = $1`
  const made = {
    load: statement(`load_${kind}`, `${select} and t.id = any ($2::uuid[])`),
    loadIn: statement(`load_${kind}_in`, `${select} and t.${column} = any ($2::uuid[])`),
  }
  compiled.set(kind, made)
  return made
}

const extents = new Map<string, Statement>()

/**
 * $1 organization, $2 id of what they belong to: the last one of a kind, as `position` where it has one, and the `count`
 * of all; no row when there is none. Read in the order of the list, and so through its index.
 */
export function extentStatement(nested: Nested): Statement {
  const { kind, table, fields, order } = nested
  const made =
    extents.get(kind) ??
    statement(
      `extent_of_${kind}`,
      `select (count(*) over ())::integer as count, ${'position' in fields ? 't.position' : 'null as position'}
         from ${table.name} t
        where ${guard} and t.organization_id = $1 and t.${parentColumn(nested)} = $2
        order by t.${columnName('position' in fields ? 'position' : order.field)} desc, t.id desc limit 1`,
    )
  extents.set(kind, made)
  return made
}

/** The column that holds the id of what a nested record belongs to. */
export function parentColumn({ parent, fields }: Resource): string {
  const column = fields[parent?.member ?? '']?.columnName
  if (column === undefined) throw new Error('only nested records have a parent')
  return column
}
