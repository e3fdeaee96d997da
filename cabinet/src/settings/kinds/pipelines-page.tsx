import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Badge, Button } from '../../components/index.ts'
import { useWorkspace } from '../../workspace/workspace.ts'
import { ChangeDialog } from '../change-dialog.tsx'
import { SettingForm } from '../setting-form.tsx'
import { changedValues } from '../setting-values.ts'
import { SettingsPane } from '../settings-pane.tsx'
import { useSettings } from '../use-settings.ts'
import { bodyOfPipeline, type PipelineSetting, pipelineFields, type StageSetting } from './pipeline.ts'
import { StageList } from './stage-list.tsx'

/** The pipelines with their stages in order. */
export function PipelinesPage() {
  const { t } = useWorkspace().showing.words
  const [isNew, setNew] = useState(false)
  const { data, error } = useSettings<readonly PipelineSetting[]>('settings/pipelines')
  const stages = useSettings<readonly StageSetting[]>('settings/stages')
  return (
    <SettingsPane
      title={t('Pipelines')}
      error={error ?? stages.error}
      actions={
        <Button look="primary" onPress={() => setNew(true)}>
          <Plus className="icon" />
          {t('New pipeline')}
        </Button>
      }
    >
      {data === undefined || stages.data === undefined
        ? undefined
        : data.map(pipeline => (
            <PipelineSection
              key={pipeline.id}
              pipeline={pipeline}
              stages={stages.data.filter(({ pipelineId }) => pipelineId === pipeline.id)}
            />
          ))}
      {isNew ? (
        <SettingForm
          title={t('New pipeline')}
          draft="new/pipelines"
          fields={pipelineFields}
          values={{ name: '', stages: [], isDefault: false, lostReasonRequired: true }}
          toChange={values => ({
            method: 'POST',
            path: 'settings/pipelines',
            body: bodyOfPipeline(values, t('Won'), t('Lost')),
          })}
          onDone={() => setNew(false)}
          onClose={() => setNew(false)}
        />
      ) : null}
    </SettingsPane>
  )
}

interface PipelineSectionProps {
  readonly pipeline: PipelineSetting
  readonly stages: readonly StageSetting[]
}

function PipelineSection({ pipeline, stages }: PipelineSectionProps) {
  const { t } = useWorkspace().showing.words
  const [open, setOpen] = useState<'edit' | 'delete' | null>(null)
  const { id, version, name, isDefault, lostReasonRequired } = pipeline
  const before = { name, isDefault, lostReasonRequired }
  const path = `settings/pipelines/${id}`
  const close = () => setOpen(null)
  return (
    <section className="stack stack-2" aria-labelledby={`pipeline-${id}`}>
      <div className="row-flex">
        <h2 id={`pipeline-${id}`}>{name}</h2>
        {isDefault ? <Badge meaning="info">{t('New deals go here')}</Badge> : null}
        <span className="push row-flex">
          <Button isSmall aria-label={t('Edit {name}', { name })} onPress={() => setOpen('edit')}>
            {t('Edit')}
          </Button>
          {isDefault ? null : (
            <Button
              isSmall
              look="danger-quiet"
              aria-label={t('Delete {name}', { name })}
              onPress={() => setOpen('delete')}
            >
              {t('Delete')}
            </Button>
          )}
        </span>
      </div>
      <StageList pipelineId={id} name={name} stages={stages} />
      {open === 'edit' ? (
        <SettingForm
          title={t('Edit {name}', { name })}
          draft={`pipelines/${id}`}
          fields={pipelineFields.filter(({ only }) => only !== 'new')}
          values={before}
          toChange={values => ({ method: 'PATCH', path, body: changedValues(values, before, version) })}
          onDone={close}
          onClose={close}
        />
      ) : null}
      {open === 'delete' ? (
        <ChangeDialog
          title={t('Delete {name}', { name })}
          action={t('Delete')}
          change={{ method: 'DELETE', path }}
          onDone={close}
          onClose={close}
        >
          <p className="strong">{t('Its stages go with it. This cannot be undone.')}</p>
        </ChangeDialog>
      ) : null}
    </section>
  )
}
