import { useRouter } from '@tanstack/react-router'
import { Ellipsis } from 'lucide-react'
import { useState } from 'react'
import { Banner, Button, FailureBanner, IconButton, MenuButton, MenuItem, showToast } from '../../components/index.ts'
import { formatMoment, formatNumber } from '../../format/formats.ts'
import { useWorkspace } from '../../workspace/workspace.ts'
import { SettingsPane } from '../settings-pane.tsx'
import { useSettingChange } from '../use-setting-change.tsx'
import { useSettings } from '../use-settings.ts'
import { Attempts } from './attempts.tsx'
import { ReplayTable } from './replay-table.tsx'
import { ShownSecret } from './shown-secret.tsx'
import { reasonWords, type Webhook, type WithSecret } from './webhook.ts'
import { WebhookDialogs } from './webhook-dialogs.tsx'
import { WebhookState } from './webhook-state.tsx'

interface TestResult {
  readonly status: number
  readonly milliseconds: number
}

/** A webhook: how its deliveries stand, what was sent, and what can be done about it. */
export function WebhookPage({ id }: { readonly id: string }) {
  const { organization, showing } = useWorkspace()
  const { t } = showing.words
  const { history } = useRouter()
  const path = `settings/webhooks/${id}`
  const [open, setOpen] = useState<string | null>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const { data: webhook, error } = useSettings<Webhook>(path)
  const test = useSettingChange<TestResult>(() => {})
  const flow = useSettingChange<Webhook>(() => showToast({ text: t('Saved') }))
  const isPaused = webhook?.deliveries.state === 'paused'
  const list = `/o/${organization.id}/settings/webhooks`
  const finish = (made?: WithSecret) => {
    setOpen(null)
    if (made?.secret !== undefined) setSecret(made.secret)
  }
  const act = (what: string) => {
    if (what === 'test') test.make({ method: 'POST', path: `${path}/test` })
    else if (what === 'pause' || what === 'resume') flow.make({ method: 'POST', path: `${path}/${what}` })
    else setOpen(what)
  }
  const actions = (
    <>
      <Button look="primary" onPress={() => setOpen('recover')}>
        {t('Recover')}
      </Button>
      <MenuButton
        label={t('More')}
        onAction={what => act(String(what))}
        button={
          <IconButton label={t('More about {name}', { name: webhook?.name ?? '' })}>
            <Ellipsis className="icon" />
          </IconButton>
        }
      >
        <MenuItem id="test">{t('Send test')}</MenuItem>
        <MenuItem id={isPaused ? 'resume' : 'pause'}>{isPaused ? t('Resume') : t('Pause')}</MenuItem>
        <MenuItem id="edit">{t('Edit')}</MenuItem>
        <MenuItem id="move">{t('Change the address')}</MenuItem>
        <MenuItem id="rotate">{t('Rotate the secret')}</MenuItem>
        <MenuItem id="delete" isDangerous>
          {t('Delete')}
        </MenuItem>
      </MenuButton>
    </>
  )
  return (
    <SettingsPane
      title={webhook?.name ?? t('Webhook')}
      above={{ href: list, name: t('Webhooks') }}
      error={error}
      actions={webhook === undefined ? null : actions}
    >
      {webhook === undefined ? undefined : (
        <>
          <FailureBanner error={test.error ?? flow.error} />
          {test.answer === undefined ? null : <Tested {...test.answer} />}
          {secret === null ? null : <ShownSecret secret={secret} onHide={() => setSecret(null)} />}
          <Standing webhook={webhook} />
          <Attempts webhook={webhook} />
          <ReplayTable webhook={webhook} />
          <WebhookDialogs
            webhook={webhook}
            open={open}
            onDone={finish}
            onDeleted={() => history.push(`/cabinet${list}`)}
          />
          {test.dialog}
          {flow.dialog}
        </>
      )}
    </SettingsPane>
  )
}

/** What the receiver has answered to a test. */
function Tested({ status, milliseconds }: TestResult) {
  const { t } = useWorkspace().showing.words
  return (
    <Banner meaning={status >= 200 && status < 300 ? 'success' : 'danger'} isAlert>
      <p>{t('Answered {status} in {time} ms', { status, time: Math.round(milliseconds) })}</p>
    </Banner>
  )
}

/** Where it sends to, and how its deliveries stand. */
function Standing({ webhook }: { readonly webhook: Webhook }) {
  const { t, language } = useWorkspace().showing.words
  const { url, kinds, deliveries, missingScopes = [] } = webhook
  const { state, reason, since, nextAttempt, behind, parkedEvents } = deliveries
  const words = reasonWords[reason ?? '']
  return (
    <>
      {state === 'active' ? null : (
        <Banner meaning="warning">
          <p>
            {words === undefined ? reason : t(words)}{' '}
            {since === null ? null : t('Since {time}.', { time: formatMoment(since, language) })}{' '}
            {nextAttempt === null ? null : t('Next attempt {time}.', { time: formatMoment(nextAttempt, language) })}
          </p>
        </Banner>
      )}
      {missingScopes.length === 0 ? null : (
        <Banner meaning="warning">
          <p>
            {t('Its token lacks {scopes}: events of these records are not sent.', { scopes: missingScopes.join(', ') })}
          </p>
        </Banner>
      )}
      <dl className="facts">
        <dt>{t('State')}</dt>
        <dd>
          <WebhookState state={state} />
        </dd>
        <dt>{t('Address')}</dt>
        <dd className="mono">{url}</dd>
        <dt>{t('Events')}</dt>
        <dd className="mono">{kinds.join(', ')}</dd>
        <dt>{t('Waiting')}</dt>
        <dd>{behind === null ? '–' : formatNumber(behind, language)}</dd>
        <dt>{t('Parked')}</dt>
        <dd>{formatNumber(parkedEvents, language)}</dd>
      </dl>
    </>
  )
}
