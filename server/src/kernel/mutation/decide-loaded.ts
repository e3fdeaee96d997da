import type { Refusal } from '../errors/index.ts'
import { answerRow } from '../idempotency/index.ts'
import type { Outcome } from '../operation.ts'
import type { Configuration } from '../schema/index.ts'
import { personsIn, tracesInSteps, type Written } from '../write/rows.ts'
import type { DecidedWrite, LoadedWrite } from './attempt.ts'
import type { WriteServices } from './mutation.ts'
import { writeContext } from './write-context.ts'

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

/** All that a decision writes beside the changed records: what tells of its steps, rows of its own, and the answer. */
export function* writtenBesideInSteps({
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
