import { claimedStatement, type Statement, tablesOfEveryNode } from '../sql/index.ts'
import type { Nested } from './define-nested.ts'
import { headColumn } from './record-head.ts'
import { selectedColumns } from './record-statements.ts'
import type { Resource } from './resource.ts'

/** The statements of one kind of nested records. */
export interface NestedStatements {
  /** $1 organization, $2 ids of nested records */
  readonly load: Statement
  /** $1 organization, $2 ids of their parents */
  readonly loadIn: Statement
}

const compiled = new Map<string, NestedStatements>()

/** Nested records are not locked, because a write that changes one holds the lock of the record at the top. */
export function nestedStatements(nested: Resource): NestedStatements {
  const known = compiled.get(nested.kind)
  if (known !== undefined) return known
  const { kind, table, parent } = nested
  const column = parentColumn(nested)
  // Each row is looked up by its whole key, like a record at the top: with `= any`, a plan made while the table is small could walk
  // through all rows of the organization.
  // The claim of a write is on the node of the organization, so that what every node has is read there, too.
  const beside = tablesOfEveryNode.includes(table.name) ? 'organizations o cross join ' : ''
  const here = beside === '' ? '' : ' where o.id = $1'
  const found = (condition: string, place: string) =>
    `select ${selectedColumns(nested)}${parent?.isPlaced ? ', t.place_among as position' : ''}
       from ${beside}unnest($2::uuid[]) as wanted(id)
      cross join lateral (
        select x.*${parent?.isPlaced ? `, ${place} as place_among` : ''} from ${table.name} x
         where x.organization_id = $1 and ${condition} = wanted.id offset 0) as t${here}`
  const made = {
    load: claimedStatement(`load_${kind}`, found(`x.${headColumn(nested, 'id')}`, countedPlace(nested))),
    loadIn: claimedStatement(`load_${kind}_in`, found(`x.${column}`, numberedPlace('x'))),
  }
  compiled.set(kind, made)
  return made
}

/** SQL of the position of one row `x`: the number of rows before it. */
function countedPlace(nested: Resource): string {
  const column = parentColumn(nested)
  return `(select count(*)::integer from ${nested.table.name} b
            where b.organization_id = $1 and b.${column} = x.${column} and (b.rank, b.id) < (x.rank, x.id))`
}

/** SQL of the position of a row in a statement that reads all rows of its parent, or all from the first one on: its row number. */
export function numberedPlace(row: string): string {
  return `(row_number() over (order by ${row}.rank, ${row}.id))::integer - 1`
}

const places = new Map<string, Statement>()

/**
 * $1 organization, $2 id of the parent. Returns the `count` of its nested records. For a kind with positions, $3 is the requested position
 * (null: the end) and $4 the id of a record to exclude, or null. Then it also returns `position`, which is the requested position or the
 * end, and `lower` and `upper`, the ranks of the neighbours.
 */
export function placeStatement(nested: Nested): Statement {
  const known = places.get(nested.kind)
  if (known !== undefined) return known
  const { kind, table, parent } = nested
  const inside = `from ${table.name} t
           where t.organization_id = $1 and t.${parentColumn(nested)} = $2`
  const place = 'least($3::integer, s.count)'
  const made = parent.isPlaced
    ? claimedStatement(
        `place_of_${kind}`,
        `select s.count, ${place} as position, s.ranks[${place}] as lower, s.ranks[${place} + 1] as upper
  from (select count(*)::integer as count, array_agg(t.rank) as ranks from (
          select t.rank ${inside}
             and t.id is distinct from $4::uuid
           order by t.rank, t.id offset 0) as t) as s`,
      )
    : claimedStatement(`count_of_${kind}`, `select count(*)::integer as count ${inside}`)
  places.set(kind, made)
  return made
}

/** The column with the parent's id. */
export function parentColumn({ parent, fields }: Resource): string {
  const column = fields[parent?.member ?? '']?.columnName
  if (column === undefined) throw new Error('only nested records have a parent')
  return column
}
