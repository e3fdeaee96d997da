import { useState } from 'react'
import { Banner, Select, showToast, TextField } from '../components/index.ts'
import { FormDialog } from '../parts/form-dialog.tsx'
import { useTextDraft } from '../parts/use-text-draft.ts'
import { labelOf } from '../records/labels.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import type { Lost } from './move-deal.ts'

interface LostProps {
  /** The id of the deal. */
  readonly deal: string
  readonly onClose: () => void
  /** Answers why that was refused. */
  readonly onLose: (lost: Lost) => Promise<string | undefined>
}

/** Asks for the reason. What was typed stays until the deal is lost or the person gives it up. */
export function LostDialog({ deal, onClose, onLose }: LostProps) {
  const { directories, showing } = useWorkspace()
  const { t } = showing.words
  const [reason, choose, reasonDraft] = useTextDraft(`deals/${deal}/lost-reason`)
  const [comment, type, commentDraft] = useTextDraft(`deals/${deal}/lost-comment`)
  const [refused, setRefused] = useState<string>()
  const [isSaving, setSaving] = useState(false)
  const forget = () => {
    reasonDraft.forget()
    commentDraft.forget()
  }
  const cancel = () => {
    forget()
    onClose()
  }
  const leave = () => {
    if (reason !== '' || comment !== '') showToast({ text: t('Kept as a draft, not saved.') })
    onClose()
  }
  const lose = async () => {
    setSaving(true)
    const lost = {
      ...(reason !== '' && { lostReasonCategoryUuid: reason }),
      ...(comment.trim() !== '' && { lostReasonComment: comment }),
    }
    const refusal = await onLose(lost)
    if (refusal === undefined) forget()
    setRefused(refusal)
    setSaving(false)
  }
  return (
    <FormDialog
      title={t('Lost reason')}
      isDraft={reasonDraft.isThere || commentDraft.isThere}
      isSaving={isSaving}
      onSave={() => void lose()}
      onLeave={leave}
      onCancel={cancel}
    >
      {refused === undefined ? null : (
        <Banner meaning="danger" isAlert>
          {refused}
        </Banner>
      )}
      <Select
        label={labelOf('lostReasonCategoryUuid', t)}
        choices={directories.lostReasonCategories.map(({ uuid, name }) => ({ id: uuid, name }))}
        value={reason === '' ? null : reason}
        onChange={key => choose(String(key ?? ''))}
      />
      <TextField
        label={labelOf('lostReasonComment', t)}
        value={comment}
        onChange={type}
        rows={3}
        maxLength={2000}
        isReadOnly={isSaving}
      />
    </FormDialog>
  )
}
