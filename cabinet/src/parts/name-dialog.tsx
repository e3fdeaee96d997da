import { useState } from 'react'
import { showToast, TextField } from '../components/index.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { FormDialog } from './form-dialog.tsx'
import { useTextDraft } from './use-text-draft.ts'

interface NameDialogProps {
  readonly title: string
  readonly label: string
  readonly value: string
  /** Under which name what is typed is kept until it is saved or given up. */
  readonly draft: string
  readonly maxLength: number
  readonly rows?: number
  /** Answers whether it was saved; a refusal says its reason itself, and the dialog stays. */
  readonly onSave: (text: string) => Promise<boolean>
  readonly onClose: () => void
}

/** Asks for one text: the title of something, or its words. */
export function NameDialog({ title, label, value, draft: name, maxLength, rows, onSave, onClose }: NameDialogProps) {
  const { t } = useWorkspace().showing.words
  const [text, type, draft] = useTextDraft(name, value)
  const [isSaving, setSaving] = useState(false)
  const close = () => {
    draft.forget()
    onClose()
  }
  const leave = () => {
    if (text !== value) showToast({ text: t('Kept as a draft, not saved.') })
    onClose()
  }
  const save = async () => {
    if (text === value) return close()
    setSaving(true)
    if (await onSave(text)) close()
    else setSaving(false)
  }
  return (
    <FormDialog
      title={title}
      isDraft={draft.isThere}
      isSaving={isSaving}
      canSave={text.trim() !== ''}
      onSave={() => void save()}
      onLeave={leave}
      onCancel={close}
    >
      <TextField
        label={label}
        value={text}
        onChange={type}
        maxLength={maxLength}
        isReadOnly={isSaving}
        autoFocus
        {...(rows === undefined ? {} : { rows })}
      />
    </FormDialog>
  )
}
