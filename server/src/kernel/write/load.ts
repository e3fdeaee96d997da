import { inSlices } from '../admission/index.ts'
import { keyLookup, Lookup, nestedStatements, type Resource, recordStatements, toRecord } from '../record/index.ts'
import { lockNumber } from '../schema/index.ts'
import { claimedStatement, type Row, statement, type Transaction } from '../sql/index.ts'
import { AcquiredLocks, type NeededKey, type Round, type Use } from './needs.ts'
import type { WorkingSet } from './working-set.ts'

const lockKeys = claimedStatement(
  'lock_keys',
  `select pg_advisory_xact_lock(wanted.number)
     from organizations o
    cross join unnest($2::bigint[]) as wanted(number)
    where o.id = $1`,
)

// The same for a single key, without a subquery: the planner of a cluster passes the statement on unchanged.
const lockKey = statement(
  'lock_key',
  `select pg_advisory_xact_lock($2::bigint)
     from organizations o
    where o.id = $1 and current_setting('crm.claim') = 'held'`,
)

const tryKeys = claimedStatement(
  'try_keys',
  `select wanted.number, pg_try_advisory_xact_lock(wanted.number) as held
     from organizations o
    cross join unnest($2::bigint[]) as wanted(number)
    where o.id = $1`,
)

const wantedKey = {
  columns: ['gone', 'reason', 'resource_id'],
  kind: 'wanted.kind',
  application: 'wanted.application_id',
}

// Each key is looked up as given, and in the form that is stored for removed records.
const loadKeys = claimedStatement(
  'load_keys',
  `select wanted.application_id, wanted.kind, wanted.key, k.gone, k.reason, k.resource_id
     from unnest($2::uuid[], $3::text[], $4::text[], $5::text[]) as wanted(application_id, kind, key, gone_key)
    cross join lateral (${keyLookup({ ...wantedKey, key: 'wanted.key', gone: false })}
      union all ${keyLookup({ ...wantedKey, key: 'wanted.gone_key', gone: true })}) as k`,
)

// The same for a cluster, whose nodes plan a statement anew each time: comparisons on one table make planning a third cheaper.
const loadKeysOnNode = statement(
  'load_keys_on_node',
  `select e.application_id, e.kind, e.key, e.gone, e.reason, e.resource_id
     from external_keys e
    where e.organization_id = $1 and e.application_id = any($2::uuid[]) and e.kind = any($3::text[])
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
  /** Returns the text that is stored instead of the external key of a removed record. */
  goneKey(externalId: string): string
}

/** The needs of the writes of one application, and the working set to load into: a record shows the key of its application. */
export interface ApplicationNeeds {
  readonly owner: KeyOwner
  readonly round: Round
  readonly work: WorkingSet
}

/** `waits` waits for locks that others hold. `tries` takes only free locks, as a group does. `none` takes no locks, as a preview does. */
export type Locking = 'waits' | 'tries' | 'none'

/**
 * Queues the locks, one kind after another in the order that all actors keep, followed by the loads: each statement once, for all
 * applications. Everything travels in one round trip. Locks and loads are separate statements, because a statement that waits for a lock
 * keeps the older snapshot from before the wait.
 *
 * Resolves to the locks held for each application. A row that was loaded without its lock is locked by another transaction, or appeared
 * only after the locks were taken; then the attempt has to start over.
 */
export async function lockAndLoad(
  transaction: Transaction,
  organizationId: string,
  needs: readonly ApplicationNeeds[],
  lockOrder: readonly Resource[],
  locking: Locking,
): Promise<readonly AcquiredLocks[]> {
  const held = needs.map(() => new AcquiredLocks())
  const queued = locking === 'none' ? [] : [lockNumbers(transaction, organizationId, needs, locking, held)]
  const targets = targetsOf(needs, lockOrder)
  const locked: Promise<Row[]>[] = []
  for (const { resource, use, values } of locking === 'none' ? [] : targets) {
    const { lockToChange, lockToRefer, tryToChange, tryToRefer } = recordStatements(resource)
    const [toChange, toRefer] = locking === 'waits' ? [lockToChange, lockToRefer] : [tryToChange, tryToRefer]
    locked.push(transaction.query(use === 'change' ? toChange : toRefer, [organizationId, ...values]))
  }
  const loaded: Promise<Row[]>[] = []
  for (const { resource, use, values } of targets) {
    const { load, loadReferred } = recordStatements(resource)
    loaded.push(transaction.query(use === 'change' ? load : loadReferred, [organizationId, ...values]))
  }
  queued.push(loadWantedKeys(transaction, organizationId, needs), ...loadAllNested(transaction, organizationId, needs))
  const [lockedRows, loadedRows] = await Promise.all([Promise.all(locked), Promise.all(loaded), ...queued])
  for (const [index, { resource, use }] of targets.entries()) {
    const rows = loadedRows[index] ?? []
    if (locking !== 'none') for (const each of held) each.noteRows(use, resource.kind, lockedRows[index] ?? [], rows)
    for (const { of, ...row } of rows) {
      if (use === 'refer')
        for (const { work } of needs) work.loadReferred(resource.kind, String(row.id), row.gone === true)
      else needs.find(({ owner }) => owner.applicationId === of)?.work.load(resource, toRecord(row))
    }
  }
  return held
}

interface Target {
  readonly resource: Resource
  readonly use: Use
  /** Applications and ids, applications and keys. */
  readonly values: readonly unknown[]
}

/** Every needed kind, in the order in which all actors lock. */
function targetsOf(needs: readonly ApplicationNeeds[], lockOrder: readonly Resource[]): Target[] {
  const targets: Target[] = []
  for (const use of ['change', 'refer'] as const) {
    const resources = new Set<Resource>()
    for (const { round } of needs) for (const resource of round[use].keys()) resources.add(resource)
    for (const resource of resources) targets.push({ resource, use, values: namesOf(needs, use, resource) })
  }
  return targets.sort((one, other) => lockOrder.indexOf(one.resource) - lockOrder.indexOf(other.resource))
}

function namesOf(needs: readonly ApplicationNeeds[], use: Use, resource: Resource): readonly unknown[] {
  const values: [(string | null)[], string[], (string | null)[], string[]] = [[], [], [], []]
  for (const { owner, round } of needs) {
    const references = round[use].get(resource)
    for (const id of references?.ids ?? []) {
      values[0].push(owner.applicationId)
      values[1].push(id)
    }
    for (const key of references?.keys ?? []) {
      values[2].push(owner.applicationId)
      values[3].push(key)
    }
  }
  return values
}

/** Locks the keys that may be created, and the kinds with a limited number to which one more is added. */
async function lockNumbers(
  transaction: Transaction,
  organizationId: string,
  needs: readonly ApplicationNeeds[],
  locking: Exclude<Locking, 'none'>,
  held: readonly AcquiredLocks[],
): Promise<void> {
  const created: NeededKey[][] = []
  const numbers: string[] = []
  for (const { owner, round } of needs) {
    const keys = [...round.keys.values()].filter(({ mayCreate }) => mayCreate)
    created.push(keys)
    for (const key of keys) numbers.push(keyNumber(owner, key))
    for (const kind of round.added) numbers.push(lockNumber('kind', organizationId, kind))
  }
  if (numbers.length === 0) return
  const [only] = numbers
  if (locking === 'waits' && numbers.length === 1) await transaction.query(lockKey, [organizationId, only])
  else if (locking === 'waits') await transaction.query(lockKeys, [organizationId, inOrder(numbers)])
  else {
    const tried = await transaction.query(tryKeys, [organizationId, inOrder(numbers)])
    for (const [index, { owner }] of needs.entries())
      held[index]?.noteKeys(created[index] ?? [], key => keyNumber(owner, key), tried)
  }
}

/** The number of the advisory lock of a key that may be created. */
function keyNumber({ organizationId, applicationId }: KeyOwner, { kind, key }: NeededKey): string {
  return lockNumber('key', organizationId, applicationId ?? '', kind, key)
}

/** All actors take these locks in the same order. */
function inOrder(numbers: readonly string[]): string[] {
  const ascending = numbers.map(BigInt).sort((one, other) => (one < other ? -1 : 1))
  return ascending.map(String)
}

/** Loads the keys. A tombstone is reported under the original key. */
async function loadWantedKeys(
  transaction: Transaction,
  organizationId: string,
  needs: readonly ApplicationNeeds[],
): Promise<void> {
  const wanted: { of: string | null; kind: string; key: string; gone: string }[] = []
  for (const { owner, round } of needs) {
    for (const { kind, key } of round.keys.values())
      wanted.push({ of: owner.applicationId, kind, key, gone: owner.goneKey(key) })
  }
  if (wanted.length === 0) return
  const [applications, kinds] = [wanted.map(({ of }) => of), wanted.map(({ kind }) => kind)]
  const [live, gone] = [wanted.map(({ key }) => key), wanted.map(each => each.gone)]
  const rows =
    transaction.distribution === null
      ? await transaction.query(loadKeys, [organizationId, applications, kinds, live, gone])
      : (await transaction.query(loadKeysOnNode, [organizationId, applications, kinds, [...live, ...gone]])).flatMap(
          row =>
            wanted.flatMap(({ of, kind, key, gone: stored }) =>
              of === row.application_id && kind === row.kind && row.key === (row.gone === true ? stored : key)
                ? [{ ...row, key }]
                : [],
            ),
        )
  for (const { owner, round, work } of needs)
    takeKeys(
      work,
      round,
      rows.filter(row => row.application_id === owner.applicationId),
    )
}

function takeKeys(work: WorkingSet, { keys }: Round, rows: readonly Row[]): void {
  // A key that is loaded again may have been removed meanwhile.
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

/** Nested records look the same to all applications. Records may have thousands of them, so copying them yields to the event loop. */
function loadAllNested(
  transaction: Transaction,
  organizationId: string,
  needs: readonly ApplicationNeeds[],
): Promise<void>[] {
  const resources = new Set<Resource>()
  for (const { round } of needs) for (const resource of round.nested.keys()) resources.add(resource)
  return [...resources].flatMap(resource => {
    const asking = needs.filter(({ round }) => round.nested.has(resource))
    const wanted = (what: 'ids' | 'parents') => [
      ...new Set(asking.flatMap(({ round }) => [...(round.nested.get(resource)?.[what] ?? [])])),
    ]
    const take = (rows: readonly Row[]) => inSlices(takeNested(asking, resource, rows))
    for (const { round, work } of asking)
      for (const parentId of round.nested.get(resource)?.parents ?? []) work.loadNestedIn(resource, parentId)
    const { load, loadIn } = nestedStatements(resource)
    const [ids, parents] = [wanted('ids'), wanted('parents')]
    return [
      ...(ids.length > 0 ? [transaction.query(load, [organizationId, ids]).then(take)] : []),
      ...(parents.length > 0 ? [transaction.query(loadIn, [organizationId, parents]).then(take)] : []),
    ]
  })
}

function* takeNested(
  asking: readonly ApplicationNeeds[],
  resource: Resource,
  rows: readonly Row[],
): Generator<unknown, void> {
  for (const row of rows) for (const { work } of asking) yield work.load(resource, toRecord({ ...row }))
}
