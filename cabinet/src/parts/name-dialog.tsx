import { type SyntheticEvent, useId, useState } from 'react'
import { Button, Dialog, TextField } from '../components/index.ts'
import { useWorkspace } from '../workspace/workspace.ts'

interface NameDialogProps {
  readonly title: string
  readonly label: string
  readonly value: string
  readonly maxLength: number
  readonly rows?: number
  /** Answers whether it was saved; a refusal says its reason itself, and the dialog stays. */
  readonly onSave: (text: string) => Promise<boolean>
  readonly onClose: () => void
}

/** Asks for one text: the title of something, or its words. */
export function NameDialog({ title, label, value, maxLength, rows, onSave, onClose }: NameDialogProps) {
  const { t } = useWorkspace().showing.words
  const id = useId()
  const [text, setText] = useState(value)
  const [isSaving, setSaving] = useState(false)
  const save = async (event: SyntheticEvent) => {
    event.preventDefault()
    if (text.trim() === '' || isSaving) return
    if (text === value) return onClose()
    setSaving(true)
    if (await onSave(text)) onClose()
    else setSaving(false)
  }
  const close = () => {
    if (!isSaving) onClose()
  }
  return (
    <Dialog
      isOpen
      isKept
      onClose={close}
      title={title}
      foot={
        <>
          <Button type="submit" form={id} look="primary" isDisabled={text.trim() === '' || isSaving}>
            {t('Save')}
          </Button>
          <Button isDisabled={isSaving} onPress={close}>
            {t('Cancel')}
          </Button>
        </>
      }
    >
      <form id={id} onSubmit={event => void save(event)} className="form">
        <TextField
          label={label}
          value={text}
          onChange={setText}
          maxLength={maxLength}
          isReadOnly={isSaving}
          autoFocus
          {...(rows === undefined ? {} : { rows })}
        />
      </form>
    </Dialog>
  )
}
