import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-aria-components'
import { Badge, Button } from '../../components/index.ts'
import { formatAgo } from '../../format/formats.ts'
import { useWorkspace } from '../../workspace/workspace.ts'
import { SettingsPane } from '../settings-pane.tsx'
import { SettingsTable } from '../settings-table.tsx'
import { useSettings } from '../use-settings.ts'
import { ApplicationForm } from './application-form.tsx'
import { type Application, isValidToken, type Token } from './token.ts'

/** The applications of the organization, to which its tokens belong. */
export function ApplicationsPage() {
  const { organization, showing } = useWorkspace()
  const { t, language } = showing.words
  const [isNew, setNew] = useState(false)
  const { data: applications, error } = useSettings<readonly Application[]>('settings/applications')
  const { data: tokens = [] } = useSettings<readonly Token[]>('settings/tokens')
  const tokensOf = (id: string) => tokens.filter(({ applicationId }) => applicationId === id)
  const lastUse = (id: string) =>
    tokensOf(id)
      .flatMap(({ lastUsedAt }) => lastUsedAt ?? [])
      .toSorted()
      .at(-1)
  return (
    <SettingsPane
      title={t('Applications')}
      error={error}
      actions={
        <Button look="primary" onPress={() => setNew(true)}>
          <Plus className="icon" />
          {t('New application')}
        </Button>
      }
    >
      {applications === undefined ? undefined : (
        <SettingsTable
          label={t('Applications')}
          items={applications}
          empty={t('No applications yet. A program that calls the API needs one, with a token.')}
          columns={[
            {
              title: t('Name'),
              cell: ({ id, name }) => <Link href={`/o/${organization.id}/settings/applications/${id}`}>{name}</Link>,
            },
            {
              title: t('State'),
              width: 'c-m',
              cell: ({ enabled }) =>
                enabled ? <Badge meaning="success">{t('On')}</Badge> : <Badge>{t('Disabled')}</Badge>,
            },
            {
              title: t('Tokens'),
              width: 'c-s',
              isNumber: true,
              cell: ({ id }) => tokensOf(id).filter(token => isValidToken(token, showing.now)).length,
            },
            {
              title: t('Last used'),
              width: 'c-m',
              isWide: true,
              cell: ({ id }) => {
                const at = lastUse(id)
                return (
                  <span className="second">{at === undefined ? t('Never') : formatAgo(at, language, showing.now)}</span>
                )
              },
            },
          ]}
        />
      )}
      {isNew ? <ApplicationForm onClose={() => setNew(false)} /> : null}
    </SettingsPane>
  )
}
