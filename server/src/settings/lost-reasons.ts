import { newId } from '../kernel/schema/index.ts'
import { type Database, statement, type Transaction } from '../kernel/sql/index.ts'
import { configure } from './administer.ts'
import { noSuch } from './administration-error.ts'
import { nameOf, uuidOf } from './values.ts'

/** What every organization starts with; they serve all its pipelines. */
export const defaultLostReasons = ['Too expensive', 'Chose a competitor', 'No longer needed']

const findPipeline = statement(
  'find_pipeline_of_lost_reason',
  'select p.id from pipelines p where p.organization_id = $1 and p.id = $2',
)

const insertLostReasonRow = statement(
  'insert_lost_reason',
  `insert into lost_reason_categories (organization_id, id, name, pipeline_id, position)
   select $1, $2, $3, $4, coalesce(max(l.position) + 1, 0)
     from lost_reason_categories l where l.organization_id = $1`,
)

export interface NewLostReason {
  readonly name: string
  /** Absent: usable in every pipeline. */
  readonly pipelineId?: string | undefined
}

/** Creates a reason for lost deals. Throws an `AdministrationError` for an unknown pipeline. */
export async function createLostReason(
  database: Database,
  { organizationId, ...reason }: NewLostReason & { readonly organizationId: string },
): Promise<{ uuid: string }> {
  return configure(database, organizationId, (transaction, id) => insertLostReason(transaction, id, reason))
}

/** The lost reason of a new organization, or of an existing one, in a transaction that has begun. */
export async function insertLostReason(
  transaction: Transaction,
  organizationId: string,
  { name, pipelineId }: NewLostReason,
): Promise<{ uuid: string }> {
  const uuid = newId()
  const pipeline = pipelineId === undefined ? null : uuidOf('pipeline', pipelineId)
  if (pipelineId !== undefined) {
    const found = await transaction.query(findPipeline, [organizationId, pipeline])
    if (found.length === 0) throw noSuch('pipeline', pipelineId)
  }
  await transaction.query(insertLostReasonRow, [organizationId, uuid, nameOf('the name of a reason', name), pipeline])
  return { uuid }
}
