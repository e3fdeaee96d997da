import { createHash, hash } from 'node:crypto'
import type { Actor, Idempotency } from '../auth/actor.ts'
import { personErased, type Refusal, refuse } from '../errors/index.ts'
import { limits } from '../limits/index.ts'
import type { Outcome } from '../operation.ts'
import type { RowChange } from '../record/table.ts'
import { canonicalJson, canonicalPieces, isObject, type JsonText, joined } from '../schema/index.ts'
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

/** The parts of a request that decide whether two requests are equal (contract section 3, "Fingerprint"). */
export interface Fingerprinted {
  readonly method: string
  /** The pattern of the route. */
  readonly route: string
  readonly path: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
  readonly body: unknown
}

/** SHA-256 of method, route, path, sorted query and canonical body, so that neither spacing nor order matters. */
export function fingerprint(request: Fingerprinted): Buffer {
  return hash('sha256', `${headOf(request)}${canonicalJson(request.body ?? null)}`, 'buffer')
}

/** The same for a large body, in short steps. */
export function* fingerprintInSteps(request: Fingerprinted): Generator<unknown, Buffer> {
  const sum = createHash('sha256').update(headOf(request))
  for (const piece of canonicalPieces(request.body ?? null)) {
    sum.update(piece)
    yield
  }
  return sum.digest()
}

function headOf({ method, route, path, query }: Fingerprinted): string {
  return `${method}\n${route}\n${canonicalJson(path)}\n${canonicalJson(query)}\n`
}
