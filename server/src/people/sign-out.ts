import { type EndingServices, endWithEvent } from './end-with-event.ts'
import { endSessionOf } from './start-session.ts'

/** Ends the session with this secret, if there is one. */
export async function signOut(secret: string, address: string, services: EndingServices): Promise<void> {
  await endWithEvent(address, services, transaction => endSessionOf(secret, transaction))
}
