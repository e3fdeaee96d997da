import { statement, type Transaction } from '../../sql/index.ts'
import type { RowChange } from '../../write/table.ts'
import { mergedRecords } from '../../write/tables.ts'
import type { Effect, WorkingSet } from '../../write/working-set.ts'
import type { ExtraNeed, WriteContext } from '../resource.ts'
import { guard } from '../statements.ts'

const findMerged = statement(
  'find_merged',
  `select m.id, m.into_id from merged_records m
    where ${guard} and m.organization_id = $1 and m.id = any ($2::uuid[])`,
)

const leadOn = statement(
  'lead_merged_on',
  'update merged_records m set into_id = $3 where m.organization_id = $1 and m.into_id = $2 returning 1',
)

/** Looks for what became of records that were merged away. */
export function needMerged(ids: readonly string[]): ExtraNeed {
  return { name: findMerged.name, statement: findMerged, values: [ids] }
}

/** The record that another was merged into, as details of its 404. */
export function mergedDetails(work: WorkingSet, id: string): { mergedIntoId?: string } {
  const row = work.extra(findMerged.name).find(found => found.id === id)
  return row === undefined ? {} : { mergedIntoId: String(row.into_id) }
}

/** Keeps what the secondary became, and leads on whatever was merged into it before: one step always suffices. */
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
