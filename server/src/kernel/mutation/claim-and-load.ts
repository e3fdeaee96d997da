import type { Actor } from '../auth/actor.ts'
import { refuse } from '../errors/index.ts'
import { claim, keepClaims, replay } from '../idempotency/index.ts'
import type { Configuration } from '../schema/index.ts'
import type { Row, Transaction } from '../sql/index.ts'
import { type ApplicationNeeds, type KeyOwner, type Locking, lockAndLoad } from '../write/load.ts'
import { AcquiredLocks, Round } from '../write/needs.ts'
import { WorkingSet } from '../write/working-set.ts'
import type { Ended, LoadedWrite } from './attempt.ts'
import type { WriteServices } from './mutation.ts'
import type { Write } from './pending-write.ts'

/** What an attempt has claimed and loaded. */
interface Claimed {
  readonly configurationVersion: string
  /** Writes whose idempotency keys are in use by another request, or already have an answer. */
  readonly ended: Map<Write, Ended>
  readonly loaded: readonly LoadedWrite[]
}

/**
 * Claims, locks and loads in one round trip. A write whose key is in use or answered locks and loads nothing. If a group contains one, no
 * write of the group does in this round trip, and a second one locks and loads for the others.
 */
export async function claimAndLoad(
  writes: readonly Write[],
  isGroup: boolean,
  transaction: Transaction,
  services: WriteServices,
  configuration: Configuration,
): Promise<Claimed> {
  const [first] = writes
  if (first === undefined) throw new Error('a group of writes is empty')
  const { organizationId } = first.actor
  const keys = writes.flatMap(({ idempotency }) => idempotency ?? [])
  const load = (some: readonly Write[]) =>
    isGroup
      ? loadTogether(some, transaction, services, configuration)
      : loadAlone(first, transaction, services, configuration)
  const [{ configurationVersion, taken }, loaded] = await Promise.all([
    claim(transaction, organizationId, keys),
    load(writes),
  ])
  const ended = new Map<Write, Ended>()
  if (taken.size === 0) return { configurationVersion, ended, loaded }
  for (const write of writes) {
    const { idempotency } = write
    const state = idempotency === null ? undefined : taken.get(idempotency)
    if (idempotency === null || state === undefined) continue
    const outcome = state === 'busy' ? refuse('idempotency_in_progress') : replay(state, idempotency.fingerprint)
    ended.set(write, { outcome, drops: [] })
  }
  const open = writes.filter(write => !ended.has(write))
  if (open.length === 0) return { configurationVersion, ended, loaded: [] }
  const [, again] = await Promise.all([keepClaims(transaction, organizationId), load(open)])
  return { configurationVersion, ended, loaded: again }
}

/** A write that needs more rounds than this starts over: others change keys faster than it can follow. */
const mostRounds = 6

/** Locks and loads the first needs of a write. It waits for locks that others hold; a preview locks nothing. */
async function loadAlone(
  write: Write,
  transaction: Transaction,
  services: WriteServices,
  configuration: Configuration,
): Promise<readonly LoadedWrite[]> {
  const [first, owner, work] = [write.beginNeeds(configuration), ownerOf(write.actor, services), new WorkingSet()]
  const held = await lockAlone({ write, owner, work }, first.round, transaction, services)
  return [{ write, first, owner, work, held }]
}

/**
 * Locks and loads the further needs of the write, until the loaded data shows no more of them. Resolves to whether everything that it
 * needs is locked.
 */
export async function loadMore(
  loaded: LoadedWrite,
  transaction: Transaction,
  services: WriteServices,
): Promise<boolean> {
  const { write, first, work, held } = loaded
  let isAll = held.isAll()
  for (let round = 2; isAll; round += 1) {
    const more = write.moreNeeds(first, work)
    if (more === null) return true
    isAll = round <= mostRounds && (await lockAlone(loaded, more, transaction, services)).isAll()
  }
  return false
}

async function lockAlone(
  { write: { looksOnly }, owner, work }: Pick<LoadedWrite, 'write' | 'owner' | 'work'>,
  round: Round,
  transaction: Transaction,
  { resources }: WriteServices,
): Promise<AcquiredLocks> {
  const needs = { owner, round, work }
  const locking = looksOnly ? 'none' : 'waits'
  const [[held = new AcquiredLocks()]] = await Promise.all([
    lockAndLoad(transaction, owner.organizationId, [needs], resources, locking),
    loadLookups([needs], transaction, locking),
  ])
  return held
}

/** Locks and loads the needs of the writes of a group, each statement once for all of them. It takes only free locks. */
async function loadTogether(
  writes: readonly Write[],
  transaction: Transaction,
  services: WriteServices,
  configuration: Configuration,
): Promise<readonly LoadedWrite[]> {
  const parts = new Map<string | null, ApplicationNeeds>()
  const organizationId = writes[0]?.actor.organizationId ?? ''
  const loaded = writes.map(write => {
    const { applicationId } = write.actor
    const made = { owner: ownerOf(write.actor, services), round: new Round(), work: new WorkingSet() }
    const part = parts.get(applicationId) ?? made
    parts.set(applicationId, part)
    const first = write.beginNeeds(configuration)
    part.round.include(first.round)
    return { write, first, part, owner: part.owner, work: new WorkingSet(part.work) }
  })
  const all = [...parts.values()]
  const [held] = await Promise.all([
    lockAndLoad(transaction, organizationId, all, services.resources, 'tries'),
    loadLookups(
      loaded.map(({ first: { round }, owner, work }) => ({ round, owner, work })),
      transaction,
      'tries',
    ),
  ])
  return loaded.map(({ part, ...each }) => ({ ...each, held: held[all.indexOf(part)] ?? new AcquiredLocks() }))
}

/** The organization and application whose rows and keys a mutation uses. */
function ownerOf({ organizationId, applicationId }: Actor, { secret }: WriteServices): KeyOwner {
  return { organizationId, applicationId, goneKey: key => secret.goneKey(key) }
}

/** Loads the rows beside records. Rows that several writes need are loaded once. */
async function loadLookups(
  needs: readonly ApplicationNeeds[],
  transaction: Transaction,
  locking: Locking,
): Promise<void> {
  const sent = new Map<string, Promise<Row[]>>()
  await Promise.all(
    needs.flatMap(({ round, owner: { organizationId }, work }) =>
      round.lookups.map(async lookup => {
        const { key, statement, values, inGroup } = lookup
        const isTried = locking === 'tries' && inGroup !== null && typeof inGroup === 'object'
        const asked = isTried ? inGroup.tries : statement
        const rows = sent.get(key) ?? transaction.query(asked, [organizationId, ...values])
        sent.set(key, rows)
        work.loadRows(lookup, await rows)
      }),
    ),
  )
}
