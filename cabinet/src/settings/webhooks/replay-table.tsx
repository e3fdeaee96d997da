import { X } from 'lucide-react'
import { FailureBanner, IconButton } from '../../components/index.ts'
import { formatMoment, formatNumber } from '../../format/formats.ts'
import { useWorkspace } from '../../workspace/workspace.ts'
import { SettingsTable } from '../settings-table.tsx'
import { useSettingChange } from '../use-setting-change.tsx'
import type { Webhook } from './webhook.ts'
import { WebhookState } from './webhook-state.tsx'

/** What is and was sent again, with what ends it. Nothing where there was no replay. */
export function ReplayTable({ webhook: { id, replays = [] } }: { readonly webhook: Webhook }) {
  const { t, language } = useWorkspace().showing.words
  const end = useSettingChange(() => document.getElementById('replays')?.focus())
  if (replays.length === 0) return null
  const number = (value: number) => formatNumber(value, language)
  return (
    <section className="stack stack-2" aria-labelledby="replays">
      <h2 id="replays" tabIndex={-1}>
        {t('Replays')}
      </h2>
      <FailureBanner error={end.error} />
      <SettingsTable
        label={t('Replays')}
        items={replays}
        empty=""
        columns={[
          { title: t('Time'), width: 'c-l', cell: ({ createdAt }) => formatMoment(createdAt, language) },
          { title: t('Events'), isWide: true, cell: ({ from, to }) => `${number(from)} – ${number(to)}` },
          { title: t('State'), width: 'c-m', cell: ({ state }) => <WebhookState state={state} /> },
          { title: t('Delivered'), width: 'c-s', isNumber: true, cell: ({ delivered }) => number(delivered) },
          { title: t('Failed'), width: 'c-s', isNumber: true, cell: ({ failed }) => number(failed) },
          {
            title: t('Actions'),
            width: 'c-xs',
            isNumber: true,
            cell: replay =>
              replay.state === 'ended' ? null : (
                <IconButton
                  isSmall
                  label={t('End the replay of {time}', { time: formatMoment(replay.createdAt, language) })}
                  onPress={() => end.make({ method: 'DELETE', path: `settings/webhooks/${id}/replays/${replay.id}` })}
                >
                  <X className="icon icon-small" />
                </IconButton>
              ),
          },
        ]}
      />
      {end.dialog}
    </section>
  )
}
