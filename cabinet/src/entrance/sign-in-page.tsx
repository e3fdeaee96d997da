import { useRouter, useSearch } from '@tanstack/react-router'
import { Link } from 'react-aria-components'
import { homePath } from '../shell/organizations.ts'
import { Said, useWords } from '../words/index.ts'
import { EntrancePage } from './entrance-page.tsx'
import { SignInForm } from './sign-in-form.tsx'

/** The sign-in. It leads to the page that was asked for, or to the first one. */
export function SignInPage() {
  const { t } = useWords()
  const { to } = useSearch({ from: '/sign-in' })
  const { history } = useRouter()
  return (
    <EntrancePage title={t('Sign in')}>
      <SignInForm onSignedIn={me => history.replace(`/cabinet${to ?? homePath(me)}`)} />
      <p className="hint">
        <Said
          text="Forgot the password? <0>Ask for a link</0>. Invited? Open the link of your invitation."
          elements={[<Link key="0" href="/forgotten" />]}
        />
      </p>
    </EntrancePage>
  )
}
