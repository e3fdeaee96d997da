import { addressClass } from '../kernel/auth/index.ts'
import type { Services } from '../kernel/index.ts'
import type { Transaction } from '../kernel/sql/index.ts'
import { noteAccountEvent } from './account-events.ts'

/** What it takes to end sessions. */
export type EndingServices = Pick<Services, 'database' | 'clock'> & {
  readonly authentication: { readonly sessions: Pick<Services['authentication']['sessions'], 'forget'> }
}

/**
 * Ends sessions of one user, and notes that they are signed out: here at once, and in every other process within a second. `end` answers
 * whose they were; null if there were none, and then nothing is noted and no process reads its sessions again. Returns what `end` answered.
 */
export async function endWithEvent(
  address: string,
  { database, clock, authentication }: EndingServices,
  end: (transaction: Transaction) => Promise<string | null>,
): Promise<string | null> {
  const transaction = await database.begin()
  try {
    const userId = await end(transaction)
    if (userId === null) return null
    const event = { userId, event: 'signed_out', addressClass: addressClass(address), at: clock.now() } as const
    await noteAccountEvent(event, transaction)
    await transaction.commit()
    authentication.sessions.forget()
    return userId
  } finally {
    await transaction.rollback()
  }
}
