import { isList } from '../../records/record.ts'
import { useWorkspace } from '../../workspace/workspace.ts'
import { type Application, isValidToken, type Token } from '../applications/token.ts'
import { SettingForm } from '../setting-form.tsx'
import { changedValues } from '../setting-values.ts'
import { useSettings } from '../use-settings.ts'
import {
  bodyOfWebhook,
  moveFields,
  newWebhook,
  valuesOfWebhook,
  type Webhook,
  type WithSecret,
  webhookFields,
} from './webhook.ts'

interface WebhookFormProps {
  /** The one that is changed; absent for a new one. */
  readonly webhook?: Webhook
  readonly onDone: (made: WithSecret) => void
  readonly onClose: () => void
}

/** Makes a webhook, or changes one: all but where it sends to. */
export function WebhookForm({ webhook, onDone, onClose }: WebhookFormProps) {
  const { showing } = useWorkspace()
  const { t } = showing.words
  const { data: applications = [] } = useSettings<readonly Application[]>('settings/applications')
  const { data: tokens = [] } = useSettings<readonly Token[]>('settings/tokens')
  const isNew = webhook === undefined
  const [only] = applications.length === 1 ? applications : []
  const before = isNew ? { ...newWebhook, applicationId: only?.id ?? null } : valuesOfWebhook(webhook)
  const offered = tokens.filter(
    token => isValidToken(token, showing.now) && (isNew || token.applicationId === webhook.applicationId),
  )
  return (
    <SettingForm<WithSecret>
      title={isNew ? t('New webhook') : t('Edit {name}', { name: webhook.name })}
      draft={isNew ? 'new-webhook' : `webhook/${webhook.id}`}
      fields={webhookFields.filter(({ only }) => only !== (isNew ? 'change' : 'new'))}
      choices={{
        applicationId: applications,
        tokenId: [{ id: '', name: t('Its only token') }, ...offered.map(({ id, name }) => ({ id, name }))],
      }}
      values={before}
      toChange={values =>
        isNew
          ? { method: 'POST', path: 'settings/webhooks', body: bodyOfWebhook(values) }
          : {
              method: 'PATCH',
              path: `settings/webhooks/${webhook.id}`,
              body: changedValues(bodyOfWebhook(values), bodyOfWebhook(before), webhook.version),
            }
      }
      onDone={onDone}
      onClose={onClose}
    />
  )
}

/** Sends a webhook elsewhere, or with other headers. Another receiver gets another secret. */
export function MoveForm({ webhook, onDone, onClose }: WebhookFormProps & { readonly webhook: Webhook }) {
  const { t } = useWorkspace().showing.words
  const { id, version, url, headerNames } = webhook
  return (
    <SettingForm<WithSecret>
      title={t('Change the address')}
      draft={`move-webhook/${id}`}
      fields={moveFields}
      values={{ url, headers: [] }}
      toChange={values => {
        const { headers, ...body } = bodyOfWebhook(values)
        return {
          method: 'PUT',
          path: `settings/webhooks/${id}/url`,
          body: { expectedVersion: version, ...body, ...(isList(headers) && headers.length > 0 && { headers }) },
        }
      }}
      onDone={onDone}
      onClose={onClose}
    >
      {() => (
        <>
          {headerNames.length === 0 ? null : (
            <p className="hint">
              {t('It has the headers {names}. They stay as long as none is typed here.', {
                names: headerNames.join(', '),
              })}
            </p>
          )}
          <p className="hint">
            {t('A receiver with another host gets a new secret, which is shown once, and none of the former headers.')}
          </p>
        </>
      )}
    </SettingForm>
  )
}
