import { Outlet } from '@tanstack/react-router'
import { ShieldAlert } from 'lucide-react'
import { ButtonLink, Empty } from '../components/index.ts'
import { useWords } from '../words/index.ts'
import { MissingPage } from './failed-page.tsx'
import { useOrganization } from './use-me.ts'

/** The frame of the pages of an organization. Without the second factor that it demands, it leads to the account instead. */
export function OrganizationPage() {
  const { t } = useWords()
  const organization = useOrganization()
  if (organization === undefined) return <MissingPage />
  if (!organization.needsSecondFactor) return <Outlet />
  return (
    <main className="main-alone">
      <title>{t('Second factor')}</title>
      <h1 className="visually-hidden">{t('Second factor')}</h1>
      <Empty
        icon={<ShieldAlert className="icon" />}
        title={t('{organization} demands a second factor, and your account has none.', {
          organization: organization.name,
        })}
        actions={
          <ButtonLink look="primary" autoFocus href="/account">
            {t('Set it up')}
          </ButtonLink>
        }
      />
    </main>
  )
}
