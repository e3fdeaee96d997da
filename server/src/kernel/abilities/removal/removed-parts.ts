import type { Swept } from '../../mutation/index.ts'
import { columnOf, type Nested, parentColumn } from '../../record/index.ts'
import { plannedAnew, type Statement, type Transaction } from '../../sql/index.ts'
import { forgetAttached } from '../files/forget-attached.ts'

const compiled = new Map<string, Statement>()

/** $1 organization, $2 id of the record. Removes its parts of this kind; returns the files of attachments, or else the `count`. */
function removal(kind: Nested): Statement {
  const known = compiled.get(kind.kind)
  if (known !== undefined) return known
  const { fields, table, ownsFile } = kind
  const removed = `delete from ${table.name} t where t.organization_id = $1 and t.${parentColumn(kind)} = $2`
  const size = fields.sizeBytes
  const text =
    ownsFile && size !== undefined
      ? `${removed} returning t.id, t.${columnOf('sizeBytes', size)} as "sizeBytes"`
      : `with removed as (${removed} returning 1) select count(*)::integer as count from removed`
  const made = plannedAnew(`remove_parts_${kind.kind}`, text)
  compiled.set(kind.kind, made)
  return made
}

/** Parts that were removed with their record. */
export interface RemovedParts extends Required<Swept> {
  /** How many there were, by kind. */
  readonly counts: Readonly<Record<string, number>>
}

/**
 * Removes the activities and files of a record, in the transaction that removes or anonymizes it. Only the files are loaded, of which a
 * record has a limited number: their rows are removed by the save, and their bytes after the commit.
 */
export async function removeParts(
  transaction: Transaction,
  organizationId: string,
  kinds: readonly Nested[],
  id: string,
): Promise<RemovedParts> {
  const removed = await Promise.all(
    kinds.map(async kind => {
      const rows = await transaction.query(removal(kind), [organizationId, id])
      const files = kind.ownsFile ? rows : []
      return { name: kind.linkedAs, count: kind.ownsFile ? files.length : Number(rows[0]?.count), files }
    }),
  )
  return {
    counts: Object.fromEntries(removed.map(({ name, count }) => [name, count])),
    ...forgetAttached(
      organizationId,
      removed.flatMap(({ files }) => files),
    ),
  }
}
