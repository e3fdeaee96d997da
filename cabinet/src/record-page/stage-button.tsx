import { type SyntheticEvent, useId, useState } from 'react'
import { sentenceOf } from '../api/index.ts'
import {
  Banner,
  Button,
  Dialog,
  MenuButton,
  MenuItem,
  MenuSection,
  Select,
  showToast,
  TextField,
} from '../components/index.ts'
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
  /** Answers why the server has refused the move; undefined if it has not. What the page shows of the deal is read anew. */
  const move = async (stageUuid: string, lost: Lost = {}): Promise<string | undefined> => {
    const body = { expectedVersion: deal.version, stageUuid, ...lost }
    try {
      await write(organization.id, { method: 'PATCH', path: `deals/${deal.id}/move`, body, key: crypto.randomUUID() })
      return undefined
    } catch (error) {
      return sentenceOf(error, showing.words)
    } finally {
      onMoved()
    }
  }
  const choose = async (key: string | number) => {
    const stage = stageOf(directories, String(key))
    if (stage?.type === 'lost') return setLosing(stage)
    const refused = await move(String(key))
    if (refused !== undefined) showToast({ text: refused })
  }
  const lose = async (stage: Stage, lost: Lost) => {
    const refused = await move(stage.uuid, lost)
    if (refused === undefined) setLosing(undefined)
    return refused
  }
  return (
    <>
      <MenuButton
        label={t('Stage')}
        onAction={key => void choose(key)}
        button={<Button>{current?.name ?? t('Stage')}</Button>}
      >
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
        <LostDialog onClose={() => setLosing(undefined)} onLose={lost => lose(losing, lost)} />
      )}
    </>
  )
}

interface LostProps {
  readonly onClose: () => void
  /** Answers why that was refused. */
  readonly onLose: (lost: Lost) => Promise<string | undefined>
}

/** Asks for the reason. What was typed stays when the move is refused. */
function LostDialog({ onClose, onLose }: LostProps) {
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
