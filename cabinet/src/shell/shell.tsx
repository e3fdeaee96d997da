import { Outlet, useRouter } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { Link } from 'react-aria-components'
import { useKeys } from '../keys/index.ts'
import { useWords } from '../words/index.ts'
import { Navigation } from './navigation.tsx'
import { NewBuild } from './new-build.tsx'
import { Palette } from './palette.tsx'
import { places } from './places.ts'
import { TopBar } from './top-bar.tsx'
import { useOrganization } from './use-me.ts'

// The palette is there at once: a letter that is typed behind Ctrl K must not get lost.
const KeysDialog = lazy(async () => ({ default: (await import('./keys-dialog.tsx')).KeysDialog }))

/** What is around every page for signed-in users: navigation, search, account. The page itself has `<main>` for its own. */
export function Shell() {
  const { t } = useWords()
  const { history } = useRouter()
  const organization = useOrganization()
  const [open, setOpen] = useState<'palette' | 'keys' | null>(null)
  const close = () => setOpen(null)
  const reachable =
    organization === undefined ? [] : places.filter(({ scope }) => organization.permissions.includes(scope))
  useKeys([
    { keys: 'Ctrl K', text: t('Search or run a command'), run: () => setOpen('palette'), isInFields: true },
    { keys: '?', text: t('Keys'), run: () => setOpen('keys') },
    ...reachable.map(({ path, goTo, letter }) => ({
      keys: `g ${letter}`,
      text: t(goTo),
      run: () => history.push(`/cabinet/o/${organization?.id}/${path}`),
    })),
  ])
  return (
    <div className="app">
      <Link className="skip" href="#main">
        {t('Skip to the page')}
      </Link>
      <Navigation places={reachable} />
      <TopBar onSearch={() => setOpen('palette')} onKeys={() => setOpen('keys')} />
      <div className="main" id="main">
        <NewBuild />
        <Outlet />
      </div>
      <Suspense>
        {open === 'palette' ? <Palette places={reachable} onClose={close} onKeys={() => setOpen('keys')} /> : null}
        {open === 'keys' ? <KeysDialog onClose={close} /> : null}
      </Suspense>
    </div>
  )
}
