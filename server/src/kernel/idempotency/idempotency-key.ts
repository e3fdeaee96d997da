import { createHash, hash } from 'node:crypto'
import type { Actor, Idempotency } from '../auth/actor.ts'
import { personErased, type Refusal, refuse } from '../errors/index.ts'
import { limits } from '../limits/index.ts'
import type { Outcome } from '../operation.ts'
import type { RowChange } from '../record/index.ts'
import { canonicalJson, canonicalPieces, isObject, type JsonText, joined, lockNumber } from '../schema/index.ts'
import { statement, type Transaction, waitMilliseconds } from '../sql/index.ts'
import { idempotencyAnswers } from '../write/tables.ts'

const keyForm = new RegExp(`^[\\x21-\\x7e]{1,${limits.idempotencyKeyLength}}$`, 'u')

/** Whether a text can be an `Idempotency-Key`: 1 to 255 visible ASCII characters. */
export function isIdempotencyKey(text: string): boolean {
  return keyForm.test(text)
}

/** The parts of a request that decide whether two requests are equal (contract section 3, "Fingerprint"). */
interface Fingerprinted {
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

/** What the claims of several keys showed. */
export interface Claims {
  readonly configurationVersion: string
  /** The keys that are not free: `busy` if another request is running with the key, or its stored answer. */
  readonly taken: ReadonlyMap<Idempotency, 'busy' | StoredAnswer>
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
    return { configurationVersion: String(row?.directory_version), taken: new Map() }
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
  const state = claimed.claim === 'busy' ? 'busy' : row === undefined ? null : storedAnswerOf(row)
  return { configurationVersion: claimed.directory_version, taken: new Map(state === null ? [] : [[key, state]]) }
}

async function claimAll(
  transaction: Transaction,
  organizationId: string,
  all: readonly Idempotency[],
): Promise<Claims> {
  const byNumber = new Map(all.map(each => [numberOf(organizationId, each), each]))
  const numbers = [...byNumber.keys()]
  const [applications, keys] = [all.map(({ applicationId }) => applicationId), all.map(({ key }) => key)]
  const [claimed, rows] = await Promise.all([
    transaction.query<{ busy: string[] }>(claimKeys, [organizationId, numbers], waitMilliseconds),
    transaction.query<FoundAnswer>(loadAnswers, [organizationId, numbers, applications, keys]),
  ])
  const [first] = rows
  if (first === undefined) throw new Error(`no organization ${organizationId}`)
  const taken = new Map<Idempotency, 'busy' | StoredAnswer>()
  for (const row of rows) {
    const [key, answer] = [byNumber.get(row.number ?? ''), storedAnswerOf(row)]
    if (key !== undefined && answer !== null) taken.set(key, answer)
  }
  for (const number of claimed[0]?.busy ?? []) {
    const key = byNumber.get(number)
    if (key !== undefined) taken.set(key, 'busy')
  }
  return { configurationVersion: first.directory_version, taken }
}

/** Lets later statements run for requests that hold their keys and have no answer. */
export async function keepClaims(transaction: Transaction, organizationId: string): Promise<void> {
  await transaction.query(holdClaims, [organizationId])
}

/** An answer as it is stored; null if it was looked up together with others and does not exist. */
type AnswerRow = {
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
function storedAnswerOf({ fingerprint, status, body, created_at }: AnswerRow): StoredAnswer | null {
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
