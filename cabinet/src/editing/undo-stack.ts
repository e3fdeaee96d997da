import type { Values } from '../records/changes.rules.ts'
import type { Kind } from '../records/kinds.ts'
import type { Text } from '../words/index.ts'

/** A change that was made in this tab, and what takes it back. */
export type Undoable = ChangedValues | ChangedOtherwise

/** A change by a write of its own, such as the move of a deal. */
interface ChangedOtherwise {
  readonly organization: string
  /** Takes it back, and answers what to say about it. Throws the `Failure` with which the server refused. */
  undo(): Promise<Text>
}

interface ChangedValues {
  readonly organization: string
  readonly kind: Kind
  readonly id: string
  readonly name: string
  /** The version that the change made: it can be taken back as long as the record still has it. */
  readonly version: number
  /** The values before and after. */
  readonly before: Values
  readonly after: Values
}

const most = 50
const stack: Undoable[] = []

/** Remembers a change, so that Ctrl Z takes it back. */
export function remember(change: Undoable): void {
  stack.push(change)
  if (stack.length > most) stack.shift()
}

/** Forgets all changes. */
export function forgetChanges(): void {
  stack.length = 0
}

/** The last change in an organization, which is then forgotten. */
export function takeLast(organization: string): Undoable | undefined {
  const index = stack.findLastIndex(change => change.organization === organization)
  return index === -1 ? undefined : stack.splice(index, 1)[0]
}
