import { type Refusal, violates } from '../../kernel/schema/index.ts'
import type { OperatorState } from './operator-fields.ts'

type Answering = Pick<OperatorState, 'enabled' | 'agentId'>

export const operatorRules = {
  /** Only an operator with an agent can answer. */
  settle<State extends Answering>(next: State): State | Refusal {
    if (!next.enabled || next.agentId !== null) return next
    return violates('/enabled', 'agent_required', 'An AI operator without an agent cannot be enabled')
  },
  /** Without its agent it is switched off. */
  afterUnlink<State extends Answering>(state: State): State {
    return { ...state, enabled: false }
  },
  /** Integrators know the operator by its channel. */
  userOf: ({ id, channelName: name }: Pick<OperatorState, 'id' | 'channelName'>) => ({ type: 'channel', id, name }),
}
