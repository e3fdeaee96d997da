import type { Actor } from '../../auth/actor.ts'
import { Refusal } from '../../errors/index.ts'
import type { KeptFile } from '../../files/index.ts'
import type { MakeAnswer, Mutation } from '../../mutation/index.ts'
import type { Outcome } from '../../operation.ts'
import type { Services } from '../../services.ts'
import { mutate } from '../../write.ts'

/** A write that records files. `Kept` describes the stored files. */
export interface StoringWrite<Kept, Result> {
  /** Whether to store the files. A request that is refused, retried or has nothing new to store stores nothing: an outcome ends it. */
  mayStore(): Promise<{ readonly result: boolean } | Outcome | Refusal>
  store(): Promise<Kept>
  filesOf(kept: Kept): readonly KeptFile[]
  /** The final decision. `kept` is null if nothing was to be stored. */
  mutation(kept: Kept | null): Mutation<Result>
  /** Whether this result records the files; always by default. */
  isRecorded?(result: Result): boolean
  readonly answer: MakeAnswer<Result>
}

/**
 * Decides whether to store files, stores them, and makes the final decision. No lock and no connection is held while files are stored.
 * Files that the final decision does not record are discarded. After an internal error it may be unknown whether they were recorded; they
 * are swept later.
 */
export async function storeAndMutate<Kept, Result>(
  { mayStore, store, filesOf, mutation, isRecorded = () => true, answer }: StoringWrite<Kept, Result>,
  actor: Actor,
  services: Services,
): Promise<Outcome | Refusal> {
  const first = await mayStore()
  if (!('result' in first)) return first
  const kept = first.result ? await store() : null
  const outcome = await mutate(mutation(kept), actor, services, answer)
  const { result } = outcome instanceof Refusal ? {} : outcome
  if (kept !== null && (result === undefined || !isRecorded(result))) await services.files.discard(filesOf(kept))
  return outcome
}
