import { type Refusal, violates } from '../kernel/schema/index.ts'

type State = Readonly<Record<string, unknown>>

/** The uniqueness and order of settings of a kind. */
export interface Distinction {
  /** The members whose texts must be unique regardless of case, and the message for a duplicate. */
  readonly unique?: Readonly<Record<string, (state: State) => string>>
  /** Uniqueness applies among settings with the same value of this member. */
  readonly within?: string
  /** A setting that is not in use does not reserve its texts. */
  isInUse?(state: State): boolean
  /** A new setting gets the last `position`. */
  readonly comesLast?: true
  /** How many there can be, among settings with the same value of `within` if there is one. */
  readonly bound?: { readonly most: number }
}

/** The input of the rules: the previous setting, the request, and all settings of the kind. */
interface Context<S> {
  readonly previous: S | null
  siblings(): Iterable<S>
}

/** The next state of a setting, or the refusal of a duplicate text, or of one more than there can be. */
export function settleAmong<S extends State>(
  { unique = {}, within, isInUse = () => true, comesLast, bound }: Distinction,
  next: S,
  { previous, siblings }: Context<S>,
): S | Refusal {
  const fellows = [...siblings()].filter(
    each => each.id !== next.id && (within === undefined || each[within] === next[within]),
  )
  if (previous === null && bound !== undefined && fellows.length >= bound.most) return refuseMore(bound)
  for (const [member, say] of Object.entries(unique)) {
    const isSame = (other: S) => isInUse(other) && textOf(other, member) === textOf(next, member)
    // Duplicates from before this rule are accepted until one of them changes.
    const isOld = previous !== null && isSame(previous)
    if (!isOld && isInUse(next) && fellows.some(isSame)) return violates(`/${member}`, 'unique', say(next))
  }
  if (previous !== null || !comesLast) return next
  return { ...next, position: Math.max(-1, ...fellows.map(({ position }) => Number(position))) + 1 }
}

/** The refusal of one more than there can be. */
export function refuseMore({ most }: { readonly most: number }): Refusal {
  return violates('', 'limit', `there are ${most} already, the most there can be`)
}

function textOf(state: State, member: string): string {
  return String(state[member]).toLowerCase()
}
