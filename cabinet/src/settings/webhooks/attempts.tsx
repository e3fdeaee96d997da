import { RefreshCw, RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-aria-components'
import { Badge, Button, FailureBanner, IconButton, Select, Skeleton, showToast } from '../../components/index.ts'
import { formatMoment } from '../../format/formats.ts'
import { useWorkspace } from '../../workspace/workspace.ts'
import { SettingsTable } from '../settings-table.tsx'
import { useSettingChange } from '../use-setting-change.tsx'
import { useSettings } from '../use-settings.ts'
import type { LoggedCall, Webhook } from './webhook.ts'

const places: Readonly<Record<string, string>> = {
  contact: 'contacts',
  company: 'companies',
  deal: 'deals',
  task: 'tasks',
}

/** The latest calls of the receiver, all or those that failed, each of which can be made again. */
export function Attempts({ webhook: { id } }: { readonly webhook: Webhook }) {
  const { organization, showing } = useWorkspace()
  const { t, language } = showing.words
  const [only, setOnly] = useState('all')
  const path = `settings/webhooks/${id}`
  const log = useSettings<readonly LoggedCall[]>(
    `${path}/deliveries?limit=100${only === 'failed' ? '&failed=true' : ''}`,
  )
  const again = useSettingChange(() => showToast({ text: t('It is sent again') }))
  const replay = ({ seq }: LoggedCall) =>
    again.make({ method: 'POST', path: `${path}/replays`, body: { from: seq, to: seq } })
  const rows = (log.data ?? []).map(each => ({ ...each, id: `${each.at}/${each.seq}/${each.outcome}` }))
  const delivered = rows.filter(({ outcome }) => outcome === 'delivered').length
  return (
    <section className="stack stack-2" aria-labelledby="attempts">
      <div className="row-flex">
        <h2 id="attempts">{t('Attempts')}</h2>
        {only === 'failed' || rows.length === 0 ? null : (
          <span className="muted">
            {t('{delivered} of the last {count} delivered', { delivered, count: rows.length })}
          </span>
        )}
        <span className="push row-flex">
          <Select
            hasHiddenLabel
            label={t('Outcome')}
            choices={[
              { id: 'all', name: t('All') },
              { id: 'failed', name: t('Failed') },
            ]}
            value={only}
            onChange={chosen => setOnly(String(chosen))}
          />
          <IconButton label={t('Refresh')} onPress={() => void log.refetch()}>
            <RefreshCw className="icon" />
          </IconButton>
        </span>
      </div>
      <FailureBanner error={log.error ?? again.error} />
      {log.data === undefined ? (
        log.error === null && <Skeleton />
      ) : (
        <SettingsTable
          label={t('Attempts')}
          items={rows}
          empty={t('Nothing was sent yet.')}
          columns={[
            {
              title: t('Time'),
              width: 'c-l',
              cell: ({ at }) => <span className="second">{formatMoment(at, language)}</span>,
            },
            { title: t('Event'), cell: delivery => <EventOf delivery={delivery} organization={organization.id} /> },
            { title: t('Answer'), width: 'c-m', cell: delivery => <AnswerOf delivery={delivery} /> },
            {
              title: t('Took'),
              width: 'c-s',
              isNumber: true,
              isWide: true,
              cell: ({ milliseconds }) => t('{time} ms', { time: Math.round(milliseconds) }),
            },
            {
              title: t('Actions'),
              width: 'c-btn',
              isNumber: true,
              cell: delivery => (
                <Button
                  isSmall
                  look="quiet"
                  aria-label={`${t('Replay')} ${delivery.kind ?? ''} ${delivery.seq}`}
                  onPress={() => replay(delivery)}
                >
                  <RotateCcw className="icon icon-small" />
                  {t('Replay')}
                </Button>
              ),
            },
          ]}
        />
      )}
      {again.dialog}
    </section>
  )
}

function EventOf({ delivery, organization }: { readonly delivery: LoggedCall; readonly organization: string }) {
  const { kind, recordId } = delivery
  const place = places[kind?.split('.')[0] ?? '']
  const name = <span className="mono">{kind ?? '–'}</span>
  return place === undefined || recordId === null ? (
    name
  ) : (
    <Link href={`/o/${organization}/${place}/${recordId}`}>{name}</Link>
  )
}

function AnswerOf({ delivery }: { readonly delivery: LoggedCall }) {
  const { t } = useWorkspace().showing.words
  const { outcome, status, failure, attempt, answer } = delivery
  return (
    <span title={answer ?? undefined}>
      <Badge meaning={outcome === 'delivered' ? 'success' : 'danger'}>{status ?? failure ?? '–'}</Badge>{' '}
      {attempt === null || attempt < 2 ? null : <span className="muted">{t('try {number}', { number: attempt })}</span>}
    </span>
  )
}
