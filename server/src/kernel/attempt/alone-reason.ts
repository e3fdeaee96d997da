import type { Round } from '../write/needs.ts'

/**
 * Why a mutation has a transaction of its own although others of its organization are under way (docs/adr/0016).
 *
 * - `preview`: it changes nothing, so it locks nothing.
 * - `settings`: it changes what the others are decided by.
 * - `size`: it changes many records, gains little by company, and the others would wait for all of it.
 * - `jobs`: it adds jobs, and the queue may let it wait for a lock.
 * - `rows`: its rules ask for rows that others may change, or that it has to wait for.
 * - `rounds`: what it needs follows from what is loaded, and costs another round trip.
 * - `locked`: somebody else has locked a row or a key that it needs.
 * - `neighbour`: another one of its group has changed the record, and its rules look at what was loaded.
 * - `statements`: it runs statements of its own before the save.
 */
export const aloneReasons = [
  'preview',
  'settings',
  'size',
  'jobs',
  'rows',
  'rounds',
  'locked',
  'neighbour',
  'statements',
] as const

export type AloneReason = (typeof aloneReasons)[number]

/** The most records and keys that a member of a group needs: a commit is a small part of what more of them cost. */
export const mostRecordsTogether = 20

/** What a mutation says of itself. */
interface Declared {
  readonly looksOnly?: true
  readonly runsAlone?: AloneReason
}

/** Why a mutation cannot be one of a group, as far as its first needs tell; null where it can. */
export function reasonToRunAlone({ looksOnly, runsAlone }: Declared, round: Round): AloneReason | null {
  if (runsAlone !== undefined) return runsAlone
  if (looksOnly) return 'preview'
  if (round.size > mostRecordsTogether) return 'size'
  const isOwn = round.extras.some(({ inGroup }) => inGroup === undefined)
  return isOwn || round.allKeysOf.size + round.added.size > 0 ? 'rows' : null
}
