import { useQueryClient } from '@tanstack/react-query'
import { UserMinus } from 'lucide-react'
import { useState } from 'react'
import { meQuery } from '../../api/index.ts'
import { Avatar, Badge, IconButton, Select, showToast } from '../../components/index.ts'
import { formatAgo } from '../../format/formats.ts'
import { useMe } from '../../shell/use-me.ts'
import { useWorkspace } from '../../workspace/workspace.ts'
import { ChangeDialog } from '../change-dialog.tsx'
import { SettingsTable } from '../settings-table.tsx'
import { type ListedPerson, roleChoices } from './member.ts'

/** The members, with their roles to change. The last owner keeps the role. */
export function MemberTable({ members }: { readonly members: readonly ListedPerson[] }) {
  const { organization, showing } = useWorkspace()
  const { t, language } = showing.words
  const { user } = useMe()
  const client = useQueryClient()
  const [leaving, setLeaving] = useState<ListedPerson | null>(null)
  const [changed, setChanged] = useState<{ readonly member: ListedPerson; readonly role: string } | null>(null)
  const owners = members.filter(({ role }) => role === 'owner')
  const refreshMe = () => void client.invalidateQueries({ queryKey: meQuery.queryKey })
  const isLastOwner = (member: ListedPerson) => member.role === 'owner' && owners.length === 1
  return (
    <>
      <SettingsTable
        label={t('Members')}
        isTall
        items={members.map(member => ({ ...member, id: member.id ?? '' }))}
        empty=""
        columns={[
          { title: t('Name'), cell: member => <Person member={member} isOwn={member.email === user.email} /> },
          {
            title: t('Role'),
            width: 'c-l',
            cell: member =>
              isLastOwner(member) ? (
                <>
                  {t('Owner')}
                  <span className="sub wrap">{t('The last owner stays one.')}</span>
                </>
              ) : (
                <Select
                  hasHiddenLabel
                  label={t('Role of {name}', { name: member.name })}
                  choices={roleChoices.map(({ id, name }) => ({ id, name: t(name) }))}
                  value={member.role}
                  onChange={role => setChanged({ member, role: String(role) })}
                />
              ),
          },
          {
            title: t('Second factor'),
            width: 'c-m',
            isWide: true,
            cell: ({ hasSecondFactor }) =>
              hasSecondFactor === true ? t('On') : <Badge meaning="warning">{t('Not set up')}</Badge>,
          },
          {
            title: t('Last sign-in'),
            width: 'c-m',
            isWide: true,
            cell: ({ lastSignInAt }) => (
              <span className="second">
                {lastSignInAt == null ? '–' : formatAgo(lastSignInAt, language, showing.now)}
              </span>
            ),
          },
          {
            title: t('Actions'),
            width: 'c-xs',
            isNumber: true,
            cell: member =>
              isLastOwner(member) ? null : (
                <IconButton
                  isSmall
                  label={t('End the membership of {name}', { name: member.name })}
                  onPress={() => setLeaving(member)}
                >
                  <UserMinus className="icon icon-small" />
                </IconButton>
              ),
          },
        ]}
      />
      {changed === null ? null : (
        <ChangeDialog
          title={t('Change the role of {name}', { name: changed.member.name })}
          action={t('Change the role')}
          isDangerous={false}
          change={{
            method: 'PATCH',
            path: `members/${changed.member.id}`,
            body: { expectedVersion: changed.member.version, role: changed.role },
          }}
          onDone={() => {
            setChanged(null)
            refreshMe()
            showToast({ text: t('Saved') })
          }}
          onClose={() => setChanged(null)}
        >
          <p className="strong">{roleChoices.filter(({ id }) => id === changed.role).map(({ name }) => t(name))}</p>
          <p>
            {changed.member.email === user.email
              ? t('This is your own role. You cannot take it back yourself.')
              : t('Other sessions of the member end at once.')}
          </p>
        </ChangeDialog>
      )}
      {leaving === null ? null : (
        <ChangeDialog
          title={t('End the membership of {name}', { name: leaving.name })}
          action={t('End the membership')}
          change={{ method: 'DELETE', path: `members/${leaving.id}` }}
          onDone={() => {
            setLeaving(null)
            refreshMe()
          }}
          onClose={() => setLeaving(null)}
        >
          <p>
            {t('The sessions in {organization} end at once. What {name} owns stays, and so does the account.', {
              organization: organization.name,
              name: leaving.name,
            })}
          </p>
        </ChangeDialog>
      )}
    </>
  )
}

function Person({ member, isOwn }: { readonly member: ListedPerson; readonly isOwn: boolean }) {
  const { t } = useWorkspace().showing.words
  const { name, email, active } = member
  return (
    <div className="row-flex">
      <Avatar name={name} id={email} size="mid" />
      <div>
        <span className="strong">{name}</span> {isOwn ? <span className="muted">{t('you')}</span> : null}
        {active ? null : <Badge>{t('Disabled')}</Badge>}
        <span className="sub">{email}</span>
      </div>
    </div>
  )
}
