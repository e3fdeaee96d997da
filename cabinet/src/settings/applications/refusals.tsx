import { formatMoment } from '../../format/formats.ts'
import { useWorkspace } from '../../workspace/workspace.ts'
import { refusalWords, type Token } from './token.ts'

/** When tokens were last refused, and why. Nothing where none was. */
export function Refusals({ tokens }: { readonly tokens: readonly Token[] }) {
  const { t, language } = useWorkspace().showing.words
  const refused = tokens.filter(({ lastRefusedAt }) => lastRefusedAt !== null)
  if (refused.length === 0) return null
  return (
    <section className="stack stack-2" aria-labelledby="refused">
      <h2 id="refused">{t('Last refused')}</h2>
      <dl className="facts">
        {refused.map(({ id, name, lastRefusedAt, lastRefusedIp, lastRefusedReason }) => {
          const words = refusalWords[lastRefusedReason ?? '']
          return [
            <dt key={`${id}-name`}>{name}</dt>,
            <dd key={id}>
              {t('{time} from {address}: {reason}', {
                time: formatMoment(lastRefusedAt ?? '', language),
                address: lastRefusedIp ?? '–',
                reason: words === undefined ? (lastRefusedReason ?? '–') : t(words),
              })}
            </dd>,
          ]
        })}
      </dl>
    </section>
  )
}
