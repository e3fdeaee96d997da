import { Pencil, Plus } from 'lucide-react'
import { useState } from 'react'
import { Badge, Button, IconButton } from '../../components/index.ts'
import { useWorkspace } from '../../workspace/workspace.ts'
import { SettingsPane } from '../settings-pane.tsx'
import { useSettings } from '../use-settings.ts'
import { ApplicationForm } from './application-form.tsx'
import { IssuedTokenPanel } from './issued-token.tsx'
import { Refusals } from './refusals.tsx'
import type { Application, NewToken, Token } from './token.ts'
import { TokenForm } from './token-form.tsx'
import { TokenTable } from './token-table.tsx'

/** How often it is asked whether a new token was used. */
const waiting = 3000

/** An application with its tokens. A new token is shown here, once. */
export function ApplicationPage({ id }: { readonly id: string }) {
  const { organization, showing } = useWorkspace()
  const { t } = showing.words
  const [open, setOpen] = useState<'new' | 'edit' | null>(null)
  const [issued, setIssued] = useState<NewToken | null>(null)
  const { data: application, error } = useSettings<Application>(`settings/applications/${id}`)
  const tokens = useSettings<readonly Token[]>('settings/tokens', { again: issued === null ? false : waiting })
  const own = tokens.data?.filter(({ applicationId }) => applicationId === id)
  const close = () => setOpen(null)
  const show = (token: NewToken) => {
    close()
    setIssued(token)
  }
  return (
    <SettingsPane
      title={application?.name ?? t('Application')}
      note={application?.enabled === false ? <Badge>{t('Disabled')}</Badge> : undefined}
      above={{ href: `/o/${organization.id}/settings/applications`, name: t('Applications') }}
      error={error ?? tokens.error}
      actions={
        application === undefined ? null : (
          <>
            <Button look="primary" onPress={() => setOpen('new')}>
              <Plus className="icon" />
              {t('New token')}
            </Button>
            <IconButton label={t('Edit {name}', { name: application.name })} onPress={() => setOpen('edit')}>
              <Pencil className="icon" />
            </IconButton>
          </>
        )
      }
    >
      {application === undefined || own === undefined ? undefined : (
        <>
          {issued === null ? null : (
            <IssuedTokenPanel
              token={issued}
              shown={own.find(each => each.id === issued.id)}
              onHide={() => setIssued(null)}
            />
          )}
          <section className="stack stack-2" aria-labelledby="tokens">
            <h2 id="tokens">{t('Tokens')}</h2>
            <TokenTable tokens={own} onRotated={show} />
          </section>
          <Refusals tokens={own} />
          {open === 'edit' ? <ApplicationForm application={application} onClose={close} /> : null}
          {open === 'new' ? <TokenForm applicationId={id} onIssued={show} onClose={close} /> : null}
        </>
      )}
    </SettingsPane>
  )
}
