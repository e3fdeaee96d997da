import { personErased, type Refusal, refuse } from '../errors/index.ts'
import type { Outcome } from '../operation.ts'
import type { RowChange } from '../record/table.ts'
import { isObject, type JsonText, joined } from '../schema/index.ts'
import { idempotencyAnswers } from '../write/tables.ts'
import type { Idempotency } from '../writer.ts'
import type { StoredAnswer } from './claim.ts'

/** The stored answer of a finished request with this key, or the conflict of another request. */
export function replay(stored: StoredAnswer, fingerprint: Buffer): Outcome | Refusal {
  if (!stored.fingerprint.equals(fingerprint))
    return refuse('idempotency_conflict', { firstUsedAt: stored.firstUsedAt })
  if (stored.body === null) return personErased()
  const answer: unknown = JSON.parse(stored.body)
  if (!isObject(answer) || !isObject(answer.meta)) throw new Error('a stored answer is not an envelope')
  return { status: stored.status, data: answer.data, meta: answer.meta, body: stored.body, replayed: true }
}

/** The row that keeps an answer, whole, together with the effect that it answers. */
export function answerRow(
  { applicationId, key, fingerprint }: Idempotency,
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
    },
  }
}
