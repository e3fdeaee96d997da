import { lockNumber } from '../schema/index.ts'
import { statement, type Transaction, waitMilliseconds } from '../sql/index.ts'
import type { Idempotency } from '../writer.ts'
import { type AnswerRow, type StoredAnswer, toAnswer } from './stored-answer.ts'

// Each lock is tried. The setting lets the statements behind it run only if all are held: who shares a transaction with
// a duplicate or a replay asks once more without it.
const claimKeys = statement(
  'claim_keys',
  `select set_config('crm.claim', case when coalesce(bool_and(tried.held), true) then 'held' else 'busy' end, true) as claim,
          coalesce(array_agg(tried.number::text) filter (where not tried.held), '{}') as busy
     from (select w.number, pg_try_advisory_xact_lock(w.number) as held
             from organizations o
            cross join unnest($2::bigint[]) as w(number)
            where o.id = $1
           offset 0) as tried`,
)

const loadAnswers = statement(
  'load_answers',
  `select o.directory_version, a.number::text, a.fingerprint, a.status, a.body, a.created_at,
          case when a.number is not null then set_config('crm.claim', 'answered', true) end as answered
     from organizations o
     left join lateral (
       select w.number, f.* from unnest($2::bigint[], $3::uuid[], $4::text[]) as w(number, application_id, key)
        cross join lateral (
          select i.fingerprint, i.status, i.body, i.created_at from idempotency_answers i
           where i.organization_id = $1 and i.application_id = w.application_id and i.key = w.key
          offset 0) as f) as a on true
    where o.id = $1`,
)

const holdClaims = statement(
  'hold_claims',
  `select set_config('crm.claim', 'held', true) as claim from organizations o where o.id = $1`,
)

/** A row of `load_answers`: the number is that of the key whose answer it is. */
type FoundAnswer = AnswerRow & { readonly directory_version: string; readonly number: string | null }

/** The states of the idempotency keys of several requests. */
export class Claims {
  readonly configurationVersion: string
  readonly #organizationId: string
  readonly #busy: ReadonlySet<string>
  readonly #answers: ReadonlyMap<string, StoredAnswer>

  constructor(
    organizationId: string,
    configurationVersion: string,
    busy: ReadonlySet<string>,
    answers: ReadonlyMap<string, StoredAnswer>,
  ) {
    this.#organizationId = organizationId
    this.configurationVersion = configurationVersion
    this.#busy = busy
    this.#answers = answers
  }

  /** Whether no key is busy or answered. */
  get areAllOpen(): boolean {
    return this.#busy.size + this.#answers.size === 0
  }

  /** What is known of a key: another request is running with it, or has its answer; null if it is open. */
  stateOf(idempotency: Idempotency | null): 'busy' | StoredAnswer | null {
    if (idempotency === null) return null
    const number = numberOf(this.#organizationId, idempotency)
    return this.#busy.has(number) ? 'busy' : (this.#answers.get(number) ?? null)
  }
}

const numberOf = (organizationId: string, { applicationId, key }: Idempotency) =>
  lockNumber('idempotency', organizationId, applicationId, key)

/**
 * Gate 9 for requests that share a transaction: queues the claims of their keys and the look-up of stored answers. If a
 * key is busy or answered, no statement behind it locks or loads anything, until `keepClaims` is asked.
 */
export async function claimAll(
  transaction: Transaction,
  organizationId: string,
  all: readonly Idempotency[],
): Promise<Claims> {
  const numbers = all.map(each => numberOf(organizationId, each))
  const [applications, keys] = [all.map(({ applicationId }) => applicationId), all.map(({ key }) => key)]
  const [claimed, rows] = await Promise.all([
    transaction.query<{ busy: string[] }>(claimKeys, [organizationId, numbers], waitMilliseconds),
    transaction.query<FoundAnswer>(loadAnswers, [organizationId, numbers, applications, keys]),
  ])
  const [first] = rows
  if (first === undefined) throw new Error(`no organization ${organizationId}`)
  const answers = new Map<string, StoredAnswer>()
  for (const row of rows) {
    const answer = toAnswer(row)
    if (row.number !== null && answer !== null) answers.set(row.number, answer)
  }
  return new Claims(organizationId, first.directory_version, new Set(claimed[0]?.busy), answers)
}

/** Lets statements run for those who hold their keys and have no answer. */
export async function keepClaims(transaction: Transaction, organizationId: string): Promise<void> {
  await transaction.query(holdClaims, [organizationId])
}
