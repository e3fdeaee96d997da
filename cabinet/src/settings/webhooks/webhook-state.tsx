import { Badge } from '../../components/index.ts'
import { useWorkspace } from '../../workspace/workspace.ts'
import { type Replay, stateWords } from './webhook.ts'

const meanings = { active: 'success', held: 'warning', paused: 'plain', ended: 'plain' } as const

/** How deliveries stand, in a word. */
export function WebhookState({ state }: Pick<Replay, 'state'>) {
  const { t } = useWorkspace().showing.words
  return <Badge meaning={meanings[state]}>{t(stateWords[state])}</Badge>
}
