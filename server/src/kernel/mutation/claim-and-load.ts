import { refuse } from '../errors/index.ts'
import { type Claims, claim, keepClaims, replay } from '../idempotency/index.ts'
import type { Configuration } from '../schema/index.ts'
import type { Transaction } from '../sql/index.ts'
import type { Ended, LoadedWrite } from './attempt.ts'
import { loadAlone, loadTogether } from './load-writes.ts'
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
  const load = async (some: readonly Write[]) =>
    isGroup
      ? loadTogether(some, transaction, services, configuration)
      : [await loadAlone(first, transaction, services, configuration)]
  const [claims, loaded] = await Promise.all([claim(transaction, organizationId, keys), load(writes)])
  const { configurationVersion } = claims
  const ended = endedBy(claims, writes)
  if (claims.areAllOpen) return { configurationVersion, ended, loaded }
  const open = writes.filter(({ idempotency }) => claims.stateOf(idempotency) === null)
  if (open.length === 0) return { configurationVersion, ended, loaded: [] }
  const [, again] = await Promise.all([keepClaims(transaction, organizationId), load(open)])
  return { configurationVersion, ended, loaded: again }
}

function endedBy(claims: Claims, writes: readonly Write[]): Map<Write, Ended> {
  const ended = new Map<Write, Ended>()
  for (const write of writes) {
    const { idempotency } = write
    const state = claims.stateOf(idempotency)
    if (idempotency === null || state === null) continue
    const outcome = state === 'busy' ? refuse('idempotency_in_progress') : replay(state, idempotency.fingerprint)
    ended.set(write, { outcome, drops: [] })
  }
  return ended
}
