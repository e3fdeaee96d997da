import { lockNumber } from '../schema/index.ts'
import { statement, type Transaction, waitMilliseconds } from '../sql/index.ts'
import type { Idempotency } from '../writer.ts'

// The outcome stands in a setting of the transaction that guards every statement after it: a request that did not get
// the key locks nothing and waits for nothing.
const claimKey = statement(
  'claim_key',
  `select set_config('crm.claim', case when pg_try_advisory_xact_lock($1::bigint) then 'held' else 'busy' end, true) as claim`,
)

// Reads the directory's version on the way: every write needs it, and so it costs no statement of its own.
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
  readonly directoryVersion: string
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
    directoryVersion: row.directory_version,
    answer: toAnswer(row),
  }
}

/** For a mutation without a key, such as a preview by GET: nothing is claimed, and everything is looked up. */
export async function claimNothing(transaction: Transaction, organizationId: string): Promise<Claim> {
  const [row] = await transaction.query(holdNothing, [organizationId])
  return { state: 'held', directoryVersion: String(row?.directory_version), answer: null }
}

function toAnswer({ fingerprint, status, body, created_at }: AnswerRow): StoredAnswer | null {
  if (fingerprint === null || status === null || created_at === null) return null
  return { fingerprint, status, body, firstUsedAt: created_at }
}
