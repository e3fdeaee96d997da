import type { Actor } from '../auth/actor.ts'
import { timestamp } from '../clock.ts'
import type { WriteContext } from '../record/resource.ts'
import { type Configuration, newId } from '../schema/index.ts'
import type { KeyOwner } from '../write/load.ts'
import type { WriteServices } from './mutation.ts'

/** Whose rows and keys a mutation is about. */
export function ownerOf({ organizationId, applicationId }: Actor, { secret }: WriteServices): KeyOwner {
  return { organizationId, applicationId, goneKey: key => secret.goneKey(key) }
}

/** The facts of a mutation at this time, with an id of its own for the transaction, also where others share it. */
export function writeContext(
  actor: Actor,
  owner: KeyOwner,
  { clock, secret }: Pick<WriteServices, 'clock' | 'secret'>,
  configuration: Configuration,
): WriteContext {
  const { organizationId, applicationId, goneKey } = owner
  // Without a spread every context has the same shape, and what reads it is compiled for that one.
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
