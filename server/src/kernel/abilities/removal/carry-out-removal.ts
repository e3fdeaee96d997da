import type { Actor } from '../../auth/actor.ts'
import type { Outcome, Request } from '../../operation.ts'
import { newId, type Refusal } from '../../schema/index.ts'
import type { Services } from '../../services.ts'
import { mutate } from '../../write.ts'
import { relationsOf } from './relations.ts'
import { answerRemoval, erasing, removingParts } from './removal-answer.ts'
import { type RemovalRequest, removal } from './removal-plan.ts'

/** Removes a record as requested; for a person, with everything that mentions the person. */
export async function carryOutRemoval(
  asked: RemovalRequest,
  request: Request,
  services: Services,
): Promise<Outcome | Refusal> {
  const { resource } = asked
  const [relations, erasureId] = [relationsOf(resource, services), newId()]
  const sweeping = resource.personal ? erasing(asked, relations, erasureId, services) : removingParts(relations)
  return mutate(removal(asked, services, sweeping), actorOf(asked, request, services), services, plan =>
    answerRemoval(asked, plan, relations, erasureId),
  )
}

/** The actor of a removal. If the client's request id of an erasure may contain the person's address, a hash of it is stored instead. */
function actorOf({ resource }: RemovalRequest, { actor }: Request, { secret }: Services): Actor {
  const { clientRequestId: id } = actor
  if (!resource.personal || id?.includes('@') !== true) return actor
  return { ...actor, clientRequestId: secret.requestIdHash(id) }
}
