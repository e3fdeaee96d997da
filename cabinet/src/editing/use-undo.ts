import { Failure, request, sentenceOf } from '../api/index.ts'
import { showToast } from '../components/index.ts'
import { useKeys } from '../keys/index.ts'
import type { RecordState } from '../records/record.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { takeBack } from './take-back.ts'
import { remember, takeLast } from './undo-stack.ts'
import { type Editing, savesAnswered } from './use-editing.tsx'

/** The undoing under way: each change is taken back when the one after it is. */
let undoing = Promise.resolve()

/**
 * Takes the last change of this tab back, the next time the one before: where somebody changed the record since, the conflict is shown.
 * Returns what the key does.
 */
export function useUndo(editing: Editing): () => void {
  const { organization, directories, showing } = useWorkspace()
  const { t } = showing.words
  const undo = async () => {
    await savesAnswered()
    const last = takeLast(organization.id)
    if (last === undefined) return showToast({ text: t('Nothing to undo.') })
    try {
      if ('undo' in last) return showToast({ text: t(await last.undo()) })
      const record = await request<RecordState>('GET', `/o/${organization.id}/crm/${last.kind}/${last.id}`)
      await takeBack(editing, { kind: last.kind, record, directories }, last, 'undo')
    } catch (error) {
      if (error instanceof Failure && error.status === 0) remember(last)
      showToast({ text: sentenceOf(error, showing.words) })
    }
  }
  const press = () => {
    undoing = undoing.then(undo)
  }
  useKeys(editing.edit === null ? [{ keys: 'Ctrl Z', text: t('Undo the last change'), run: press }] : [])
  return press
}
