import { envelopeInSteps } from '../answers/envelope.ts'
import type { Actor, Idempotency } from '../auth/actor.ts'
import { dataAndMeta } from '../conventions.ts'
import { Refusal, refuse } from '../errors/index.ts'
import type { Outcome } from '../operation.ts'
import type { WriteContext } from '../record/resource.ts'
import type { Configuration, JsonText } from '../schema/index.ts'
import { OrganizationReadOnly } from '../sql/index.ts'
import { Needs, Round } from '../write/needs.ts'
import { WorkingSet } from '../write/working-set.ts'
import type { AloneReason, Answer, Decision, MakeAnswer, Mutation } from './mutation.ts'

/** The needs of a mutation, as far as they are known before anything is loaded. */
export interface FirstNeeds {
  readonly configuration: Configuration
  readonly needs: Needs
  readonly round: Round
}

/** The decision about a write, and the text of its answer if that is stored. */
export interface Decided {
  readonly decision: Decision<unknown>
  readonly answer: Answer | null
  readonly body: JsonText | null
}

/** A mutation on its way through the write path, with its actor. */
export interface Write {
  readonly actor: Actor
  /** The key to claim; null if there is neither an answer to store nor one to look for. */
  readonly idempotency: Idempotency | null
  readonly looksOnly: boolean
  readonly runsAlone: AloneReason | null
  /** Its first needs under this configuration. */
  firstNeeds(configuration: Configuration): FirstNeeds
  /** The same for an attempt, which continues with these needs. The next attempt starts anew. */
  beginNeeds(configuration: Configuration): FirstNeeds
  /** Its further needs after more was loaded; null if there are none. */
  moreNeeds(first: FirstNeeds, work: WorkingSet): Round | null
  /**
   * Decides, and makes the answer. A read-only organization refuses writes, but still returns the stored answers of retried requests; a
   * write without an answer then ends with `OrganizationReadOnly`.
   */
  decide(work: WorkingSet, context: WriteContext): Generator<unknown, Decided | Outcome | Refusal>
}

/** The write of a mutation, which remembers its last decision. */
export class PendingWrite<Result, Refused extends Refusal> implements Write {
  readonly actor: Actor
  readonly idempotency: Idempotency | null
  readonly looksOnly: boolean
  readonly runsAlone: AloneReason | null
  readonly #mutation: Mutation<Result, Refused>
  readonly #makeAnswer: MakeAnswer<Result> | null
  #first: FirstNeeds | null = null
  #decided: Decision<Result> | Refused | null = null

  constructor(
    mutation: Mutation<Result, Refused>,
    actor: Actor,
    makeAnswer: MakeAnswer<Result> | null,
    idempotency = makeAnswer === null ? null : actor.idempotency,
  ) {
    this.#mutation = mutation
    this.actor = actor
    this.#makeAnswer = makeAnswer
    this.idempotency = idempotency
    this.looksOnly = mutation.looksOnly === true
    this.runsAlone = mutation.runsAlone ?? null
  }

  firstNeeds(configuration: Configuration): FirstNeeds {
    if (this.#first?.configuration === configuration) return this.#first
    const needs = new Needs()
    this.#mutation.needs(needs, new WorkingSet(), configuration)
    this.#first = { configuration, needs, round: needs.take() ?? new Round() }
    return this.#first
  }

  beginNeeds(configuration: Configuration): FirstNeeds {
    const first = this.firstNeeds(configuration)
    this.#first = null
    return first
  }

  moreNeeds({ needs, configuration }: FirstNeeds, work: WorkingSet): Round | null {
    this.#mutation.needs(needs, work, configuration)
    return needs.take()
  }

  *decide(work: WorkingSet, write: WriteContext): Generator<unknown, Decided | Outcome | Refusal> {
    if (write.configuration.isReadOnly && !this.looksOnly) {
      if (this.#makeAnswer === null) throw new OrganizationReadOnly()
      const message = 'The organization is read-only for the time being: try again later'
      return refuse('service_unavailable', { reason: 'read_only' }, message)
    }
    const decision = yield* decisionInSteps(this.#mutation, work, write)
    this.#decided = decision
    if (decision instanceof Refusal) return decision
    if (this.#makeAnswer === null) return { decision, answer: null, body: null }
    const made = this.#makeAnswer(decision.result, write)
    const answer = 'next' in made ? yield* made : made
    const { status, data, meta = {} } = answer
    if (decision.isReplay) return { status, data, meta, replayed: true }
    const body = this.idempotency === null ? null : yield* envelopeInSteps({ success: dataAndMeta }, data, meta)
    return { decision, answer, body }
  }

  /** The last decision. */
  get decided(): Decision<Result> | Refused {
    if (this.#decided === null) throw new Error('the write is not decided yet')
    return this.#decided
  }
}

/** The decision of a mutation in steps. One that is made at once yields none. */
export function* decisionInSteps<Result, Refused extends Refusal>(
  mutation: Mutation<Result, Refused>,
  work: WorkingSet,
  write: WriteContext,
): Generator<unknown, Decision<Result> | Refused> {
  const decision = mutation.decide(work, write)
  return 'next' in decision ? yield* decision : decision
}
