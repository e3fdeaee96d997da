import { type SyntheticEvent, useId, useState } from 'react'
import { sentenceOf } from '../api/index.ts'
import { Button, Dialog, MenuButton, MenuItem, MenuSection, Select, showToast, TextField } from '../components/index.ts'
import { type Stage, stageOf } from '../directories/directories.ts'
import { labelOf } from '../records/labels.ts'
import type { RecordState } from '../records/record.ts'
import { write } from '../records/record-requests.ts'
import { useWorkspace } from '../workspace/workspace.ts'

interface Lost {
  readonly lostReasonCategoryUuid?: string
  readonly lostReasonComment?: string
}

/** Moves a deal to another stage. A lost stage asks for the reason. */
export function StageButton({ deal, onMoved }: { readonly deal: RecordState; readonly onMoved: () => void }) {
  const { organization, directories, showing } = useWorkspace()
  const { t } = showing.words
  const [losing, setLosing] = useState<Stage>()
  const current = stageOf(directories, String(deal.stageUuid))
  const move = async (stageUuid: string, lost: Lost = {}) => {
    const body = { expectedVersion: deal.version, stageUuid, ...lost }
    try {
      await write(organization.id, { method: 'PATCH', path: `deals/${deal.id}/move`, body, key: crypto.randomUUID() })
    } catch (error) {
      showToast({ text: sentenceOf(error, showing.words) })
    }
    setLosing(undefined)
    onMoved()
  }
  const choose = (key: string | number) => {
    const stage = stageOf(directories, String(key))
    if (stage?.type === 'lost') setLosing(stage)
    else void move(String(key))
  }
  return (
    <>
      <MenuButton label={t('Stage')} onAction={choose} button={<Button>{current?.name ?? t('Stage')}</Button>}>
        {directories.pipelines.map(pipeline => (
          <MenuSection key={pipeline.id} title={pipeline.name}>
            {pipeline.stages.map(({ uuid, name }) => (
              <MenuItem key={uuid} id={uuid}>
                {name}
              </MenuItem>
            ))}
          </MenuSection>
        ))}
      </MenuButton>
      {losing === undefined ? null : (
        <LostDialog onClose={() => setLosing(undefined)} onLose={lost => void move(losing.uuid, lost)} />
      )}
    </>
  )
}

function LostDialog({ onClose, onLose }: { readonly onClose: () => void; readonly onLose: (lost: Lost) => void }) {
  const { directories, showing } = useWorkspace()
  const { t } = showing.words
  const id = useId()
  const [reason, setReason] = useState<string | null>(null)
  const [comment, setComment] = useState('')
  const lose = (event: SyntheticEvent) => {
    event.preventDefault()
    onLose({
      ...(reason !== null && { lostReasonCategoryUuid: reason }),
      ...(comment.trim() !== '' && { lostReasonComment: comment }),
    })
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('Lost reason')}
      foot={
        <>
          <Button type="submit" form={id} look="primary">
            {t('Save')}
          </Button>
          <Button onPress={onClose}>{t('Cancel')}</Button>
        </>
      }
    >
      <form id={id} onSubmit={lose} className="form">
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
        />
      </form>
    </Dialog>
  )
}
