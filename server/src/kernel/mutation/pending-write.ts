import { envelopeInSteps } from '../answers/envelope.ts'
import type { Actor, Idempotency } from '../auth/actor.ts'
import { timestamp } from '../clock.ts'
import { dataAndMeta } from '../conventions.ts'
import { Refusal, refuse } from '../errors/index.ts'
import { answerRow } from '../idempotency/index.ts'
import type { Outcome } from '../operation.ts'
import type { RowChange, WriteContext } from '../record/index.ts'
import { type Configuration, type JsonText, newId } from '../schema/index.ts'
import { OrganizationReadOnly } from '../sql/index.ts'
import type { KeyOwner } from '../write/load.ts'
import { Needs, Round } from '../write/needs.ts'
import { personsIn, stateRowsInSteps, tracesInSteps, type Written } from '../write/rows.ts'
import { WorkingSet } from '../write/working-set.ts'
import type { AloneReason, Answer, Decision, MakeAnswer, Mutation, WriteServices } from './mutation.ts'

/** The needs of a mutation, as far as they are known before anything is loaded. */
export interface FirstNeeds {
  readonly configuration: Configuration
  readonly needs: Needs
  readonly round: Round
}

/** The decision about a write at this time, and the text of its answer if that is stored. */
interface Decided {
  readonly context: WriteContext
  readonly decision: Decision<unknown>
  readonly answer: Answer | null
  readonly body: JsonText | null
}

/** A write with a decision to save, and its view of the records. */
export interface DecidedWrite extends Decided {
  readonly write: Write
  readonly work: WorkingSet
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
   * Decides on what was loaded, and makes the answer. A read-only organization refuses writes, but still returns the stored answers of
   * retried requests; a write without an answer then ends with `OrganizationReadOnly`.
   */
  decide(
    work: WorkingSet,
    owner: KeyOwner,
    services: ContextServices,
    configuration: Configuration,
  ): Generator<unknown, Decided | Outcome | Refusal>
}

type ContextServices = Pick<WriteServices, 'clock' | 'secret'>

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

  *decide(
    work: WorkingSet,
    owner: KeyOwner,
    services: ContextServices,
    configuration: Configuration,
  ): Generator<unknown, Decided | Outcome | Refusal> {
    if (configuration.isReadOnly && !this.looksOnly) {
      if (this.#makeAnswer === null) throw new OrganizationReadOnly()
      const message = 'The organization is read-only for the time being: try again later'
      return refuse('service_unavailable', { reason: 'read_only' }, message)
    }
    // The time is taken after all locks: while this transaction waited for one, another change may have got a later time.
    const context = writeContext(this.actor, owner, services, configuration)
    const decision = yield* decisionInSteps(this.#mutation, work, context)
    this.#decided = decision
    if (decision instanceof Refusal) return decision
    if (this.#makeAnswer === null) return { context, decision, answer: null, body: null }
    const made = this.#makeAnswer(decision.result, context)
    const answer = 'next' in made ? yield* made : made
    const { status, data, meta = {} } = answer
    if (decision.isReplay) return { status, data, meta, replayed: true }
    const body = this.idempotency === null ? null : yield* envelopeInSteps({ success: dataAndMeta }, data, meta)
    return { context, decision, answer, body }
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

/** The facts of a mutation at this time. It gets its own transaction id, even if others share the transaction. */
function writeContext(
  actor: Actor,
  owner: KeyOwner,
  { clock, secret }: ContextServices,
  configuration: Configuration,
): WriteContext {
  const { organizationId, applicationId, goneKey } = owner
  // Without a spread every context has the same shape, so that the engine can optimize the code that reads it.
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
    organization: configuration.organization,
    now: timestamp(clock),
    transactionId: newId(),
    random: Math.random,
  }
}

/**
 * All rows and change events of decided writes. Writes of one application share changed records, which are written once; each adds its
 * audit entries and events, its own rows, and its answer.
 */
export function* writtenInSteps(decided: readonly DecidedWrite[]): Generator<unknown, Written> {
  const rows: RowChange[] = []
  const ofApplications = new Map<string | null, DecidedWrite>()
  for (const each of decided) ofApplications.set(each.write.actor.applicationId, each)
  for (const { work, context } of ofApplications.values()) rows.push(...(yield* stateRowsInSteps(work, context)))
  const events: Record<string, unknown>[] = []
  for (const { write, work, context, decision, answer, body } of decided) {
    const traces = yield* tracesInSteps(work, context)
    events.push(...traces.events, ...(decision.events ?? []))
    rows.push(...traces.rows, ...(decision.rows ?? []))
    if (write.idempotency === null || answer === null || body === null) continue
    const { status, shown = [], tellsOf = [] } = answer
    const stored = { status, body, personIds: [...personsIn(shown), ...tellsOf] }
    rows.push(answerRow(write.idempotency, write.actor, context.now, stored))
  }
  return { rows, events }
}
