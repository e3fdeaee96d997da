import { claimedStatement, type Statement } from '../sql/index.ts'
import type { Nested } from './define-nested.ts'
import { headColumn } from './record-head.ts'
import { columnsOf } from './record-statements.ts'
import type { Resource } from './resource.ts'

/** The statements of one kind of nested records. */
export interface NestedStatements {
  /** $1 organization, $2 ids */
  readonly load: Statement
  /** $1 organization, $2 ids of what they belong to */
  readonly loadIn: Statement
}

const compiled = new Map<string, NestedStatements>()

/** No locks: whoever changes a nested record holds that of the record at the top. */
export function nestedStatements(nested: Resource): NestedStatements {
  const known = compiled.get(nested.kind)
  if (known !== undefined) return known
  const { kind, table, parent } = nested
  const column = parentColumn(nested)
  const select = (place: string) =>
    `select ${columnsOf(nested)}${parent?.isPlaced ? `, ${place} as position` : ''}
       from ${table.name} t where t.organization_id = $1`
  const made = {
    load: claimedStatement(
      `load_${kind}`,
      `${select(countedPlace(nested))} and t.${headColumn(nested, 'id')} = any ($2::uuid[])`,
    ),
    loadIn: claimedStatement(
      `load_${kind}_in`,
      `${select(numberedPlace('t', `t.${column}`))} and t.${column} = any ($2::uuid[])`,
    ),
  }
  compiled.set(kind, made)
  return made
}

/** The place of one row `t`: how many stand before it. */
function countedPlace(nested: Resource): string {
  const column = parentColumn(nested)
  return `(select count(*)::integer from ${nested.table.name} b
            where b.organization_id = $1 and b.${column} = t.${column} and (b.rank, b.id) < (t.rank, t.id))`
}

/** The place of a row where a statement reads all of its parent, or all from the first on: its number among them. */
export function numberedPlace(row: string, parent?: string): string {
  const apart = parent === undefined ? '' : `partition by ${parent} `
  return `(row_number() over (${apart}order by ${row}.rank, ${row}.id))::integer - 1`
}

const places = new Map<string, Statement>()

/**
 * $1 organization, $2 id of what they belong to: `count` of all. Where the kind has places, $3 is the one that is wanted
 * (null: the end) and $4 the id of one that is not counted, or null: also `position`, which is the wanted place or the end,
 * and the ranks beside it, `lower` and `upper`.
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
  from (select count(*)::integer as count, array_agg(t.rank order by t.rank, t.id) as ranks ${inside}
          and t.id is distinct from $4::uuid) as s`,
      )
    : claimedStatement(`count_of_${kind}`, `select count(*)::integer as count ${inside}`)
  places.set(kind, made)
  return made
}

/** The column that holds the id of what a nested record belongs to. */
export function parentColumn({ parent, fields }: Resource): string {
  const column = fields[parent?.member ?? '']?.columnName
  if (column === undefined) throw new Error('only nested records have a parent')
  return column
}
