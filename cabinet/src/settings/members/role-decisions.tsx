import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { meQuery } from '../../api/index.ts'
import { FailureBanner, Skeleton, Switch } from '../../components/index.ts'
import type { Text } from '../../words/index.ts'
import { useWorkspace } from '../../workspace/workspace.ts'
import { ChangeDialog } from '../change-dialog.tsx'
import { type SettingChange, useSettingChange } from '../use-setting-change.tsx'
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
  const [isDemanding, setDemanding] = useState(false)
  const refreshMe = () => void client.invalidateQueries({ queryKey: meQuery.queryKey })
  const change = useSettingChange(refreshMe)
  const changeOf = (name: string, isOn: boolean): SettingChange => ({
    method: 'PATCH',
    path,
    body: { expectedVersion: data?.version, [name]: isOn },
  })
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
                  isOn && name === 'secondFactorRequired' ? setDemanding(true) : change.make(changeOf(name, isOn))
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
      {isDemanding ? (
        <ChangeDialog
          title={t('Everyone needs a second factor')}
          action={t('Demand it')}
          isDangerous={false}
          change={changeOf('secondFactorRequired', true)}
          onDone={() => {
            setDemanding(false)
            refreshMe()
          }}
          onClose={() => setDemanding(false)}
        >
          <p>{t('Members who have none see nothing but their account until they have set one up')}.</p>
          <p>{t('{count, plural, one {# member has} other {# members have}} none.', { count: withoutFactor })}</p>
        </ChangeDialog>
      ) : null}
    </section>
  )
}
