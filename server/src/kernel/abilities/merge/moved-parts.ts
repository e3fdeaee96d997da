import { Lookup, type Nested, parentColumn, type RecordState, type WriteContext } from '../../record/index.ts'
import { claimedStatement, columnName, plannedAnew, type Statement, type Transaction } from '../../sql/index.ts'
import { mostAffected } from '../../write/needs.ts'
import type { WorkingSet } from '../../write/working-set.ts'
import { type Blocker, listTooLong } from '../referrers/index.ts'

/** The parts of one kind that a merge moves by a statement, without loading them: activities and files. */
export interface MovedParts {
  readonly kind: Nested
  /** The name in previews and answers. */
  readonly name: string
  readonly primary: number
  readonly secondary: number
  readonly merged: number
  readonly blockers: readonly Blocker[]
}

/** How far parts are counted: a preview tells the whole number, and a commit needs to know only whether there are too many. */
export type Counting = 'all' | 'as far as needed'

interface PartStatements {
  /** $1 organization, $2 id of the record, $3 the number to count to, or null. Returns the `count` of its parts. */
  readonly count: Statement
  /** $1 organization, $2 and $3 ids of the secondary and the primary, $4 now. */
  readonly move: Statement
}

const compiled = new Map<string, PartStatements>()

function partStatements(kind: Nested): PartStatements {
  const known = compiled.get(kind.kind)
  if (known !== undefined) return known
  const { table, order } = kind
  const column = parentColumn(kind)
  const made = {
    count: claimedStatement(
      `count_parts_${kind.kind}`,
      // Only the index of the list has this order, so a plan that is made while the table is empty uses it too.
      `select count(*)::integer as count from (
         select 1 from ${table.name} t where t.organization_id = $1 and t.${column} = $2
          order by t.${columnName(order.field)}, t.id limit $3::integer) as counted`,
    ),
    move: plannedAnew(
      `move_parts_${kind.kind}`,
      `update ${table.name} t
          set ${column} = $3, version = t.version + 1, updated_at = greatest(t.updated_at, $4::timestamptz)
        where t.organization_id = $1 and t.${column} = $2`,
    ),
  }
  compiled.set(kind.kind, made)
  return made
}

/** The number of parts of one record. */
export function partCount(kind: Nested, id: string, counting: Counting): Lookup<number> {
  const most = counting === 'all' ? null : mostAffected + 1
  return new Lookup(partStatements(kind).count, [id, most], ([row]) => Number(row?.count ?? 0))
}

/** Pure: the parts of one kind after a merge. A kind with a limit forbids the merge if both records together have more. */
export function movedParts(
  kind: Nested,
  primary: RecordState,
  secondary: RecordState,
  counting: Counting,
  work: WorkingSet,
): MovedParts {
  const countOf = ({ id }: RecordState) => work.read(partCount(kind, id, counting))
  const [ofPrimary, ofSecondary] = [countOf(primary), countOf(secondary)]
  const merged = ofPrimary + ofSecondary
  const { most } = kind
  const blockers = most !== null && merged > most ? [listTooLong(kind.plural, merged, most)] : []
  return { kind, name: kind.linkedAs, primary: ofPrimary, secondary: ofSecondary, merged, blockers }
}

/** Moves the parts of the secondary to the primary, in the transaction of the merge. The version of each rises by one. */
export async function moveParts(
  transaction: Transaction,
  moved: readonly MovedParts[],
  primary: RecordState,
  secondary: RecordState,
  { organizationId, now }: WriteContext,
): Promise<void> {
  const values = [organizationId, secondary.id, primary.id, now]
  const kinds = moved.flatMap(each => (each.secondary === 0 ? [] : [each.kind]))
  await Promise.all(kinds.map(kind => transaction.query(partStatements(kind).move, values)))
}
