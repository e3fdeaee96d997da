import { useLocation } from '@tanstack/react-router'
import { ChevronsUpDown, CircleUser } from 'lucide-react'
import { Button, Link } from 'react-aria-components'
import { MenuButton, MenuItem } from '../components/index.ts'
import { useWords } from '../words/index.ts'
import { MoreMenu } from './more-menu.tsx'
import type { Place } from './places.ts'
import { useMe, useOrganization } from './use-me.ts'

/** The side of the page: the organization, and where one can go. On small screens a bar at the bottom. */
export function Navigation({ places }: { readonly places: readonly Place[] }) {
  const { t } = useWords()
  const { pathname } = useLocation()
  const organization = useOrganization()
  const current = (path: string) => (pathname.includes(path) ? ('page' as const) : undefined)
  const linkTo = ({ path, name, icon: Icon }: Place) => {
    const address = `/o/${organization?.id}/${path}`
    return (
      <li key={path}>
        <Link className="nav-link" href={address} aria-current={current(address)}>
          <Icon className="icon" />
          {t(name)}
        </Link>
      </li>
    )
  }
  return (
    <nav className="nav" aria-label={t('Main')}>
      <OrganizationSwitch />
      <ul className="nav-list">
        {places.filter(({ isLast }) => !isLast).map(linkTo)}
        <li className="nav-more">
          <MoreMenu places={places.filter(({ isLast }) => isLast)} />
        </li>
      </ul>
      <ul className="nav-list nav-end">
        {places.filter(({ isLast }) => isLast).map(linkTo)}
        <li>
          <Link className="nav-link" href="/account" aria-current={current('/account')}>
            <CircleUser className="icon" />
            {t('Your account')}
          </Link>
        </li>
      </ul>
    </nav>
  )
}

/** The organization of the page, and a menu of the others where there are some. */
function OrganizationSwitch() {
  const { t } = useWords()
  const { organizations } = useMe()
  const organization = useOrganization()
  const name = organization?.name ?? t('No organization')
  const mark = <span className="org-mark" data-initials={[...name][0]?.toUpperCase()} aria-hidden="true" />
  if (organizations.length < 2) {
    return (
      <p className="org-switch">
        {mark}
        <span className="org-name">{name}</span>
      </p>
    )
  }
  const button = (
    <Button className="org-switch" aria-label={t('Organization {name}, change', { name })}>
      {mark}
      <span className="org-name">{name}</span>
      <ChevronsUpDown className="icon" />
    </Button>
  )
  return (
    <MenuButton label={t('Organizations')} placement="bottom start" button={button}>
      {organizations.map(({ id, name }) => (
        <MenuItem key={id} id={id} href={`/o/${id}/contacts`}>
          {name}
        </MenuItem>
      ))}
    </MenuButton>
  )
}
