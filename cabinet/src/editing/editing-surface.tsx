import './editing.css'
import { useWorkspace } from '../workspace/workspace.ts'
import { ConflictDialog } from './conflict-dialog.tsx'
import { allFields } from './custom-fields.ts'
import { RecordForm } from './record-form.tsx'
import type { Editing } from './use-editing.tsx'

/** The form or the conflict of the edit under way. Pages have one, at their end. */
export function EditingSurface({ editing }: { readonly editing: Editing }) {
  const { directories } = useWorkspace()
  const { edit, type, save, close, leave, resolve, backToForm } = editing
  if (edit === null) return null
  if (edit.conflict !== null) {
    return (
      <ConflictDialog
        key={edit.conflict.theirs.version}
        theirs={edit.conflict.theirs}
        sawVersion={edit.version ?? 0}
        fields={allFields(edit.kind, directories)}
        differences={edit.conflict.differences}
        meanwhile={edit.conflict.meanwhile}
        isSaving={edit.isSaving}
        onSave={resolve}
        onClose={backToForm}
        onDiscard={close}
      />
    )
  }
  if (!edit.hasForm) return null
  return (
    <RecordForm
      kind={edit.kind}
      name={edit.name}
      values={edit.mine}
      failure={edit.failure}
      isSaving={edit.isSaving}
      isWaiting={edit.isWaiting}
      isDraft={edit.isDraft}
      onChange={type}
      onSave={save}
      onCancel={close}
      onLeave={leave}
    />
  )
}
