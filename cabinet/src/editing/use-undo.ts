import { request, sentenceOf } from '../api/index.ts'
import { showToast } from '../components/index.ts'
import { useKeys } from '../keys/index.ts'
import type { RecordState } from '../records/record.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { takeBack } from './take-back.ts'
import { takeLast } from './undo-stack.ts'
import type { Editing } from './use-editing.tsx'

/** Takes the last change of this tab back: where somebody changed the record since, the conflict is shown. */
export function useUndo(editing: Editing): () => Promise<void> {
  const { organization, directories, showing } = useWorkspace()
  const { t } = showing.words
  const undo = async () => {
    const last = takeLast(organization.id)
    if (last === undefined) return showToast({ text: t('Nothing to undo.') })
    try {
      const record = await request<RecordState>('GET', `/o/${organization.id}/crm/${last.kind}/${last.id}`)
      await takeBack(editing, { kind: last.kind, record, directories }, last)
    } catch (error) {
      showToast({ text: sentenceOf(error, showing.words) })
    }
  }
  useKeys(editing.edit === null ? [{ keys: 'Ctrl Z', text: t('Undo the last change'), run: () => void undo() }] : [])
  return undo
}
