import type { Actor } from '../auth/actor.ts'
import { timestamp } from '../clock.ts'
import type { WriteContext } from '../record/resource.ts'
import { type Configuration, newId } from '../schema/index.ts'
import type { KeyOwner } from '../write/load.ts'
import type { WriteServices } from './mutation.ts'

/** The organization and application whose rows and keys a mutation uses. */
export function ownerOf({ organizationId, applicationId }: Actor, { secret }: WriteServices): KeyOwner {
  return { organizationId, applicationId, goneKey: key => secret.goneKey(key) }
}

/** The facts of a mutation at this time. It gets its own transaction id, even if others share the transaction. */
export function writeContext(
  actor: Actor,
  owner: KeyOwner,
  { clock, secret }: Pick<WriteServices, 'clock' | 'secret'>,
  configuration: Configuration,
): WriteContext {
  const { organizationId, applicationId, goneKey } = owner
  // Without a spread every context has the same shape, so that the engine can optimize the code that reads it.
  return {
    organizationId,
    applicationId,
    goneKey,
    encrypt: (text, place) => secret.keyring.encrypt(text, { organizationId, ...place }),
    origin: actor.origin,
    author: actor.author,
    requestId: actor.requestId,
    clientRequestId: actor.clientRequestId,
    managesCustomFields: actor.managesCustomFields,
    configuration,
    now: timestamp(clock),
    transactionId: newId(),
    random: Math.random,
  }
}
