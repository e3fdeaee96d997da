import { useQueryClient } from '@tanstack/react-query'
import { meQuery } from '../../api/index.ts'
import { FailureBanner, Skeleton, Switch } from '../../components/index.ts'
import type { Text } from '../../words/index.ts'
import { useWorkspace } from '../../workspace/workspace.ts'
import { useSettingChange } from '../use-setting-change.tsx'
import { useSettings } from '../use-settings.ts'

const switches: readonly { readonly name: string; readonly label: Text; readonly hint: Text }[] = [
  {
    name: 'membersSeeContactData',
    label: 'Members and read-only see contact data',
    hint: 'E-mail addresses, phones, addresses and birth dates of contacts',
  },
  {
    name: 'membersSeeAmounts',
    label: 'Members and read-only see amounts',
    hint: 'Money in deals, their items and the analytics',
  },
  {
    name: 'managersManageIntegrations',
    label: 'Managers administer applications and webhooks',
    hint: 'Tokens, webhooks and API integrations of AI agents',
  },
  {
    name: 'secondFactorRequired',
    label: 'Everyone needs a second factor',
    hint: 'Members who have none see nothing but their account until they have set one up',
  },
]

/** What the organization has decided about roles. Each switch takes effect at once. `withoutFactor` members have no second factor. */
export function RoleDecisions({ withoutFactor }: { readonly withoutFactor: number }) {
  const { t } = useWorkspace().showing.words
  const client = useQueryClient()
  const path = 'settings/organization'
  const { data, error } = useSettings<Readonly<Record<string, unknown>>>(path)
  const change = useSettingChange(() => void client.invalidateQueries({ queryKey: meQuery.queryKey }))
  return (
    <section className="stack stack-2" aria-labelledby="role-switches">
      <h2 id="role-switches">{t('What roles may do')}</h2>
      <FailureBanner error={error ?? change.error} />
      {data === undefined ? (
        error === null && <Skeleton />
      ) : (
        <div className="panel">
          {switches.map(({ name, label, hint }) => (
            <div key={name} className="choice-row">
              <Switch
                isSelected={data[name] === true}
                isDisabled={change.isPending}
                onChange={isOn =>
                  change.make({ method: 'PATCH', path, body: { expectedVersion: data.version, [name]: isOn } })
                }
              >
                <span>
                  <span className="strong">{t(label)}</span>
                  <span className="sub switch-hint">{t(hint)}</span>
                  {name === 'secondFactorRequired' && withoutFactor > 0 ? (
                    <span className="sub switch-hint">
                      {t('{count, plural, one {# member has} other {# members have}} none.', { count: withoutFactor })}
                    </span>
                  ) : null}
                </span>
              </Switch>
            </div>
          ))}
        </div>
      )}
      {change.dialog}
    </section>
  )
}
