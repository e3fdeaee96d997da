import { inSlices } from '../admission/index.ts'
import { toRecord } from '../record/codec.ts'
import { keyLookup } from '../record/key-lookup.ts'
import { Lookup } from '../record/lookup.ts'
import { nestedStatements } from '../record/nested-statements.ts'
import { recordStatements } from '../record/record-statements.ts'
import type { Resource } from '../record/resource.ts'
import { lockNumber } from '../schema/index.ts'
import { claimedStatement, type Row, statement, type Transaction } from '../sql/index.ts'
import { AcquiredLocks, type Use } from './acquired-locks.ts'
import type { NeededKey, References, Round } from './needs.ts'
import type { WorkingSet } from './working-set.ts'

const lockKeys = claimedStatement(
  'lock_keys',
  `select pg_advisory_xact_lock(wanted.number)
     from organizations o
    cross join unnest($2::bigint[]) as wanted(number)
    where o.id = $1`,
)

// The same for a single key, without a subquery: the planner of a cluster passes it on as it is.
const lockKey = statement(
  'lock_key',
  `select pg_advisory_xact_lock($2::bigint)
     from organizations o
    where o.id = $1 and current_setting('crm.claim') = 'held'`,
)

const wantedKey = { columns: ['gone', 'reason', 'resource_id'], kind: 'wanted.kind' }

// Each key is looked up as it is, and in the form that is stored for removed records.
const loadKeys = claimedStatement(
  'load_keys',
  `select wanted.kind, wanted.key, k.gone, k.reason, k.resource_id
     from unnest($3::text[], $4::text[], $5::text[]) as wanted(kind, key, gone_key)
    cross join lateral (${keyLookup({ ...wantedKey, key: 'wanted.key', gone: false })}
      union all ${keyLookup({ ...wantedKey, key: 'wanted.gone_key', gone: true })}) as k`,
)

// The same for a cluster, whose nodes plan a statement anew each time: in comparisons of one table that costs a third.
const loadKeysOnNode = statement(
  'load_keys_on_node',
  `select e.kind, e.key, e.gone, e.reason, e.resource_id
     from external_keys e
    where e.organization_id = $1 and e.application_id = $2 and e.kind = any($3::text[])
      and e.gone = any('{false,true}') and e.key = any($4::text[]) and current_setting('crm.claim') = 'held'`,
)

const loadAllKeys = claimedStatement(
  'load_all_keys',
  `select e.application_id, e.key from external_keys e
    where e.organization_id = $1 and e.resource_id = $2 and not e.gone`,
)

/** The keys that applications have for a record. */
export function allKeysOf(id: string): Lookup<readonly { readonly applicationId: string; readonly key: string }[]> {
  return new Lookup(loadAllKeys, [id], rows =>
    rows.map(({ application_id, key }) => ({ applicationId: String(application_id), key: String(key) })),
  )
}

/** The organization of the rows, and the application of the keys. */
export interface KeyOwner {
  readonly organizationId: string
  readonly applicationId: string | null
  /** What is stored instead of the external key of a removed record. */
  goneKey(externalId: string): string
}

/**
 * Queues the locks, kind after kind in the order that all actors keep, and behind them the loads. Everything travels
 * in one round trip. Locks and loads are separate statements, because the snapshot of a statement is older than a lock
 * that it waited for. A preview passes `locks` as false and locks nothing.
 *
 * Resolves to what is held. If a needed row appeared only after the locks were taken, that is not all, and the attempt
 * has to start over.
 */
export async function lockAndLoad(
  transaction: Transaction,
  round: Round,
  owner: KeyOwner,
  work: WorkingSet,
  lockOrder: readonly Resource[],
  locks: boolean,
): Promise<AcquiredLocks> {
  const { organizationId, applicationId } = owner
  const parameters = ({ ids, keys }: References) => [organizationId, applicationId, [...ids], [...keys]]
  const created = [...round.keys.values()].filter(key => key.mayCreate)
  const queued: Promise<unknown>[] = []
  const held = new AcquiredLocks()
  const numbers = [...created.map(key => keyNumber(owner, key)), ...kindNumbers(organizationId, round.added)]
  if (locks && numbers.length > 0) queued.push(lockNumbers(transaction, organizationId, inOrder(numbers)))

  const targets = [...targetsOf(round.change, 'change'), ...targetsOf(round.refer, 'refer')]
  targets.sort((one, other) => lockOrder.indexOf(one.resource) - lockOrder.indexOf(other.resource))
  const locked = (locks ? targets : []).map(({ resource, use, references }) => {
    const { lockToChange, lockToRefer } = recordStatements(resource)
    return transaction.query(use === 'change' ? lockToChange : lockToRefer, parameters(references))
  })
  const loaded = targets.map(({ resource, use, references }) => {
    const { load, loadReferred } = recordStatements(resource)
    return transaction.query(use === 'change' ? load : loadReferred, parameters(references))
  })
  if (round.keys.size > 0) queued.push(findKeys(transaction, round, owner).then(rows => takeKeys(work, round, rows)))
  for (const lookup of round.lookups) {
    const { statement: select, values } = lookup
    queued.push(transaction.query(select, [organizationId, ...values]).then(rows => work.loadRows(lookup, rows)))
  }

  for (const [resource, { ids, parents }] of round.nested) {
    const { load, loadIn } = nestedStatements(resource)
    const take = (rows: readonly Row[]) => inSlices(takeNested(work, resource, rows))
    if (ids.size > 0) queued.push(transaction.query(load, [organizationId, [...ids]]).then(take))
    for (const parentId of parents) work.loadNestedIn(resource, parentId)
    if (parents.size > 0) queued.push(transaction.query(loadIn, [organizationId, [...parents]]).then(take))
  }

  const [lockedRows, loadedRows] = await Promise.all([Promise.all(locked), Promise.all(loaded), ...queued])
  for (const [index, { resource, use }] of targets.entries()) {
    const rows = loadedRows[index] ?? []
    if (locks) held.noteRows(use, resource.kind, lockedRows[index] ?? [], rows)
    for (const row of rows) {
      if (use === 'change') work.load(resource, toRecord(row))
      else work.loadReferred(resource.kind, String(row.id), row.gone === true)
    }
  }
  return held
}

interface Target {
  readonly resource: Resource
  readonly use: Use
  readonly references: References
}

function targetsOf(targets: ReadonlyMap<Resource, References>, use: Use): Target[] {
  return [...targets].map(([resource, references]) => ({ resource, use, references }))
}

/** The number of the lock of a key that may be created. */
export function keyNumber({ organizationId, applicationId }: KeyOwner, { kind, key }: NeededKey): string {
  return lockNumber('key', organizationId, applicationId ?? '', kind, key)
}

function kindNumbers(organizationId: string, kinds: ReadonlySet<string>): string[] {
  return [...kinds].map(kind => lockNumber('kind', organizationId, kind))
}

/** All actors take these locks in one order. */
export function inOrder(numbers: readonly string[]): string[] {
  const ascending = numbers.map(BigInt).sort((one, other) => (one < other ? -1 : 1))
  return ascending.map(String)
}

function lockNumbers(
  transaction: Transaction,
  organizationId: string,
  numbers: readonly string[],
): Promise<readonly Row[]> {
  const [only] = numbers
  if (numbers.length === 1) return transaction.query(lockKey, [organizationId, only])
  return transaction.query(lockKeys, [organizationId, numbers])
}

/** A row for each key that there is. That of a removed record is told by the key that it stands for. */
async function findKeys(
  transaction: Transaction,
  { keys }: Round,
  { organizationId, applicationId, goneKey }: KeyOwner,
): Promise<readonly Row[]> {
  const wanted = [...keys.values()]
  const [kinds, live] = [wanted.map(({ kind }) => kind), wanted.map(({ key }) => key)]
  const gone = live.map(key => goneKey(key))
  if (transaction.distribution === null)
    return transaction.query(loadKeys, [organizationId, applicationId, kinds, live, gone])
  const rows = await transaction.query(loadKeysOnNode, [organizationId, applicationId, kinds, [...live, ...gone]])
  return rows.flatMap(row => {
    const stored = row.gone === true ? gone : live
    const found = wanted.filter(({ kind }, index) => kind === row.kind && stored[index] === row.key)
    return found.map(({ key }) => ({ ...row, key }))
  })
}

/** Takes over loaded nested records, of which records may have thousands, in steps. */
function* takeNested(work: WorkingSet, resource: Resource, rows: readonly Row[]): Generator<unknown, void> {
  for (const row of rows) yield work.load(resource, toRecord(row))
}

/** Takes over the loaded keys of a round. */
export function takeKeys(work: WorkingSet, { keys }: Round, rows: readonly Row[]): void {
  // A key that is loaded again may have been removed since.
  for (const { kind, key } of keys.values()) work.forgetKey(kind, key)
  for (const row of rows) {
    const resourceId = String(row.resource_id)
    const reason = row.reason
    if (!row.gone) work.loadKey(String(row.kind), String(row.key), { state: 'live', resourceId })
    else if (reason === 'deleted' || reason === 'merged' || reason === 'anonymized') {
      work.loadKey(String(row.kind), String(row.key), { state: 'gone', resourceId, reason })
    }
  }
}
