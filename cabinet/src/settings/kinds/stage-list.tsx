import { GripVertical, Plus } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import { Button as PlainButton } from 'react-aria-components'
import { Badge, Button, FailureBanner, showToast } from '../../components/index.ts'
import { useWorkspace } from '../../workspace/workspace.ts'
import { SettingForm } from '../setting-form.tsx'
import { changedValues, tidyValues } from '../setting-values.ts'
import { useSettingChange } from '../use-setting-change.tsx'
import { type StageSetting, stageFields, stageTypeChoices } from './pipeline.ts'

interface StageListProps {
  readonly pipelineId: string
  readonly name: string
  readonly stages: readonly StageSetting[]
}

const meanings = { open: 'plain', won: 'success', lost: 'danger' } as const

/** The stages of a pipeline. They are moved by dragging, or with Alt and the arrows; a press opens the form. */
export function StageList({ pipelineId, name, stages }: StageListProps) {
  const { t } = useWorkspace().showing.words
  const [open, setOpen] = useState<StageSetting | 'new' | null>(null)
  const [dragged, setDragged] = useState<string | null>(null)
  const ordered = stages.toSorted((one, other) => one.position - other.position)
  const move = useSettingChange<StageSetting>(stage => {
    const values = { name: stage.name, place: stage.position + 1, count: stages.length }
    showToast({ text: t('{name} is now {place} of {count}', values) })
  })
  const moveTo = (stage: StageSetting, position: number) => {
    if (position < 0 || position >= stages.length || position === stage.position) return
    move.make({
      method: 'PATCH',
      path: `settings/stages/${stage.id}`,
      body: { expectedVersion: stage.version, position },
    })
  }
  const press = (event: KeyboardEvent, stage: StageSetting) => {
    if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return
    event.preventDefault()
    moveTo(stage, stage.position + (event.key === 'ArrowUp' ? -1 : 1))
  }
  const drop = (position: number) => {
    const stage = stages.find(({ id }) => id === dragged)
    setDragged(null)
    if (stage !== undefined) moveTo(stage, position)
  }
  const typeName = ({ type }: StageSetting) => t(stageTypeChoices.find(({ id }) => id === type)?.name ?? 'Open')
  return (
    <>
      <FailureBanner error={move.error} />
      <ol className="panel" aria-label={t('Stages of {name}', { name })}>
        {ordered.map(stage => (
          <li
            key={stage.id}
            className="stage-line"
            draggable
            data-dragging={stage.id === dragged || undefined}
            onDragStart={() => setDragged(stage.id)}
            onDragEnd={() => setDragged(null)}
            onDragOver={event => event.preventDefault()}
            onDrop={() => drop(stage.position)}
          >
            <GripVertical className="icon icon-small" aria-hidden="true" />
            <PlainButton
              className="text-btn"
              aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown"
              onPress={() => setOpen(stage)}
              onKeyDown={event => press(event, stage)}
            >
              {stage.name}
            </PlainButton>
            <Badge meaning={meanings[stage.type]}>{typeName(stage)}</Badge>
            {stage.archived ? <Badge>{t('Archived')}</Badge> : null}
          </li>
        ))}
      </ol>
      <div className="row-flex">
        <Button isSmall onPress={() => setOpen('new')}>
          <Plus className="icon icon-small" />
          {t('New stage')}
        </Button>
        <span className="muted">{t('Drag a stage, or press Alt and an arrow, to move it.')}</span>
      </div>
      {open === null ? null : (
        <StageForm pipelineId={pipelineId} stage={open === 'new' ? undefined : open} onClose={() => setOpen(null)} />
      )}
    </>
  )
}

interface StageFormProps {
  readonly pipelineId: string
  readonly stage: StageSetting | undefined
  readonly onClose: () => void
}

function StageForm({ pipelineId, stage, onClose }: StageFormProps) {
  const { t } = useWorkspace().showing.words
  const path = 'settings/stages'
  const before = { name: stage?.name ?? '', archived: stage?.archived ?? false }
  return stage === undefined ? (
    <SettingForm
      title={t('New stage')}
      draft={`new/stages/${pipelineId}`}
      fields={stageFields.filter(({ only }) => only !== 'change')}
      values={{ name: '', type: 'open' }}
      toChange={values => ({ method: 'POST', path, body: { ...tidyValues(values), pipelineId } })}
      onDone={onClose}
      onClose={onClose}
    />
  ) : (
    <SettingForm
      title={t('Edit {name}', { name: stage.name })}
      draft={`stages/${stage.id}`}
      fields={stageFields.filter(({ only }) => only !== 'new')}
      values={before}
      toChange={values => ({
        method: 'PATCH',
        path: `${path}/${stage.id}`,
        body: changedValues(values, before, stage.version),
      })}
      onDone={onClose}
      onClose={onClose}
    />
  )
}
