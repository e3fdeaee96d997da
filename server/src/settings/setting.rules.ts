import { type Refusal, violates } from '../kernel/schema/index.ts'

type State = Readonly<Record<string, unknown>>

/** How settings of a kind are told apart, and in which order they are. */
export interface Distinction {
  /** The members whose texts no other setting has, whatever their letter case, and what to say of one that another has. */
  readonly unique?: Readonly<Record<string, (state: State) => string>>
  /** Only settings with the same value of this member are compared. */
  readonly within?: string
  /** A setting that is not in use leaves its texts to others. */
  isInUse?(state: State): boolean
  /** A new one gets the last `position`. */
  readonly comesLast?: true
}

/** What rules see: the setting as it was, what was sent, and all settings of its kind. */
interface Context<S> {
  readonly previous: S | null
  siblings(): Iterable<S>
}

/** The next state of a setting, or the refusal of a text that another one has. */
export function settleAmong<S extends State>(
  { unique = {}, within, isInUse = () => true, comesLast }: Distinction,
  next: S,
  { previous, siblings }: Context<S>,
): S | Refusal {
  const fellows = [...siblings()].filter(
    each => each.id !== next.id && (within === undefined || each[within] === next[within]),
  )
  for (const [member, say] of Object.entries(unique)) {
    const isSame = (other: S) => isInUse(other) && textOf(other, member) === textOf(next, member)
    // Texts that were given twice before stay until one of them changes.
    const isOld = previous !== null && isSame(previous)
    if (!isOld && isInUse(next) && fellows.some(isSame)) return violates(`/${member}`, 'unique', say(next))
  }
  if (previous !== null || !comesLast) return next
  return { ...next, position: Math.max(-1, ...fellows.map(({ position }) => Number(position))) + 1 }
}

function textOf(state: State, member: string): string {
  return String(state[member]).toLowerCase()
}
