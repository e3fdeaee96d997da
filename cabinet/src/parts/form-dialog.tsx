import { type ReactNode, type SyntheticEvent, useId } from 'react'
import { Banner, Button, Dialog } from '../components/index.ts'
import { useWorkspace } from '../workspace/workspace.ts'

interface FormDialogProps {
  readonly title: string
  /** Whether what is in it was typed before, and is not saved yet. */
  readonly isDraft: boolean
  readonly isSaving: boolean
  /** Whether something is there to be saved. */
  readonly canSave?: boolean
  readonly onSave: () => void
  /** Closes it, and keeps what was typed for the next time. */
  readonly onLeave: () => void
  /** Closes it, and gives up what was typed. */
  readonly onCancel: () => void
  /** Further buttons at its end. */
  readonly foot?: ReactNode
  readonly className?: string
  readonly children: ReactNode
}

/** A dialog with a form. While it is saved it neither closes nor is saved again. */
export function FormDialog(props: FormDialogProps) {
  const { title, isDraft, isSaving, canSave = true, onSave, onLeave, onCancel, foot, className, children } = props
  const { t } = useWorkspace().showing.words
  const id = useId()
  const save = (event: SyntheticEvent) => {
    event.preventDefault()
    if (canSave && !isSaving) onSave()
  }
  return (
    <Dialog
      isOpen
      isKept
      onClose={() => (isSaving ? undefined : onLeave())}
      title={title}
      foot={
        <>
          <Button type="submit" form={id} look="primary" isDisabled={!canSave || isSaving}>
            {t('Save')}
          </Button>
          <Button isDisabled={isSaving} onPress={onCancel}>
            {t('Cancel')}
          </Button>
          {foot}
        </>
      }
    >
      <form id={id} onSubmit={save} noValidate className={className === undefined ? 'form' : `form ${className}`}>
        {isDraft ? <Banner>{t('This is what you typed before. It is not saved yet.')}</Banner> : null}
        {children}
      </form>
    </Dialog>
  )
}
