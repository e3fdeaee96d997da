import { addressClass } from '../kernel/auth/index.ts'
import type { Services } from '../kernel/index.ts'
import { noteAccountEvent } from './account-events.ts'
import { endSessionOf } from './start-session.ts'

/** Ends the session with this secret, if there is one: here at once, and in every other process within a second. */
export async function signOut(secret: string, address: string, services: Services): Promise<void> {
  const transaction = await services.database.begin()
  try {
    const userId = await endSessionOf(secret, transaction)
    if (userId === null) return
    const event = {
      userId,
      event: 'signed_out',
      addressClass: addressClass(address),
      at: services.clock.now(),
    } as const
    await noteAccountEvent(event, transaction)
    await transaction.commit()
    services.authentication.sessions.forget()
  } finally {
    await transaction.rollback()
  }
}
