import type { Actor } from '../auth/actor.ts'
import { timestamp } from '../clock.ts'
import type { Refusal } from '../errors/index.ts'
import { answerRow } from '../idempotency/index.ts'
import type { Outcome } from '../operation.ts'
import type { WriteContext } from '../record/resource.ts'
import type { RowChange } from '../record/table.ts'
import { type Configuration, newId } from '../schema/index.ts'
import type { KeyOwner } from '../write/load.ts'
import { personsIn, stateRowsInSteps, tracesInSteps, type Written } from '../write/rows.ts'
import type { DecidedWrite, Ended, LoadedWrite } from './attempt.ts'
import type { Swept, WriteServices } from './mutation.ts'

/** Decides one write on what was loaded for it. */
export function* decideLoaded(
  { write, owner, work }: LoadedWrite,
  services: WriteServices,
  configuration: Configuration,
): Generator<unknown, DecidedWrite | Outcome | Refusal> {
  // The time is taken after all locks: while this transaction waited for one, another change may have got a later time.
  const context = writeContext(write.actor, owner, services, configuration)
  const outcome = yield* write.decide(work, context)
  return 'decision' in outcome ? { write, work, context, ...outcome } : outcome
}

/** Everything that a decision writes beside the changed records: audit entries and events of its steps, its own rows, and the answer. */
function* writtenBesideInSteps({
  write: { idempotency, actor },
  decision,
  answer,
  body,
  work,
  context,
}: DecidedWrite): Generator<unknown, Written> {
  const { rows, events } = yield* tracesInSteps(work, context)
  rows.push(...(decision.rows ?? []))
  if (idempotency !== null && answer !== null && body !== null) {
    const { status, shown = [], tellsOf = [] } = answer
    const stored = { status, body, personIds: [...personsIn(shown), ...tellsOf] }
    rows.push(answerRow(idempotency, actor, context.now, stored))
  }
  return { rows, events }
}

/** All rows and change events of decided writes. Writes of one application share changed records, which are written once. */
export function* writtenInSteps(decided: readonly DecidedWrite[]): Generator<unknown, Written> {
  const ofApplications = new Map(decided.map(each => [each.write.actor.applicationId, each]))
  const rows: RowChange[] = []
  for (const { work, context } of ofApplications.values()) rows.push(...(yield* stateRowsInSteps(work, context)))
  const events: Record<string, unknown>[] = []
  for (const each of decided) {
    const beside = yield* writtenBesideInSteps(each)
    rows.push(...beside.rows)
    events.push(...beside.events)
  }
  return { rows, events }
}

/** The end of a committed write. */
export function endOf({ decision, answer, body }: DecidedWrite, swept: readonly Swept[]): Ended {
  const drops = [decision, ...swept].flatMap(({ drops: dropped = [] }) => dropped)
  if (answer === null) return { outcome: null, drops }
  const { status, data, meta = {} } = answer
  return { outcome: body === null ? { status, data, meta } : { status, data, meta, body }, drops }
}

/** The facts of a mutation at this time. It gets its own transaction id, even if others share the transaction. */
function writeContext(
  actor: Actor,
  owner: KeyOwner,
  { clock, secret }: Pick<WriteServices, 'clock' | 'secret'>,
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
    now: timestamp(clock),
    transactionId: newId(),
    random: Math.random,
  }
}
