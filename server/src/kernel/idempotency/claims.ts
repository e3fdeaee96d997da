import { lockNumber } from '../schema/index.ts'
import { statement, type Transaction, waitMilliseconds } from '../sql/index.ts'
import { type AnswerRow, type StoredAnswer, toAnswer } from './stored-answer.ts'

// Each lock is tried. The setting lets the statements behind it run only if all are held: who shares a transaction with
// a duplicate or a replay asks once more without it.
const claimKeys = statement(
  'claim_keys',
  `select set_config('crm.claim', case when coalesce(bool_and(tried.held), true) then 'held' else 'busy' end, true) as claim,
          coalesce(array_agg(tried.key) filter (where not tried.held), '{}') as busy
     from (select w.key, pg_try_advisory_xact_lock(w.number) as held
             from unnest($1::bigint[], $2::text[]) as w(number, key) offset 0) as tried`,
)

const loadAnswers = statement(
  'load_answers',
  `select o.directory_version, a.key, a.fingerprint, a.status, a.body, a.created_at,
          case when a.key is not null then set_config('crm.claim', 'answered', true) end as answered
     from organizations o
     left join lateral (
       select f.* from unnest($3::text[]) as w(key)
        cross join lateral (
          select i.key, i.fingerprint, i.status, i.body, i.created_at from idempotency_answers i
           where i.organization_id = $1 and i.application_id = $2 and i.key = w.key
          offset 0) as f) as a on true
    where o.id = $1`,
)

const holdClaims = statement('hold_claims', `select set_config('crm.claim', 'held', true) as claim`)

/** The states of the idempotency keys of several requests of one application. */
export interface Claims {
  readonly configurationVersion: string
  /** Keys with which another request is running. */
  readonly busy: ReadonlySet<string>
  readonly answers: ReadonlyMap<string, StoredAnswer>
}

/**
 * Gate 9 for requests that share a transaction: queues the claims of their keys and the look-up of stored answers. If a
 * key is busy or answered, no statement behind it locks or loads anything, until `keepClaims` is asked.
 */
export async function claimAll(
  transaction: Transaction,
  organizationId: string,
  applicationId: string | null,
  keys: readonly string[],
): Promise<Claims> {
  const numbers = keys.map(key => lockNumber('idempotency', organizationId, applicationId ?? '', key))
  const [claimed, rows] = await Promise.all([
    transaction.query<{ busy: string[] }>(claimKeys, [numbers, keys], waitMilliseconds),
    transaction.query<AnswerRow & { readonly key: string | null }>(loadAnswers, [organizationId, applicationId, keys]),
  ])
  const [first] = rows
  if (first === undefined) throw new Error(`no organization ${organizationId}`)
  const answers = new Map<string, StoredAnswer>()
  for (const row of rows) {
    const answer = toAnswer(row)
    if (row.key !== null && answer !== null) answers.set(row.key, answer)
  }
  return { configurationVersion: first.directory_version, busy: new Set(claimed[0]?.busy), answers }
}

/** Lets statements run for those who hold their keys and have no answer. */
export async function keepClaims(transaction: Transaction): Promise<void> {
  await transaction.query(holdClaims, [])
}
