import { type Refusal, violates } from '../kernel/schema/index.ts'

/** What rules see: the setting as it was, what was sent, and all settings of its kind. */
export interface SettingContext<State> {
  readonly previous: State | null
  readonly input: Readonly<Record<string, unknown>>
  siblings(): Iterable<State>
}

interface NamedState {
  readonly id: string
  readonly name: string
}

interface PlacedState {
  readonly position: number
}

/**
 * The refusal of a name that another setting has, whatever its letter case; null for one that is free. `word` is what messages call
 * such a setting. Settings that are not alive have no names. Names that were given twice before stay until one of them changes.
 */
export function refuseTaken<State extends NamedState>(
  word: string,
  next: State,
  { previous, siblings }: SettingContext<State>,
  isAlive: (state: State) => boolean = () => true,
): Refusal | null {
  const isOld = previous !== null && isAlive(previous) && isSameText(previous.name, next.name)
  if (isOld || !isAlive(next)) return null
  const isTaken = othersOf(next, siblings()).some(other => isAlive(other) && isSameText(other.name, next.name))
  return isTaken ? violates('/name', 'unique', `another ${word} is named ${next.name}`) : null
}

/** A new setting comes last. */
export function placedLast<State extends PlacedState>(next: State, { previous, siblings }: SettingContext<State>) {
  return previous === null ? { ...next, position: lastPosition(siblings()) + 1 } : next
}

/** The other settings of the kind. */
export function othersOf<State extends { readonly id: string }>({ id }: State, siblings: Iterable<State>): State[] {
  return [...siblings].filter(other => other.id !== id)
}

export function isSameText(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

/** -1 where there is none. */
export function lastPosition(siblings: Iterable<PlacedState>): number {
  return Math.max(-1, ...[...siblings].map(({ position }) => position))
}
