import { recordStatements } from '../../record/record-statements.ts'
import type { Resource, WriteContext } from '../../record/resource.ts'
import { DecideAgain, type Transaction } from '../../sql/index.ts'

/**
 * Locks the persons that an answer shows until the answer is stored: an erasure that comes later then finds it. Throws
 * `DecideAgain` when a person was erased or merged away after it was read.
 */
export async function holdPersons(
  transaction: Transaction,
  resource: Resource,
  ids: readonly string[],
  { organizationId, applicationId }: WriteContext,
): Promise<void> {
  const { lockToRefer, loadReferred } = recordStatements(resource)
  const values = [organizationId, ids.map(() => applicationId), ids, [], []]
  const [, held] = await Promise.all([transaction.query(lockToRefer, values), transaction.query(loadReferred, values)])
  if (held.length < ids.length || held.some(({ gone }) => gone === true))
    throw new DecideAgain(`a ${resource.kind} of a stored answer is gone`)
}
