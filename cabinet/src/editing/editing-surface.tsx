import { Suspense } from 'react'
import { lazyPart } from '../components/index.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { allFields } from './custom-fields.ts'
import type { Editing } from './use-editing.tsx'

// A list shows its rows before what is needed to edit them is loaded.
const ConflictDialog = lazyPart(
  async () => (await import('./conflict-dialog.tsx')).ConflictDialog,
  ({ onClose }) => onClose,
)
const RecordForm = lazyPart(
  async () => (await import('./record-form.tsx')).RecordForm,
  ({ onLeave }) => onLeave,
)

/** The form or the conflict of the edit under way. Pages have one, at their end. */
export function EditingSurface({ editing }: { readonly editing: Editing }) {
  const { directories } = useWorkspace()
  const { edit, type, save, close, leave, resolve, backToForm } = editing
  if (edit === null) return null
  if (edit.conflict !== null) {
    return (
      <Suspense>
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
      </Suspense>
    )
  }
  if (!edit.hasForm) return null
  return (
    <Suspense>
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
    </Suspense>
  )
}
