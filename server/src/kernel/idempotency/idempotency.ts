import { createHash } from 'node:crypto'
import { personErased, type Refusal, refuse } from '../errors/index.ts'
import { limits } from '../limits/index.ts'
import type { Outcome } from '../operation.ts'
import type { RowChange } from '../record/table.ts'
import { canonicalJson, canonicalPieces, isObject, type JsonText, joined, lockNumber } from '../schema/index.ts'
import { statement, type Transaction, waitMilliseconds } from '../sql/index.ts'
import { idempotencyAnswers } from '../write/tables.ts'
import type { Idempotency, Writer } from '../writer.ts'

// The outcome stands in a setting of the transaction that guards every statement after it: a request that did not get
// the key locks nothing and waits for nothing.
const claimKey = statement(
  'claim_key',
  `select set_config('crm.claim', case when pg_try_advisory_xact_lock($1::bigint) then 'held' else 'busy' end, true) as claim`,
)

// `directory_version` is the version of the organization's configuration. Every write needs it, so it is read here and
// costs no statement of its own.
const loadAnswer = statement(
  'load_answer',
  `select o.directory_version, a.fingerprint, a.status, a.body, a.created_at,
          case when a.key is not null then set_config('crm.claim', 'answered', true) end as answered
     from organizations o
     left join idempotency_answers a
       on a.organization_id = o.id and a.application_id = $2 and a.key = $3
    where o.id = $1`,
)

const holdNothing = statement(
  'hold_nothing',
  `select set_config('crm.claim', 'held', true) as claim, o.directory_version from organizations o where o.id = $1`,
)

type AnswerRow = {
  readonly directory_version: string
  readonly fingerprint: Buffer | null
  readonly status: number | null
  readonly body: string | null
  readonly created_at: string | null
}

/** What stands behind an idempotency key. */
export interface Claim {
  /** `busy`: another request with this key is running now. */
  readonly state: 'held' | 'busy'
  readonly configurationVersion: string
  readonly answer: StoredAnswer | null
}

export interface StoredAnswer {
  readonly fingerprint: Buffer
  readonly status: number
  /** null: the person in it was erased. */
  readonly body: string | null
  readonly firstUsedAt: string
}

/**
 * Gate 9: queues the claim of the key and the look-up of a stored answer, without waiting. The lock is tried, never
 * waited for, and ends with the transaction: a crash leaves neither claim nor answer.
 */
export async function claim(
  transaction: Transaction,
  organizationId: string,
  { applicationId, key }: Idempotency,
): Promise<Claim> {
  const number = lockNumber('idempotency', organizationId, applicationId, key)
  const [claimed, answers] = await Promise.all([
    transaction.query(claimKey, [number], waitMilliseconds),
    transaction.query<AnswerRow>(loadAnswer, [organizationId, applicationId, key]),
  ])
  const row = answers[0]
  if (row === undefined) throw new Error(`no organization ${organizationId}`)
  return {
    state: claimed[0]?.claim === 'held' ? 'held' : 'busy',
    configurationVersion: row.directory_version,
    answer: toAnswer(row),
  }
}

/** For a mutation without a key, such as a preview by GET: nothing is claimed, and everything is looked up. */
export async function claimNothing(transaction: Transaction, organizationId: string): Promise<Claim> {
  const [row] = await transaction.query(holdNothing, [organizationId])
  return { state: 'held', configurationVersion: String(row?.directory_version), answer: null }
}

function toAnswer({ fingerprint, status, body, created_at }: AnswerRow): StoredAnswer | null {
  if (fingerprint === null || status === null || created_at === null) return null
  return { fingerprint, status, body, firstUsedAt: created_at }
}

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
  { requestId, clientRequestId, origin }: Pick<Writer, 'requestId' | 'clientRequestId' | 'origin'>,
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

/** What makes two requests the same one (contract section 3, "Fingerprint"). */
export interface Fingerprinted {
  readonly method: string
  /** The route's pattern. */
  readonly route: string
  readonly path: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
  readonly body: unknown
}

/** SHA-256 over method, route, path, sorted query and canonical body, so that neither spacing nor order matters. */
export function fingerprint(request: Fingerprinted): Buffer {
  return createHash('sha256')
    .update(`${headOf(request)}${canonicalJson(request.body ?? null)}`)
    .digest()
}

/** The same of a large body, in steps that each take little time. */
export function* fingerprintInSteps(request: Fingerprinted): Generator<unknown, Buffer> {
  const hash = createHash('sha256').update(headOf(request))
  for (const piece of canonicalPieces(request.body ?? null)) {
    hash.update(piece)
    yield
  }
  return hash.digest()
}

function headOf({ method, route, path, query }: Fingerprinted): string {
  return `${method}\n${route}\n${canonicalJson(path)}\n${canonicalJson(query)}\n`
}

const keyForm = new RegExp(`^[\\x21-\\x7e]{1,${limits.idempotencyKeyLength}}$`, 'u')

/** Whether a text can be an `Idempotency-Key`: 1 to 255 visible ASCII characters. */
export function isIdempotencyKey(text: string): boolean {
  return keyForm.test(text)
}
