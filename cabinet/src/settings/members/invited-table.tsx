import { RotateCcw, X } from 'lucide-react'
import { Badge, Button, FailureBanner, IconButton } from '../../components/index.ts'
import { roleNames } from '../../entrance/role-names.ts'
import { formatMoment } from '../../format/formats.ts'
import { useWorkspace } from '../../workspace/workspace.ts'
import { SettingsTable } from '../settings-table.tsx'
import { useSettingChange } from '../use-setting-change.tsx'
import type { ListedPerson, OpenInvitation } from './member.ts'

interface InvitedTableProps {
  readonly invited: readonly ListedPerson[]
  readonly onInvited: (invitation: OpenInvitation) => void
}

/** Who is invited and has not come yet. A new invitation of the same person takes the place of the former one. */
export function InvitedTable({ invited, onInvited }: InvitedTableProps) {
  const { t, language } = useWorkspace().showing.words
  const again = useSettingChange<OpenInvitation>(onInvited)
  const cancel = useSettingChange(() => document.getElementById('invited')?.focus())
  return (
    <section className="stack stack-2" aria-labelledby="invited">
      <h2 id="invited" tabIndex={-1}>
        {t('Invited')}
      </h2>
      <FailureBanner error={again.error ?? cancel.error} />
      <SettingsTable
        label={t('Invited')}
        items={invited.map(each => ({ ...each, id: each.invitationId ?? '' }))}
        empty=""
        columns={[
          { title: t('E-mail'), cell: ({ email }) => email },
          { title: t('Role'), width: 'c-m', cell: ({ role }) => <span className="second">{t(roleNames[role])}</span> },
          {
            title: t('Link is good until'),
            width: 'c-l',
            cell: ({ state, expiresAt }) =>
              state === 'expired' ? (
                <Badge meaning="danger">{t('Expired')}</Badge>
              ) : (
                <span className="second">{formatMoment(expiresAt ?? '', language)}</span>
              ),
          },
          {
            title: t('Actions'),
            width: 'c-l',
            isNumber: true,
            cell: ({ id, email, name, role }) => (
              <span className="row-flex">
                <Button
                  isSmall
                  look="quiet"
                  aria-label={`${t('New link')} ${email}`}
                  onPress={() => again.make({ method: 'POST', path: 'members', body: { email, name, role } })}
                >
                  <RotateCcw className="icon icon-small" />
                  {t('New link')}
                </Button>
                <IconButton
                  isSmall
                  label={t('Withdraw the invitation of {name}', { name: email })}
                  onPress={() => cancel.make({ method: 'DELETE', path: `invitations/${id}` })}
                >
                  <X className="icon icon-small" />
                </IconButton>
              </span>
            ),
          },
        ]}
      />
      {again.dialog}
      {cancel.dialog}
    </section>
  )
}
