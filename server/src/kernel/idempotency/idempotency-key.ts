import type { Idempotency } from '../auth/actor.ts'
import { lockNumber } from '../schema/index.ts'
import { statement, type Transaction, waitMilliseconds } from '../sql/index.ts'
import { type AnswerRow, type StoredAnswer, storedAnswerOf } from './stored-answer.ts'

// The result is kept in a setting of the transaction, which every later statement checks: a request that did not get the key locks nothing
// and waits for nothing. Lock and setting come from the row of the organization, so that in a cluster they are on the node of its rows.
// `directory_version` is the version of the organization's configuration. Every write needs it, so it is read here and costs no statement
// of its own.
const claimKey = statement(
  'claim_key',
  `select o.directory_version,
          set_config('crm.claim', case when pg_try_advisory_xact_lock($2::bigint) then 'held' else 'busy' end, true) as claim
     from organizations o
    where o.id = $1`,
)

// The planner of a cluster caches the plan of a statement about one table, but plans a join anew each time.
const loadAnswer = statement(
  'load_answer',
  `select a.fingerprint, a.status, a.body, a.created_at, set_config('crm.claim', 'answered', true) as answered
     from idempotency_answers a
    where a.organization_id = $1 and a.application_id = $2 and a.key = $3`,
)

// Returns one row even if there is no organization yet, because the request is about to create it.
const holdNothing = statement(
  'hold_nothing',
  `select set_config('crm.claim', 'held', true) as claim, max(o.directory_version) as directory_version
     from organizations o
    where o.id = $1`,
)

// The same for several keys. Tries each lock. The setting lets the later statements run only if all locks are held: a write that shares a
// transaction with a duplicate or a replay claims once more without that one.
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

/** A row of `claim_key`. */
type ClaimRow = {
  readonly directory_version: string
  readonly claim: 'held' | 'busy'
}

/** A row of `load_answers`; the number is the position of the key whose answer it is. */
type FoundAnswer = AnswerRow & { readonly directory_version: string; readonly number: string | null }

/** The states of the idempotency keys of several requests. */
export class Claims {
  readonly #organizationId: string
  readonly configurationVersion: string
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

  /** The state of a key: `busy` if another request is running with it, or its stored answer; null if it is open. */
  stateOf(idempotency: Idempotency | null): 'busy' | StoredAnswer | null {
    if (idempotency === null) return null
    const number = numberOf(this.#organizationId, idempotency)
    return this.#busy.has(number) ? 'busy' : (this.#answers.get(number) ?? null)
  }
}

const numberOf = (organizationId: string, { applicationId, key }: Idempotency) =>
  lockNumber('idempotency', organizationId, applicationId, key)

/**
 * Gate 9: queues the claims of keys and the look-up of their stored answers. Tries each lock once and never waits. A lock ends with the
 * transaction, so a crash leaves neither claim nor answer. If a key is busy or answered, no later statement locks or loads anything until
 * `keepClaims` is called. Without keys, all later statements run.
 */
export async function claim(
  transaction: Transaction,
  organizationId: string,
  keys: readonly Idempotency[],
): Promise<Claims> {
  const [key] = keys
  if (key === undefined) {
    const [row] = await transaction.query(holdNothing, [organizationId])
    return new Claims(organizationId, String(row?.directory_version), new Set(), new Map())
  }
  return keys.length === 1 ? claimOne(transaction, organizationId, key) : claimAll(transaction, organizationId, keys)
}

async function claimOne(transaction: Transaction, organizationId: string, key: Idempotency): Promise<Claims> {
  const number = numberOf(organizationId, key)
  const [[claimed], [row]] = await Promise.all([
    transaction.query<ClaimRow>(claimKey, [organizationId, number], waitMilliseconds),
    transaction.query<AnswerRow>(loadAnswer, [organizationId, key.applicationId, key.key]),
  ])
  if (claimed === undefined) throw new Error(`no organization ${organizationId}`)
  const answer = row === undefined ? null : storedAnswerOf(row)
  const busy = new Set(claimed.claim === 'busy' ? [number] : [])
  return new Claims(organizationId, claimed.directory_version, busy, new Map(answer === null ? [] : [[number, answer]]))
}

async function claimAll(
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
    const answer = storedAnswerOf(row)
    if (row.number !== null && answer !== null) answers.set(row.number, answer)
  }
  return new Claims(organizationId, first.directory_version, new Set(claimed[0]?.busy), answers)
}

/** Lets later statements run for requests that hold their keys and have no answer. */
export async function keepClaims(transaction: Transaction, organizationId: string): Promise<void> {
  await transaction.query(holdClaims, [organizationId])
}
