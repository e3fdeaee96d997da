import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-aria-components'
import { Button } from '../../components/index.ts'
import { formatNumber } from '../../format/formats.ts'
import { useWorkspace } from '../../workspace/workspace.ts'
import { SettingsPane } from '../settings-pane.tsx'
import { SettingsTable } from '../settings-table.tsx'
import { useSettings } from '../use-settings.ts'
import { ShownSecret } from './shown-secret.tsx'
import type { Webhook, WithSecret } from './webhook.ts'
import { WebhookForm } from './webhook-form.tsx'
import { WebhookState } from './webhook-state.tsx'

/** The webhooks of all applications, with how their deliveries stand. */
export function WebhooksPage() {
  const { organization, showing } = useWorkspace()
  const { t, language } = showing.words
  const [isNew, setNew] = useState(false)
  const [made, setMade] = useState<WithSecret | null>(null)
  const { data, error } = useSettings<readonly Webhook[]>('settings/webhooks')
  const count = (value: number | null) => (value === null ? '–' : formatNumber(value, language))
  return (
    <SettingsPane
      title={t('Webhooks')}
      error={error}
      actions={
        <Button look="primary" onPress={() => setNew(true)}>
          <Plus className="icon" />
          {t('New webhook')}
        </Button>
      }
    >
      {data === undefined ? undefined : (
        <>
          {made?.secret === undefined ? null : <ShownSecret secret={made.secret} onHide={() => setMade(null)} />}
          <SettingsTable
            label={t('Webhooks')}
            isTall
            items={data}
            empty={t('No webhooks yet. A receiver is told of each change of records.')}
            columns={[
              {
                title: t('Name'),
                cell: ({ id, name, url, kinds }) => (
                  <>
                    <Link href={`/o/${organization.id}/settings/webhooks/${id}`}>{name}</Link>
                    <span className="sub">{`${url.replace(/^https:\/\//u, '')} · ${kinds.join(', ')}`}</span>
                  </>
                ),
              },
              { title: t('State'), width: 'c-m', cell: ({ deliveries }) => <WebhookState state={deliveries.state} /> },
              {
                title: t('Waiting'),
                width: 'c-s',
                isNumber: true,
                cell: ({ deliveries }) => count(deliveries.behind),
              },
              {
                title: t('Parked'),
                width: 'c-s',
                isNumber: true,
                isWide: true,
                cell: ({ deliveries }) => count(deliveries.parkedEvents),
              },
            ]}
          />
        </>
      )}
      {isNew ? (
        <WebhookForm
          onDone={webhook => {
            setNew(false)
            setMade(webhook)
          }}
          onClose={() => setNew(false)}
        />
      ) : null}
    </SettingsPane>
  )
}
