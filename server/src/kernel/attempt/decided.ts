import { envelopeInSteps } from '../envelope.ts'
import { answerRow } from '../idempotency/index.ts'
import type { Outcome } from '../operation.ts'
import type { WriteContext } from '../record/resource.ts'
import type { JsonText } from '../schema/index.ts'
import { dataAndMeta } from '../surface.ts'
import { personsIn, tracesInSteps, type Written } from '../write/rows.ts'
import type { WorkingSet } from '../write/working-set.ts'
import type { Writer } from '../writer.ts'
import type { Decision } from './decision.ts'

/** A decision that is to be saved, for whom it is, and what it was made on. */
export interface Decided {
  readonly writer: Writer
  readonly decision: Decision
  readonly work: WorkingSet
  readonly write: WriteContext
  /** The text of the answer; null where none is stored. */
  readonly body: JsonText | null
}

/** The text of an answer that is stored. Of others it is made when they are sent. */
export function* bodyInSteps({ idempotency }: Writer, { data, meta }: Decision): Generator<unknown, JsonText | null> {
  return idempotency === null ? null : yield* envelopeInSteps({ success: dataAndMeta }, data, meta)
}

/** All that a decision writes beside the changed records: what tells of its steps, rows of its own, and the answer. */
export function* writtenBesideInSteps({ writer, decision, work, write, body }: Decided): Generator<unknown, Written> {
  const { rows, events } = yield* tracesInSteps(work, write)
  rows.push(...(decision.rows ?? []))
  if (writer.idempotency !== null && body !== null) {
    const answer = {
      status: decision.status,
      body,
      personIds: [...personsIn(decision.shown), ...(decision.tellsOf ?? [])],
    }
    rows.push(answerRow(writer.idempotency, writer, write.now, answer))
  }
  return { rows, events }
}

/** The outcome of a decision that was committed. */
export function outcomeOf({ decision: { status, data, meta }, body }: Decided): Outcome {
  return body === null ? { status, data, meta } : { status, data, meta, body }
}
