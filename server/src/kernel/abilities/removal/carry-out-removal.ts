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
  { writer, operation }: Request,
  services: Services,
): Promise<Outcome | Refusal> {
  let dropped: readonly FileName[] = []
  const mutation = removal(asked, services, (plan, work, write, relations) =>
    removed(asked.resource, asked.mode, plan, work, write, relations, files => void (dropped = files)),
  )
  const outcome = await mutate(mutation, writer, services)
  // The answer does not wait for a store of many files, nor depend on it: what it keeps now is swept within two hours.
  if (!(outcome instanceof Refusal))
    services.files.discard(dropped).catch(error => services.onFailure(error, { operation: operation.id }))
  return outcome
}
