import { toRecord } from '../record/codec.ts'
import { keyLookup } from '../record/key-lookup.ts'
import { nestedStatements } from '../record/nested-statements.ts'
import { recordStatements } from '../record/record-statements.ts'
import type { Resource } from '../record/resource.ts'
import { lockNumber } from '../schema/index.ts'
import { claimedStatement, type Row, type Transaction } from '../sql/index.ts'
import { Held, type Use } from './held.ts'
import type { NeededKey, References, Round } from './needs.ts'
import type { WorkingSet } from './working-set.ts'

const lockKeys = claimedStatement(
  'lock_keys',
  `select pg_advisory_xact_lock(wanted.number)
     from organizations o
    cross join unnest($2::bigint[]) as wanted(number)
    where o.id = $1`,
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

const loadAllKeys = claimedStatement(
  'load_all_keys',
  `select k.application_id, k.kind, k.key, k.resource_id
     from unnest($2::uuid[]) as wanted(id)
    cross join lateral (
      select e.application_id, e.kind, e.key, e.resource_id from external_keys e
       where e.organization_id = $1 and e.resource_id = wanted.id and not e.gone
      offset 0) as k`,
)

/** The name of the rows of `loadAllKeys` in the working set. */
export const allKeys = 'all_keys'

/** The organization of the rows, and the application of the keys. */
export interface KeyOwner {
  readonly organizationId: string
  readonly applicationId: string | null
  /** What is stored instead of the external key of a removed record. */
  goneKey(externalId: string): string
}

/**
 * Queues the locks, kind after kind in the order that all writers keep, and behind them the loads. Everything travels
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
): Promise<Held> {
  const { organizationId, applicationId } = owner
  const parameters = ({ ids, keys }: References) => [organizationId, applicationId, [...ids], [...keys]]
  const created = [...round.keys.values()].filter(key => key.mayCreate)
  const queued: Promise<unknown>[] = []
  const held = new Held()
  const numbers = [...created.map(key => keyNumber(owner, key)), ...kindNumbers(organizationId, round.added)]
  if (locks && numbers.length > 0) queued.push(transaction.query(lockKeys, [organizationId, inOrder(numbers)]))

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
  if (round.keys.size > 0)
    queued.push(transaction.query(loadKeys, keyParameters(round, owner)).then(rows => takeKeys(work, round, rows)))
  if (round.allKeysOf.size > 0) {
    const rows = transaction.query(loadAllKeys, [organizationId, [...round.allKeysOf]])
    queued.push(rows.then(found => work.loadExtra(allKeys, found)))
  }
  for (const { name, statement: extra, values } of round.extras) {
    queued.push(transaction.query(extra, [organizationId, ...values]).then(rows => work.loadExtra(name, rows)))
  }

  for (const [resource, { ids, parents }] of round.nested) {
    const { load, loadIn } = nestedStatements(resource)
    const take = (rows: readonly Row[]) => rows.forEach(row => work.load(resource, toRecord(row)))
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

/** All writers take these locks in one order. */
export function inOrder(numbers: readonly string[]): string[] {
  const ascending = numbers.map(BigInt).sort((one, other) => (one < other ? -1 : 1))
  return ascending.map(String)
}

function keyParameters(round: Round, { organizationId, applicationId, goneKey }: KeyOwner): unknown[] {
  const wanted = [...round.keys.values()]
  const keys = wanted.map(({ key }) => key)
  return [organizationId, applicationId, wanted.map(({ kind }) => kind), keys, keys.map(key => goneKey(key))]
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
