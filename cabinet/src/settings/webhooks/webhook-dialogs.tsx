import { useState } from 'react'
import { Select, showToast } from '../../components/index.ts'
import { useWorkspace } from '../../workspace/workspace.ts'
import { ChangeDialog } from '../change-dialog.tsx'
import { overlaps } from '../overlaps.ts'
import type { Webhook, WithSecret } from './webhook.ts'
import { MoveForm, WebhookForm } from './webhook-form.tsx'

interface WebhookDialogsProps {
  readonly webhook: Webhook
  /** Which of them is open. */
  readonly open: string | null
  /** Called when it is closed, with the answer if something was changed. */
  readonly onDone: (made?: WithSecret) => void
  readonly onDeleted: () => void
}

/** What can be done with a webhook, besides what takes effect at once. */
export function WebhookDialogs({ webhook, open, onDone, onDeleted }: WebhookDialogsProps) {
  const { t } = useWorkspace().showing.words
  const { id, name } = webhook
  const close = () => onDone()
  if (open === 'edit') return <WebhookForm webhook={webhook} onDone={onDone} onClose={close} />
  if (open === 'move') return <MoveForm webhook={webhook} onDone={onDone} onClose={close} />
  if (open === 'rotate') return <SecretDialog id={id} onDone={onDone} onClose={close} />
  if (open === 'recover') return <RecoverDialog id={id} onClose={close} />
  if (open !== 'delete') return null
  return (
    <ChangeDialog
      title={t('Delete {name}', { name })}
      action={t('Delete')}
      change={{ method: 'DELETE', path: `settings/webhooks/${id}` }}
      onDone={onDeleted}
      onClose={close}
    >
      <p>{t('Events that wait are not sent, and its log goes.')}</p>
    </ChangeDialog>
  )
}

interface SecretDialogProps {
  readonly id: string
  readonly onDone: (made: WithSecret) => void
  readonly onClose: () => void
}

function SecretDialog({ id, onDone, onClose }: SecretDialogProps) {
  const { t } = useWorkspace().showing.words
  const [overlap, setOverlap] = useState('86400')
  return (
    <ChangeDialog
      title={t('Rotate the secret')}
      action={t('Rotate')}
      isDangerous={false}
      change={{ method: 'POST', path: `settings/webhooks/${id}/rotate`, body: { overlapSeconds: Number(overlap) } }}
      onDone={onDone}
      onClose={onClose}
    >
      <p>{t('Deliveries are signed with a new secret, and with the former one as long as it is good.')}</p>
      <Select
        label={t('The former one is good')}
        choices={overlaps.map(each => ({ id: each.id, name: t(each.name) }))}
        value={overlap}
        onChange={chosen => setOverlap(String(chosen))}
      />
    </ChangeDialog>
  )
}

const hour = 3_600_000
const spans = [
  { id: String(hour), name: 'the last hour' },
  { id: String(24 * hour), name: 'the last day' },
  { id: String(7 * 24 * hour), name: 'the last week' },
  { id: String(30 * 24 * hour), name: 'the last 30 days' },
] as const

/** Sends again what has failed and was not delivered later. */
function RecoverDialog({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { showing } = useWorkspace()
  const { t } = showing.words
  const [span, setSpan] = useState<string>(spans[1].id)
  const failedSince = new Date(showing.now.getTime() - Number(span)).toISOString()
  return (
    <ChangeDialog<{ readonly events: number }>
      title={t('Recover')}
      action={t('Send again')}
      isDangerous={false}
      change={{ method: 'POST', path: `settings/webhooks/${id}/replays`, body: { failedSince } }}
      onDone={({ events }) => {
        showToast({ text: t('{count, plural, one {# event is} other {# events are}} sent again', { count: events }) })
        onClose()
      }}
      onClose={onClose}
    >
      <p>{t('Events that have failed and were not delivered later are sent again, while new ones go on.')}</p>
      <Select
        label={t('Failed in')}
        choices={spans.map(each => ({ id: each.id, name: t(each.name) }))}
        value={span}
        onChange={chosen => setSpan(String(chosen))}
      />
    </ChangeDialog>
  )
}
