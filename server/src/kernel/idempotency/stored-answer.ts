import { personErased, type Refusal, refuse } from '../errors/index.ts'
import { limits } from '../limits/index.ts'
import type { Outcome } from '../operation.ts'
import type { RowChange } from '../record/table.ts'
import { isObject, type JsonText, joined, lockNumber } from '../schema/index.ts'
import { statement, type Transaction, waitMilliseconds } from '../sql/index.ts'
import { idempotencyAnswers } from '../write/tables.ts'
import type { Idempotency, Writer } from '../writer.ts'

// The result is kept in a setting of the transaction, which every later statement checks: a request that did not get
// the key locks nothing and waits for nothing. Lock and setting are taken from the row of the organization, so that in a
// cluster they are where its rows are. `directory_version` is the version of the organization's configuration. Every write
// needs it, so it is read here and costs no statement of its own.
const claimKey = statement(
  'claim_key',
  `select o.directory_version,
          set_config('crm.claim', case when pg_try_advisory_xact_lock($2::bigint) then 'held' else 'busy' end, true) as claim
     from organizations o
    where o.id = $1`,
)

// The planner of a cluster keeps the plan of a statement about one table, and makes that of a join anew each time.
const loadAnswer = statement(
  'load_answer',
  `select a.fingerprint, a.status, a.body, a.created_at, set_config('crm.claim', 'answered', true) as answered
     from idempotency_answers a
    where a.organization_id = $1 and a.application_id = $2 and a.key = $3`,
)

// One row also where there is no organization yet, because it is about to be founded.
const holdNothing = statement(
  'hold_nothing',
  `select set_config('crm.claim', 'held', true) as claim, max(o.directory_version) as directory_version
     from organizations o
    where o.id = $1`,
)

/** An answer as it is stored; null where it was looked up together with others and there is none. */
export type AnswerRow = {
  readonly fingerprint: Buffer | null
  readonly status: number | null
  readonly body: string | null
  readonly created_at: string | null
}

/** What `claim_key` gives. */
type ClaimRow = {
  readonly directory_version: string
  readonly claim: 'held' | 'busy'
}

/** The state of an idempotency key. */
export interface Claim {
  /** `busy`: another request with this key is running. */
  readonly state: 'held' | 'busy'
  readonly configurationVersion: string
  readonly answer: StoredAnswer | null
}

export interface StoredAnswer {
  readonly fingerprint: Buffer
  readonly status: number
  /** null when a person in the answer was erased. */
  readonly body: string | null
  readonly firstUsedAt: string
}

/**
 * Gate 9: queues the claim of the key and the look-up of its stored answer. The lock is tried once and never waited
 * for. It ends with the transaction, so a crash leaves neither claim nor answer.
 */
export async function claim(
  transaction: Transaction,
  organizationId: string,
  { applicationId, key }: Idempotency,
): Promise<Claim> {
  const number = lockNumber('idempotency', organizationId, applicationId, key)
  const [[claimed], [answer]] = await Promise.all([
    transaction.query<ClaimRow>(claimKey, [organizationId, number], waitMilliseconds),
    transaction.query<AnswerRow>(loadAnswer, [organizationId, applicationId, key]),
  ])
  if (claimed === undefined) throw new Error(`no organization ${organizationId}`)
  return {
    state: claimed.claim,
    configurationVersion: claimed.directory_version,
    answer: answer === undefined ? null : toAnswer(answer),
  }
}

/** For a mutation without a key, such as a preview by GET: claims nothing, and lets all later statements run. */
export async function claimNothing(transaction: Transaction, organizationId: string): Promise<Claim> {
  const [row] = await transaction.query(holdNothing, [organizationId])
  return { state: 'held', configurationVersion: String(row?.directory_version), answer: null }
}

/** The answer of a row, if it has one. */
export function toAnswer({ fingerprint, status, body, created_at }: AnswerRow): StoredAnswer | null {
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

/** The row that stores an answer, unredacted. It is written together with the changes that the answer is about. */
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

const keyForm = new RegExp(`^[\\x21-\\x7e]{1,${limits.idempotencyKeyLength}}$`, 'u')

/** Whether a text can be an `Idempotency-Key`: 1 to 255 visible ASCII characters. */
export function isIdempotencyKey(text: string): boolean {
  return keyForm.test(text)
}
