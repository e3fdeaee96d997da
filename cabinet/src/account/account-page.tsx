import { useMe } from '../shell/use-me.ts'
import { useWords } from '../words/index.ts'
import { PasswordSection } from './password-section.tsx'
import { PreferencesSection } from './preferences-section.tsx'
import { ProfileSection } from './profile-section.tsx'
import { SecondFactorSection } from './second-factor-section.tsx'
import { SessionsSection } from './sessions-section.tsx'

/** What a person sets for themselves: name, language, look, password, second factor, and where they are signed in. */
export function AccountPage() {
  const { t } = useWords()
  const { user } = useMe()
  return (
    <main className="page">
      <title>{t('Your account')}</title>
      <div className="page-head">
        <h1>{t('Your account')}</h1>
        <span className="muted">{user.email}</span>
      </div>
      <div className="page-body account">
        <ProfileSection />
        <PreferencesSection />
        <PasswordSection />
        <SecondFactorSection />
        <SessionsSection />
      </div>
    </main>
  )
}
