import { type ReactNode, useState } from 'react'
import { Button, Dialog } from '../components/index.ts'
import { useWorkspace } from '../workspace/workspace.ts'

interface ConfirmProps {
  readonly name: string
  readonly children?: ReactNode
  readonly onDelete: () => Promise<unknown>
  readonly onClose: () => void
}

/** Asks before something is deleted that does not come back. */
export function ConfirmDialog({ name, children, onDelete, onClose }: ConfirmProps) {
  const { t } = useWorkspace().showing.words
  const [isDeleting, setDeleting] = useState(false)
  const remove = async () => {
    setDeleting(true)
    try {
      await onDelete()
    } finally {
      onClose()
    }
  }
  // What has begun is not taken back by closing the dialog.
  const close = () => (isDeleting ? undefined : onClose())
  return (
    <Dialog
      isOpen
      role="alertdialog"
      onClose={close}
      title={t('Delete {name}', { name })}
      foot={
        <>
          <Button look="danger" isDisabled={isDeleting} onPress={() => void remove()}>
            {t('Delete')}
          </Button>
          <Button isDisabled={isDeleting} onPress={onClose} autoFocus>
            {t('Cancel')}
          </Button>
        </>
      }
    >
      {children}
      <p className="strong">{t('This cannot be undone.')}</p>
    </Dialog>
  )
}
