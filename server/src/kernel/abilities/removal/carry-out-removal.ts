import { discardDropped } from '../../discard-dropped.ts'
import type { FileName } from '../../files/index.ts'
import { mutate } from '../../mutation.ts'
import type { Outcome, Request } from '../../operation.ts'
import { Refusal } from '../../schema/index.ts'
import type { Services } from '../../services.ts'
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
    removed(asked.resource, asked.mode, plan, work, write, relations, files => void (dropped = files)),
  )
  const outcome = await mutate(mutation, request.writer, services)
  // The answer does not wait for a store of many files.
  if (!(outcome instanceof Refusal)) void discardDropped(dropped, request, services)
  return outcome
}
