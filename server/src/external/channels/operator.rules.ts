import { isObject, type JsonObject, type Refusal, violates } from '../../kernel/schema/index.ts'
import type { OperatorState } from './operator-fields.ts'

type Answering = Pick<OperatorState, 'enabled' | 'agentId'>

interface Settling {
  readonly input: JsonObject
  /** Whether the person exists, and stays until the change is committed. */
  isHeld(assigneeUuid: string): boolean
}

/** The person to whom a change hands dialogs over; null if it names none. */
export function namedAssignee({ handoff }: JsonObject): string | null {
  return isObject(handoff) && typeof handoff.assigneeUuid === 'string' ? handoff.assigneeUuid : null
}

export const aiOperatorRules = {
  forbids:
    'The AI operator would answer without an agent, or hand dialogs over to somebody who is not an active operator.',

  /** An operator needs an agent to answer. The person whom the change names must still exist when it is committed. */
  settle<State extends Answering>(next: State, { input, isHeld }: Settling): State | Refusal {
    if (next.enabled && next.agentId === null) {
      return violates(
        '/enabled',
        'agent_required',
        'An AI operator without an agent cannot be enabled: send an agentId too',
      )
    }
    const assignee = namedAssignee(input)
    if (assignee === null || isHeld(assignee)) return next
    return violates('/handoff/assigneeUuid', 'operator', 'The operator was removed meanwhile')
  },
  /** Without its agent it is disabled. */
  relinked: <State extends Answering>(next: State): State =>
    next.agentId === null ? { ...next, enabled: false } : next,
}
