import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-aria-components'
import { request, sentenceOf } from '../api/index.ts'
import { Banner, Skeleton } from '../components/index.ts'
import { useWords } from '../words/index.ts'
import { EntrancePage } from './entrance-page.tsx'
import { LinkForm } from './link-form.tsx'
import { takeLink } from './link-of-address.ts'
import type { LookedAtLink } from './looked-at-link.ts'
import { roleNames } from './role-names.ts'
import { SignInForm } from './sign-in-form.tsx'

/** The page of every link that lets somebody in: the first start, the demo, an invitation, a new password. */
export function LinkPage() {
  const words = useWords()
  const { t } = words
  const [link] = useState(takeLink)
  const [isSignedIn, setSignedIn] = useState(false)
  const { data, error } = useQuery({
    queryKey: ['link', link],
    queryFn: () => request<LookedAtLink>('POST', '/links/look', { body: { link } }),
    enabled: link !== null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  if (link !== null && data?.needs.includes('sign_in') === true) {
    // The account that the invitation is for has to give nothing else.
    if (isSignedIn) return <LinkForm link={link} found={{ ...data, needs: [] }} />
    return <SignInToAccept found={data} onSignedIn={() => setSignedIn(true)} />
  }
  if (link !== null && data !== undefined) return <LinkForm link={link} found={data} />
  if (link !== null && error === null) {
    return (
      <EntrancePage title={t('One moment')}>
        <div aria-busy="true">
          <Skeleton />
        </div>
      </EntrancePage>
    )
  }
  return (
    <EntrancePage title={t('This link does not work')}>
      <Banner meaning="warning" isAlert>
        <p>{error === null ? t('The address has no link in it: copy all of it.') : sentenceOf(error, words)}</p>
      </Banner>
      <p className="hint">
        <Link href="/sign-in">{t('Back to the sign-in')}</Link>
      </p>
    </EntrancePage>
  )
}

interface SignInToAcceptProps {
  readonly found: LookedAtLink
  readonly onSignedIn: () => void
}

/** An invitation to an address that has an account: to sign in is to accept it. */
function SignInToAccept({ found: { organization, role, email }, onSignedIn }: SignInToAcceptProps) {
  const { t } = useWords()
  return (
    <EntrancePage title={t('Join {organization}', { organization: organization?.name ?? '' })}>
      <p className="second">
        {role === null ? null : t('You are invited as {role}.', { role: t(roleNames[role]) })}{' '}
        {t('Sign in with your account to accept.')}
      </p>
      <SignInForm {...(email === null ? {} : { email })} onSignedIn={onSignedIn} />
    </EntrancePage>
  )
}
