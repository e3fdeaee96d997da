import { useNavigate, useParams } from '@tanstack/react-router'
import { Lock } from 'lucide-react'
import { Suspense, useEffect } from 'react'
import { Link } from 'react-aria-components'
import { Empty } from '../components/index.ts'
import { MissingPage } from '../shell/failed-page.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import { type SettingsSection, settingsSections } from './sections.ts'
import '../parts/parts.css'
import './settings.css'

/** The settings: the pages that the role may see beside each other, and the one that the address names. */
export function SettingsPage() {
  const { organization, showing, may } = useWorkspace()
  const { t } = showing.words
  const { page, id } = useParams({ strict: false })
  const navigate = useNavigate()
  const shown = settingsSections.filter(({ permission }) => may(permission))
  const [first] = shown
  useEffect(() => {
    if (page !== undefined || first === undefined) return
    void navigate({ href: `/cabinet/o/${organization.id}/settings/${first.path}`, replace: true })
  }, [page, first, navigate, organization.id])
  const section = settingsSections.find(({ path }) => path === page)
  if (page !== undefined && section === undefined) return <MissingPage />
  if (section === undefined ? first === undefined : !shown.includes(section)) return <NotAllowed />
  return (
    <div className="two-pane">
      <SectionLinks sections={shown} current={page} />
      <Suspense>{section === undefined ? null : <Section key={id} section={section} id={id} />}</Suspense>
      <title>{t('Settings')}</title>
    </div>
  )
}

function Section({ section: { Page, OnePage }, id }: { readonly section: SettingsSection; readonly id?: string }) {
  if (id === undefined) return <Page />
  return OnePage === undefined ? <MissingPage /> : <OnePage id={id} />
}

interface SectionLinksProps {
  readonly sections: readonly SettingsSection[]
  readonly current: string | undefined
}

function SectionLinks({ sections, current }: SectionLinksProps) {
  const { organization, showing } = useWorkspace()
  const { t } = showing.words
  const groups = [...new Set(sections.map(({ group }) => group))]
  return (
    <nav className="subnav" aria-label={t('Settings')}>
      {groups.map(group => [
        <h2 key={group}>{t(group)}</h2>,
        ...sections
          .filter(section => section.group === group)
          .map(({ path, name }) => (
            <Link
              key={path}
              className="nav-link"
              href={`/o/${organization.id}/settings/${path}`}
              aria-current={path === current ? 'page' : undefined}
            >
              {t(name)}
            </Link>
          )),
      ])}
    </nav>
  )
}

/** Stands for a page that the role may not see. */
function NotAllowed() {
  const { t } = useWorkspace().showing.words
  return (
    <main className="main-alone">
      <title>{t('Settings')}</title>
      <h1 className="visually-hidden">{t('Settings')}</h1>
      <Empty icon={<Lock className="icon" />} title={t('Your role does not allow this.')}>
        {t('An owner of the organization can change your role.')}
      </Empty>
    </main>
  )
}
