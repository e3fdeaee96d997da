import { recordStatements } from '../../record/record-statements.ts'
import type { Resource, WriteContext } from '../../record/resource.ts'
import { DecideAgain, type Transaction } from '../../sql/index.ts'

/**
 * Keeps persons from being erased until the answer that tells of them is stored, so that erasing them reaches it. Throws
 * `DecideAgain` when one was erased or merged away since it was read.
 */
export async function holdPersons(
  transaction: Transaction,
  resource: Resource,
  ids: readonly string[],
  { organizationId, applicationId }: WriteContext,
): Promise<void> {
  const { lockToRefer, loadReferred } = recordStatements(resource)
  const values = [organizationId, applicationId, ids, []]
  const [, held] = await Promise.all([transaction.query(lockToRefer, values), transaction.query(loadReferred, values)])
  if (held.length < ids.length || held.some(({ gone }) => gone === true))
    throw new DecideAgain(`a ${resource.kind} of a stored answer is gone`)
}
