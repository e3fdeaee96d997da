import { Refusal } from '../errors/index.ts'
import { type Mutation, mutate, type WriteServices } from '../mutation.ts'
import type { Step } from '../write/decide.ts'
import { decideEach, type RecordChange } from '../write/record-change.ts'
import type { Writer } from '../writer.ts'

/**
 * Makes several changes in one transaction, for whoever writes without a request: a job with a chunk of its targets, an
 * import with some of its rows. Changes are decided in their order, each seeing the ones before it; one that is refused
 * writes nothing, and the others are kept. How many are given at once is the caller's to bound: 100 are a batch.
 *
 * Resolves to what became of each, in their order; throws what went wrong inside, and then nothing was changed.
 */
export async function changeAll(
  changes: readonly RecordChange[],
  writer: Writer,
  services: WriteServices,
): Promise<readonly (Step | Refusal)[]> {
  let steps: readonly (Step | Refusal)[] = []
  const mutation: Mutation = {
    needs(needs, work, configuration) {
      for (const change of changes) change.needs(needs, work, configuration)
    },
    decide(work, write) {
      steps = decideEach(changes, () => '', work, write)
      return { status: 200, data: null, meta: {}, shown: [] }
    },
  }
  const outcome = await mutate(mutation, { ...writer, idempotency: null }, services)
  if (outcome instanceof Refusal) throw new Error(`a chunk of changes was refused: ${outcome.message}`)
  return steps
}
