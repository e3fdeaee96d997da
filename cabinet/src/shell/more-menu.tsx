import { CircleUser, Menu as Lines, LogOut } from 'lucide-react'
import { Button } from 'react-aria-components'
import { MenuButton, MenuItem, MenuSection } from '../components/index.ts'
import { useWords } from '../words/index.ts'
import { useMe } from './use-me.ts'
import { useSignOut } from './use-sign-out.ts'

/** What small screens have no room for: the other organizations, and the account. */
export function MoreMenu() {
  const { t } = useWords()
  const { organizations } = useMe()
  const signOut = useSignOut()
  const button = (
    <Button className="nav-link">
      <Lines className="icon" />
      {t('More')}
    </Button>
  )
  return (
    <MenuButton label={t('More')} placement="top end" button={button}>
      {organizations.length < 2 ? null : (
        <MenuSection title={t('Organizations')}>
          {organizations.map(({ id, name }) => (
            <MenuItem key={id} id={id} href={`/o/${id}/contacts`}>
              {name}
            </MenuItem>
          ))}
        </MenuSection>
      )}
      <MenuItem id="account" href="/account" icon={<CircleUser className="icon" />}>
        {t('Your account')}
      </MenuItem>
      <MenuItem id="sign-out" icon={<LogOut className="icon" />} onAction={signOut}>
        {t('Sign out')}
      </MenuItem>
    </MenuButton>
  )
}
