import type { Actor, Idempotency } from '../auth/actor.ts'
import { personErased, type Refusal, refuse } from '../errors/index.ts'
import { limits } from '../limits/index.ts'
import type { Outcome } from '../operation.ts'
import type { RowChange } from '../record/table.ts'
import { isObject, type JsonText, joined } from '../schema/index.ts'
import { idempotencyAnswers } from '../write/tables.ts'

/** An answer as it is stored; null if it was looked up together with others and does not exist. */
export type AnswerRow = {
  readonly fingerprint: Buffer | null
  readonly status: number | null
  readonly body: string | null
  readonly created_at: string | null
}

export interface StoredAnswer {
  readonly fingerprint: Buffer
  readonly status: number
  /** null once a person in the answer was erased. */
  readonly body: string | null
  readonly firstUsedAt: string
}

/** The answer in a row, if it has one. */
export function storedAnswerOf({ fingerprint, status, body, created_at }: AnswerRow): StoredAnswer | null {
  if (fingerprint === null || status === null || created_at === null) return null
  return { fingerprint, status, body, firstUsedAt: created_at }
}

/** The stored answer as an outcome; a conflict if the key was used by a different request. */
export function replay(stored: StoredAnswer, fingerprint: Buffer): Outcome | Refusal {
  if (!stored.fingerprint.equals(fingerprint))
    return refuse('idempotency_conflict', { firstUsedAt: stored.firstUsedAt })
  if (stored.body === null) return personErased()
  const answer: unknown = JSON.parse(stored.body)
  if (!isObject(answer) || !isObject(answer.meta)) throw new Error('a stored answer is not an envelope')
  return { status: stored.status, data: answer.data, meta: answer.meta, body: stored.body, replayed: true }
}

/** The row that stores an answer, unredacted. It is written together with the changes that the answer reports. */
export function answerRow(
  { applicationId, key, fingerprint }: Idempotency,
  { requestId, clientRequestId, origin }: Pick<Actor, 'requestId' | 'clientRequestId' | 'origin'>,
  now: string,
  answer: { status: number; body: JsonText; personIds: readonly string[] },
): RowChange {
  return {
    table: idempotencyAnswers,
    operation: 'insert',
    row: {
      application_id: applicationId,
      key,
      fingerprint: `\\x${fingerprint.toString('hex')}`,
      created_at: now,
      status: answer.status,
      body: joined(answer.body),
      person_ids: answer.personIds.length === 0 ? null : answer.personIds,
      request_id: requestId,
      client_request_id: clientRequestId,
      operation: origin?.operation ?? null,
    },
  }
}

const keyForm = new RegExp(`^[\\x21-\\x7e]{1,${limits.idempotencyKeyLength}}$`, 'u')

/** Whether a text can be an `Idempotency-Key`: 1 to 255 visible ASCII characters. */
export function isIdempotencyKey(text: string): boolean {
  return keyForm.test(text)
}
