import { CircleUser, Menu as Lines, LogOut } from 'lucide-react'
import { Button } from 'react-aria-components'
import { MenuButton, MenuItem, MenuSection } from '../components/index.ts'
import { useWords } from '../words/index.ts'
import type { Place } from './places.ts'
import { useMe, useOrganization } from './use-me.ts'
import { useSignOut } from './use-sign-out.ts'

/** What small screens have no room for: the last places, the other organizations, and the account. */
export function MoreMenu({ places }: { readonly places: readonly Place[] }) {
  const { t } = useWords()
  const { organizations } = useMe()
  const organization = useOrganization()
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
      {places.map(({ path, name, icon: Icon }) => (
        <MenuItem key={path} id={path} href={`/o/${organization?.id}/${path}`} icon={<Icon className="icon" />}>
          {t(name)}
        </MenuItem>
      ))}
      <MenuItem id="account" href="/account" icon={<CircleUser className="icon" />}>
        {t('Your account')}
      </MenuItem>
      <MenuItem id="sign-out" icon={<LogOut className="icon" />} onAction={signOut}>
        {t('Sign out')}
      </MenuItem>
    </MenuButton>
  )
}
