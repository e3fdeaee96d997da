import { useRouter } from '@tanstack/react-router'
import { useWorkspace } from '../../workspace/workspace.ts'
import { SettingForm } from '../setting-form.tsx'
import { changedValues, tidyValues } from '../setting-values.ts'
import { applicationFields } from './fields.ts'
import type { Application } from './token.ts'

interface ApplicationFormProps {
  /** The one that is changed; absent for a new one, whose page opens afterwards. */
  readonly application?: Application
  readonly onClose: () => void
}

/** Makes an application, or changes one. */
export function ApplicationForm({ application, onClose }: ApplicationFormProps) {
  const { organization, showing } = useWorkspace()
  const { t } = showing.words
  const { history } = useRouter()
  const path = 'settings/applications'
  if (application === undefined)
    return (
      <SettingForm<Application>
        title={t('New application')}
        draft="new-application"
        fields={applicationFields.filter(({ only }) => only !== 'change')}
        values={{ name: '' }}
        toChange={values => ({ method: 'POST', path, body: tidyValues(values) })}
        onDone={({ id }) => history.push(`/cabinet/o/${organization.id}/settings/applications/${id}`)}
        onClose={onClose}
      />
    )
  const { id, version, name, rateRead, rateWrite, enabled } = application
  const before = { name, rateRead, rateWrite, enabled }
  return (
    <SettingForm
      title={t('Edit {name}', { name })}
      draft={`application/${id}`}
      fields={applicationFields}
      values={before}
      toChange={values => ({ method: 'PATCH', path: `${path}/${id}`, body: changedValues(values, before, version) })}
      onDone={onClose}
      onClose={onClose}
    />
  )
}
