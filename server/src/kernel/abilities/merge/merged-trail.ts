import { Lookup, type Resource, type RowChange, recordStatements, type WriteContext } from '../../record/index.ts'
import {
  claimedStatement,
  type Database,
  type Reader,
  type Statement,
  statement,
  type Transaction,
} from '../../sql/index.ts'
import { mergedRecords } from '../../write/tables.ts'
import type { Effect } from '../../write/working-set.ts'

/** The statement that finds what records of one kind were merged into, for use inside and outside of a transaction. */
interface TrailStatements {
  /** $1 organization, $2 ids. Returns `id` and `into_id` of each record that was merged into a record that still exists. */
  readonly find: Statement
  /** The same, outside of a transaction. */
  readonly read: Statement
}

const compiled = new Map<string, TrailStatements>()

function trailStatements(resource: Resource): TrailStatements {
  const made = compiled.get(resource.kind) ?? compileTrail(resource)
  compiled.set(resource.kind, made)
  return made
}

// Each id is looked up by the whole primary key, and so is the record that it was merged into.
function compileTrail(resource: Resource): TrailStatements {
  const { kind, table } = resource
  const text = `select wanted.id, m.into_id
     from unnest($2::uuid[]) as wanted(id)
    cross join lateral (
      select x.into_id from merged_records x
       where x.organization_id = $1 and x.id = wanted.id offset 0) as m
    cross join lateral (
      select t.id from ${table.name} t
       where t.organization_id = $1 and t.id = m.into_id and ${recordStatements(resource).visible} offset 0) as t`
  return {
    find: claimedStatement(`find_merged_${kind}`, text),
    read: statement(`read_merged_${kind}`, text),
  }
}

const leadOn = statement(
  'lead_merged_on',
  'update merged_records m set into_id = $3 where m.organization_id = $1 and m.into_id = $2 returning 1',
)

/** Details for the 404 of a record: the record that it was merged into; empty if there is none, or it is gone. */
export function mergedDetails(resource: Resource, id: string): Lookup<{ readonly mergedIntoId?: string }> {
  return new Lookup(trailStatements(resource).find, [[id]], ([row]) =>
    row === undefined ? {} : { mergedIntoId: String(row.into_id) },
  )
}

/**
 * The records that others were merged into, by the id of the merged one. It is the record that exists now, after any number of merges. If
 * that was deleted or anonymized, there is no entry (contract section 17.29).
 */
export async function mergedInto(
  resource: Resource,
  ids: readonly string[],
  reader: Reader,
  database: Database,
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await database.query(trailStatements(resource).read, [reader.organizationId, ids], reader)
  return new Map(rows.map(row => [String(row.id), String(row.into_id)]))
}

/**
 * Records what the secondary was merged into. Earlier records that were merged into the secondary are redirected to the primary, so that
 * one step is always enough.
 */
export async function keepMerged(
  transaction: Transaction,
  { resource, before, mergedIntoId }: Effect,
  write: WriteContext,
): Promise<RowChange[]> {
  if (before === null || mergedIntoId === undefined) return []
  await transaction.query(leadOn, [write.organizationId, before.id, mergedIntoId])
  const row = { id: before.id, kind: resource.kind, into_id: mergedIntoId, merged_at: write.now }
  return [{ table: mergedRecords, operation: 'insert', row }]
}
