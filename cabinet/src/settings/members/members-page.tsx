import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/index.ts'
import { useWorkspace } from '../../workspace/workspace.ts'
import { SettingForm } from '../setting-form.tsx'
import { SettingsPane } from '../settings-pane.tsx'
import { useSettings } from '../use-settings.ts'
import { InvitationLink } from './invitation-link.tsx'
import { InvitedTable } from './invited-table.tsx'
import { invitationFields, type ListedPerson, type OpenInvitation } from './member.ts'
import { MemberTable } from './member-table.tsx'
import { RoleDecisions } from './role-decisions.tsx'

/** The members of the organization with their roles, who is invited, and what the organization has decided about roles. */
export function MembersPage() {
  const { t } = useWorkspace().showing.words
  const [isInviting, setInviting] = useState(false)
  const [invitation, setInvitation] = useState<OpenInvitation | null>(null)
  const { data, error } = useSettings<readonly ListedPerson[]>('members')
  const members = data?.filter(({ state }) => state === 'member') ?? []
  const invited = data?.filter(({ state }) => state !== 'member') ?? []
  return (
    <SettingsPane
      title={t('Members')}
      note={t('{members}, {invited} invited', { members: members.length, invited: invited.length })}
      error={error}
      actions={
        <Button look="primary" onPress={() => setInviting(true)}>
          <Plus className="icon" />
          {t('Invite')}
        </Button>
      }
    >
      {data === undefined ? undefined : (
        <>
          {invitation === null ? null : (
            <InvitationLink key={invitation.link} invitation={invitation} onHide={() => setInvitation(null)} />
          )}
          <MemberTable members={members} />
          {invited.length === 0 ? null : <InvitedTable invited={invited} onInvited={setInvitation} />}
          <RoleDecisions withoutFactor={members.filter(({ hasSecondFactor }) => hasSecondFactor === false).length} />
        </>
      )}
      {isInviting ? (
        <SettingForm<OpenInvitation>
          title={t('Invite')}
          action={t('Invite')}
          draft="invitation"
          fields={invitationFields}
          values={{ email: '', name: '', role: 'member' }}
          toChange={values => ({ method: 'POST', path: 'members', body: values })}
          onDone={made => {
            setInviting(false)
            setInvitation(made)
          }}
          onClose={() => setInviting(false)}
        />
      ) : null}
    </SettingsPane>
  )
}
