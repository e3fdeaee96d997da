import { Lookup } from '../../record/index.ts'
import { lockNumber } from '../../schema/index.ts'
import { claimedStatement, type Row, type Statement, statement, type Transaction } from '../../sql/index.ts'

// Erasures share this lock until their commit. A write after which a file about persons counts takes it exclusively, and so knows every
// erasure that the file may have missed.
const lockToErase = statement(
  'lock_to_erase',
  'select pg_advisory_xact_lock_shared($2::bigint) from organizations o where o.id = $1',
)
const waitForErasures = claimedStatement(
  'wait_for_erasures',
  'select pg_advisory_xact_lock($2::bigint) as waited from organizations o where o.id = $1',
)

const counted = 'select count(*) as erasures from erasure_receipts r where r.organization_id = $1'
const countErasures = statement('count_erasures', counted)
const countErasuresAgain = claimedStatement('count_erasures_again', counted)

const numberOf = (organizationId: string) => lockNumber('erasures', organizationId)

/** Takes the lock that erasures share, until the end of the transaction. */
export async function joinErasures(transaction: Transaction, organizationId: string): Promise<void> {
  await transaction.query(lockToErase, [organizationId, numberOf(organizationId)])
}

/** The number of persons that the organization has erased, as a transaction sees it. */
export async function erasuresSeen(
  transaction: { query(asked: Statement, values: readonly unknown[]): Promise<Row[]> },
  organizationId: string,
): Promise<number> {
  const [row] = await transaction.query(countErasures, [organizationId])
  return Number(row?.erasures)
}

/** Waits for erasures in progress: for a mutation after which a file about persons counts. */
export function endOfErasures(organizationId: string): Lookup {
  return Lookup.rows(waitForErasures, [numberOf(organizationId)])
}

/** The number of persons that the organization has erased by the time of the mutation; load it after `endOfErasures`. */
export const erasureCount = new Lookup(countErasuresAgain, [], ([row]) => Number(row?.erasures))
