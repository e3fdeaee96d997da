import type { Actor } from '../../auth/actor.ts'
import { Refusal } from '../../errors/index.ts'
import type { KeptFile } from '../../files/index.ts'
import type { MakeAnswer, Mutation } from '../../mutation/index.ts'
import type { Outcome } from '../../operation.ts'
import type { Services } from '../../services.ts'
import { mutate } from '../../write.ts'

/** A write that records files. `Kept` is what is known of them when they are stored. */
export interface StoringWrite<Kept, Result> {
  /**
   * Whether the files are to be stored. A request that is refused, repeated or has nothing new to store stores nothing: an
   * outcome ends it.
   */
  mayStore(): Promise<{ readonly result: boolean } | Outcome | Refusal>
  store(): Promise<Kept>
  filesOf(kept: Kept): readonly KeptFile[]
  /** Decides for good. Nothing is kept where nothing was to be stored. */
  mutation(kept: Kept | null): Mutation<Result>
  /** Whether the files are recorded with this result; always unless told. */
  isRecorded?(result: Result): boolean
  readonly answer: MakeAnswer<Result>
}

/**
 * Decides whether files are to be stored, stores them, and decides for good. In between no lock and no connection is held. Files that
 * are not recorded in the end are discarded; if something goes wrong inside, nobody may know that, and they are swept later.
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
