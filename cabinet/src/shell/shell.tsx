import { Outlet, useRouter } from '@tanstack/react-router'
import { Suspense, useEffect, useRef, useState } from 'react'
import { Link } from 'react-aria-components'
import { lazyPart } from '../components/index.ts'
import { useKeys } from '../keys/index.ts'
import { useWords } from '../words/index.ts'
import { Navigation } from './navigation.tsx'
import { NewBuild } from './new-build.tsx'
import { PaletteToCome } from './palette-to-come.tsx'
import { places } from './places.ts'
import { TopBar } from './top-bar.tsx'
import { useOrganization } from './use-me.ts'

const loadPalette = () => import('./palette.tsx')
const Palette = lazyPart(
  async () => (await loadPalette()).Palette,
  ({ onClose }) => onClose,
)
const KeysDialog = lazyPart(
  async () => (await import('./keys-dialog.tsx')).KeysDialog,
  ({ onClose }) => onClose,
)

/** When the first list is there, what opens is loaded too, so that it opens at once. */
const quietMilliseconds = 2_000

/** What is around every page for signed-in users: navigation, search, account. The page itself has `<main>` for its own. */
export function Shell() {
  const { t } = useWords()
  const { history } = useRouter()
  const organization = useOrganization()
  const [open, setOpen] = useState<'palette' | 'keys' | null>(null)
  const close = () => setOpen(null)
  const typed = useRef('')
  const openPalette = () => {
    typed.current = ''
    setOpen('palette')
  }
  useEffect(() => {
    const timer = setTimeout(() => void loadPalette().catch(() => {}), quietMilliseconds)
    return () => clearTimeout(timer)
  }, [])
  const reachable =
    organization === undefined ? [] : places.filter(({ scope }) => organization.permissions.includes(scope))
  useKeys([
    { keys: 'Ctrl K', text: t('Search or run a command'), run: openPalette, isInFields: true },
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
      <TopBar onSearch={openPalette} onKeys={() => setOpen('keys')} />
      <div className="main" id="main">
        <NewBuild />
        <Outlet />
      </div>
      <Suspense fallback={<PaletteToCome typed={typed} onClose={close} />}>
        {open === 'palette' ? (
          <Palette places={reachable} typed={typed} onClose={close} onKeys={() => setOpen('keys')} />
        ) : null}
      </Suspense>
      <Suspense>{open === 'keys' ? <KeysDialog onClose={close} /> : null}</Suspense>
    </div>
  )
}
