import { toRecord } from '../record/codec.ts'
import { keyLookup } from '../record/key-lookup.ts'
import { nestedStatements } from '../record/nested-statements.ts'
import { recordStatements } from '../record/record-statements.ts'
import type { Resource } from '../record/resource.ts'
import { claimedStatement, type Row, type Transaction } from '../sql/index.ts'
import { AcquiredLocks, type Use } from './acquired-locks.ts'
import { inOrder, type KeyOwner, keyNumber, takeKeys } from './load.ts'
import type { Round } from './needs.ts'
import type { WorkingSet } from './working-set.ts'

/** What the requests of one application in a group need, and where it is put. A record shows the key of its application. */
export interface GroupPart {
  readonly owner: KeyOwner
  readonly round: Round
  readonly work: WorkingSet
}

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

const loadKeysInGroup = claimedStatement(
  'load_keys_in_group',
  `select wanted.application_id, wanted.kind, wanted.key, k.gone, k.reason, k.resource_id
     from unnest($2::uuid[], $3::text[], $4::text[], $5::text[]) as wanted(application_id, kind, key, gone_key)
    cross join lateral (${keyLookup({ ...wantedKey, key: 'wanted.key', gone: false })}
      union all ${keyLookup({ ...wantedKey, key: 'wanted.gone_key', gone: true })}) as k`,
)

/**
 * What `lockAndLoad` does for one request, for the requests of a group at once: each statement runs once for all of
 * their applications, and takes only locks that are free. Resolves to what is held for each part.
 */
export async function lockAndLoadTogether(
  transaction: Transaction,
  organizationId: string,
  parts: readonly GroupPart[],
  lockOrder: readonly Resource[],
): Promise<readonly AcquiredLocks[]> {
  const held = parts.map(() => new AcquiredLocks())
  const queued = [tryAllKeys(transaction, organizationId, parts, held)]
  const targets = targetsOf(parts, lockOrder)
  const locked = targets.map(({ resource, use }) => {
    const { tryToChange, tryToRefer } = recordStatements(resource)
    return transaction.query(use === 'change' ? tryToChange : tryToRefer, namesIn(organizationId, parts, use, resource))
  })
  const loaded = targets.map(({ resource, use }) => {
    const { loadInGroup, loadReferredInGroup } = recordStatements(resource)
    const asked = use === 'change' ? loadInGroup : loadReferredInGroup
    return transaction.query(asked, namesIn(organizationId, parts, use, resource))
  })
  queued.push(loadAllKeys(transaction, organizationId, parts), ...loadAllNested(transaction, organizationId, parts))
  const [lockedRows, loadedRows] = await Promise.all([Promise.all(locked), Promise.all(loaded), ...queued])
  for (const [index, { resource, use }] of targets.entries()) {
    const rows = loadedRows[index] ?? []
    for (const each of held) each.noteRows(use, resource.kind, lockedRows[index] ?? [], rows)
    for (const { of, ...row } of rows) {
      if (use === 'change') partOf(parts, of)?.work.load(resource, toRecord(row))
      else for (const { work } of parts) work.loadReferred(resource.kind, String(row.id), row.gone === true)
    }
  }
  return held
}

const partOf = (parts: readonly GroupPart[], applicationId: unknown) =>
  parts.find(({ owner }) => owner.applicationId === applicationId)

/** Every kind that is needed, in the order in which all actors lock. */
function targetsOf(parts: readonly GroupPart[], lockOrder: readonly Resource[]): { resource: Resource; use: Use }[] {
  const targets = (['change', 'refer'] as const).flatMap(use => {
    const resources = new Set(parts.flatMap(({ round }) => [...round[use].keys()]))
    return [...resources].map(resource => ({ resource, use }))
  })
  return targets.sort((one, other) => lockOrder.indexOf(one.resource) - lockOrder.indexOf(other.resource))
}

/** Parameters that name records: applications and ids, applications and keys. */
function namesIn(organizationId: string, parts: readonly GroupPart[], use: Use, resource: Resource): unknown[] {
  const values: [(string | null)[], string[], (string | null)[], string[]] = [[], [], [], []]
  for (const { owner, round } of parts) {
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
  return [organizationId, ...values]
}

async function tryAllKeys(
  transaction: Transaction,
  organizationId: string,
  parts: readonly GroupPart[],
  held: readonly AcquiredLocks[],
): Promise<void> {
  const created = parts.map(({ round }) => [...round.keys.values()].filter(({ mayCreate }) => mayCreate))
  const numbers = parts.flatMap(({ owner }, index) => (created[index] ?? []).map(key => keyNumber(owner, key)))
  if (numbers.length === 0) return
  const rows = await transaction.query(tryKeys, [organizationId, inOrder(numbers)])
  for (const [index, { owner }] of parts.entries())
    held[index]?.noteKeys(created[index] ?? [], key => keyNumber(owner, key), rows)
}

async function loadAllKeys(
  transaction: Transaction,
  organizationId: string,
  parts: readonly GroupPart[],
): Promise<void> {
  const wanted = parts.flatMap(({ owner, round }) =>
    [...round.keys.values()].map(({ kind, key }) => ({ owner, kind, key })),
  )
  if (wanted.length === 0) return
  const applications = wanted.map(({ owner }) => owner.applicationId)
  const [kinds, keys] = [wanted.map(({ kind }) => kind), wanted.map(({ key }) => key)]
  const goneKeys = wanted.map(({ owner, key }) => owner.goneKey(key))
  const rows = await transaction.query(loadKeysInGroup, [organizationId, applications, kinds, keys, goneKeys])
  for (const { owner, round, work } of parts)
    takeKeys(
      work,
      round,
      rows.filter(row => row.application_id === owner.applicationId),
    )
}

/** Nested records look the same to all applications. */
function loadAllNested(transaction: Transaction, organizationId: string, parts: readonly GroupPart[]): Promise<void>[] {
  const resources = new Set(parts.flatMap(({ round }) => [...round.nested.keys()]))
  return [...resources].flatMap(resource => {
    const asking = parts.filter(({ round }) => round.nested.has(resource))
    const wanted = (what: 'ids' | 'parents') => [
      ...new Set(asking.flatMap(({ round }) => [...(round.nested.get(resource)?.[what] ?? [])])),
    ]
    const take = (rows: readonly Row[]) => {
      for (const row of rows) for (const { work } of asking) work.load(resource, toRecord({ ...row }))
    }
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
