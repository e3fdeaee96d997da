import type { Actor } from '../auth/actor.ts'
import type { Refusal } from '../errors/index.ts'
import type { Mutation, WriteServices } from '../mutation/index.ts'
import type { Step } from '../write/decide.ts'
import { decideEach, type RecordChange } from '../write/record-change.ts'
import { mutate } from '../write.ts'

/**
 * Makes several changes in one transaction. It is for writes without a request, such as a job with a part of its targets or an import with
 * some of its rows. The changes are decided in order, and each sees those before it. A refused change writes nothing; the others are kept.
 * The caller limits the number of changes per call; a batch has 100.
 *
 * Resolves to the result of each change, in order. Throws on an internal error; then nothing was changed.
 */
export async function changeAll(
  changes: readonly RecordChange[],
  actor: Actor,
  services: WriteServices,
): Promise<readonly (Step | Refusal)[]> {
  const mutation: Mutation<readonly (Step | Refusal)[], never> = {
    needs(needs, work, configuration) {
      for (const change of changes) change.needs(needs, work, configuration)
    },
    *decide(work, write) {
      return { result: yield* decideEach(changes, () => '', work, write) }
    },
  }
  return mutate(mutation, actor, services)
}
