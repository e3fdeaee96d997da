import { CircleHelp, CircleUser, Languages, LogOut, Search, SunMoon } from 'lucide-react'
import { Button, SubmenuTrigger } from 'react-aria-components'
import { Avatar, IconButton, Key, MenuButton, MenuItem } from '../components/index.ts'
import { useWords } from '../words/index.ts'
import { LanguageMenu, ThemeMenu } from './preference-menus.tsx'
import { useMe } from './use-me.ts'
import { useSignOut } from './use-sign-out.ts'

interface TopBarProps {
  readonly onSearch: () => void
  readonly onKeys: () => void
}

/** The bar above the page: search, keys, account. What a page adds to it is put into `top-bar-page`. */
export function TopBar({ onSearch, onKeys }: TopBarProps) {
  const { t } = useWords()
  return (
    <header className="topbar">
      <Button className="search-button" onPress={onSearch}>
        <Search className="icon" />
        <span className="only-wide">{t('Search or run a command')}</span>
        <span className="only-narrow">{t('Find')}</span>
        <span className="only-wide push">
          <Key>Ctrl K</Key>
        </span>
      </Button>
      <span className="push row-flex row-wide">
        <span id="top-bar-page" />
        <span className="only-wide">
          <IconButton label={t('Keys')} onPress={onKeys}>
            <CircleHelp className="icon" />
          </IconButton>
        </span>
        <AccountMenu />
      </span>
    </header>
  )
}

function AccountMenu() {
  const { t } = useWords()
  const { user } = useMe()
  const signOut = useSignOut()
  const button = (
    <Button className="account-button" aria-label={t('Account')}>
      <Avatar name={user.name} id={user.id} size="mid" />
    </Button>
  )
  return (
    <MenuButton label={t('Account')} button={button}>
      <MenuItem id="account" href="/account" icon={<CircleUser className="icon" />}>
        {t('Your account')}
      </MenuItem>
      <SubmenuTrigger>
        <MenuItem id="language" icon={<Languages className="icon" />}>
          {t('Language')}
        </MenuItem>
        <LanguageMenu />
      </SubmenuTrigger>
      <SubmenuTrigger>
        <MenuItem id="theme" icon={<SunMoon className="icon" />}>
          {t('Theme')}
        </MenuItem>
        <ThemeMenu />
      </SubmenuTrigger>
      <MenuItem id="sign-out" icon={<LogOut className="icon" />} onAction={signOut}>
        {t('Sign out')}
      </MenuItem>
    </MenuButton>
  )
}
