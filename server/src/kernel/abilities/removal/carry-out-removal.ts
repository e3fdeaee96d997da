import { discardDropped } from '../../discard-dropped.ts'
import type { FileName } from '../../files/index.ts'
import { mutate } from '../../mutation.ts'
import type { Outcome, Request } from '../../operation.ts'
import { Refusal } from '../../schema/index.ts'
import type { Services } from '../../services.ts'
import type { Writer } from '../../writer.ts'
import { removed } from './removal-answer.ts'
import { type RemovalRequest, removal } from './removal-plan.ts'

/** Removes a record as a request asks for, and then the bytes of files that told of a person who was erased. */
export async function carryOutRemoval(
  asked: RemovalRequest,
  request: Request,
  services: Services,
): Promise<Outcome | Refusal> {
  let dropped: readonly FileName[] = []
  const mutation = removal(asked, services, (plan, work, write, relations) =>
    removed(asked.resource, asked.mode, plan, work, write, relations, services, files => void (dropped = files)),
  )
  const outcome = await mutate(mutation, writerOf(asked, request, services), services)
  // The answer does not wait for a store of many files.
  if (!(outcome instanceof Refusal)) void discardDropped(dropped, request, services)
  return outcome
}

/** The writer. Of what the client calls a request that erases a person, a hash is kept where it may hold the person's address. */
function writerOf({ resource }: RemovalRequest, { writer }: Request, { secret }: Services): Writer {
  const { clientRequestId: id } = writer
  if (!resource.personal || id?.includes('@') !== true) return writer
  return { ...writer, clientRequestId: secret.requestIdHash(id) }
}
