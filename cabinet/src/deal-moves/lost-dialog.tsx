import { type SyntheticEvent, useId, useState } from 'react'
import { Banner, Button, Dialog, Select, TextField } from '../components/index.ts'
import { labelOf } from '../records/labels.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import type { Lost } from './move-deal.ts'

interface LostProps {
  readonly onClose: () => void
  /** Answers why that was refused. */
  readonly onLose: (lost: Lost) => Promise<string | undefined>
}

/** Asks for the reason. What was typed stays when the move is refused. */
export function LostDialog({ onClose, onLose }: LostProps) {
  const { directories, showing } = useWorkspace()
  const { t } = showing.words
  const id = useId()
  const [reason, setReason] = useState<string | null>(null)
  const [comment, setComment] = useState('')
  const [refused, setRefused] = useState<string>()
  const [isSaving, setSaving] = useState(false)
  const lose = async (event: SyntheticEvent) => {
    event.preventDefault()
    setSaving(true)
    const lost = {
      ...(reason !== null && { lostReasonCategoryUuid: reason }),
      ...(comment.trim() !== '' && { lostReasonComment: comment }),
    }
    setRefused(await onLose(lost))
    setSaving(false)
  }
  const close = () => {
    if (!isSaving) onClose()
  }
  return (
    <Dialog
      isOpen
      isKept
      onClose={close}
      title={t('Lost reason')}
      foot={
        <>
          <Button type="submit" form={id} look="primary" isPending={isSaving}>
            {t('Save')}
          </Button>
          <Button isDisabled={isSaving} onPress={close}>
            {t('Cancel')}
          </Button>
        </>
      }
    >
      <form id={id} onSubmit={event => void lose(event)} className="form">
        {refused === undefined ? null : (
          <Banner meaning="danger" isAlert>
            {refused}
          </Banner>
        )}
        <Select
          label={labelOf('lostReasonCategoryUuid', t)}
          choices={directories.lostReasonCategories.map(({ uuid, name }) => ({ id: uuid, name }))}
          value={reason}
          onChange={key => setReason(key === null ? null : String(key))}
        />
        <TextField
          label={labelOf('lostReasonComment', t)}
          value={comment}
          onChange={setComment}
          rows={3}
          maxLength={2000}
          isReadOnly={isSaving}
        />
      </form>
    </Dialog>
  )
}
