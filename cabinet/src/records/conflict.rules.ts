import type { Values } from './changes.rules.ts'
import { type Json, same } from './record.ts'

export type Side = 'mine' | 'theirs'

/** One field of a conflict: what the editor saw, what others wrote meanwhile, and what the editor wrote. */
export interface Difference {
  readonly path: string
  readonly saw: Json
  readonly theirs: Json
  readonly mine: Json
  /** Absent where both sides changed the field, each to another value: people have to decide. */
  readonly settled?: Side
}

/**
 * What to show after a refused save. A field that only one side changed is settled, and so is one that both changed to the same value.
 * Fields that nobody changed are left out.
 */
export function differences(saw: Values, theirs: Values, mine: Values): Difference[] {
  const paths = new Set([...saw.keys(), ...theirs.keys(), ...mine.keys()])
  return [...paths].flatMap((path): Difference[] => {
    const values = { saw: saw.get(path) ?? null, theirs: theirs.get(path) ?? null }
    const own = mine.has(path) ? (mine.get(path) ?? null) : values.saw
    const [isTheirs, isMine] = [!same(values.saw, values.theirs), !same(values.saw, own)]
    if (!isTheirs && !isMine) return []
    const difference = { path, ...values, mine: own }
    if (isTheirs && isMine && !same(values.theirs, own)) return [difference]
    return [{ ...difference, settled: isMine && !isTheirs ? 'mine' : 'theirs' }]
  })
}

/** The differences that nobody has decided yet. */
export function undecided(all: readonly Difference[], decisions: ReadonlyMap<string, Side>): readonly Difference[] {
  return all.filter(({ path, settled }) => settled === undefined && !decisions.has(path))
}

/**
 * What to send with the version that others wrote: the editor's value of each field that is to stay, where it differs from theirs.
 * An undecided field keeps theirs.
 */
export function resolved(all: readonly Difference[], decisions: ReadonlyMap<string, Side>): Values {
  const kept = all.filter(
    ({ path, settled, mine, theirs }) => (settled ?? decisions.get(path)) === 'mine' && !same(mine, theirs),
  )
  return new Map(kept.map(({ path, mine }) => [path, mine]))
}
