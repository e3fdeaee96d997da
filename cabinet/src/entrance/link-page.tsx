import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-aria-components'
import { Failure, request, sentenceOf } from '../api/index.ts'
import { Banner, Skeleton } from '../components/index.ts'
import { useWords } from '../words/index.ts'
import { EntrancePage } from './entrance-page.tsx'
import { LinkForm } from './link-form.tsx'
import { takeLink } from './link-of-address.ts'
import type { LookedAtLink } from './looked-at-link.ts'

/** The page of every link that lets somebody in: the first start, the demo, an invitation, a new password. */
export function LinkPage() {
  const words = useWords()
  const { t } = words
  const [link] = useState(takeLink)
  const { data, error } = useQuery({
    queryKey: ['link', link],
    queryFn: () => request<LookedAtLink>('POST', '/links/look', { body: { link } }),
    enabled: link !== null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
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
  const who = error instanceof Failure ? error.details['who'] : undefined
  return (
    <EntrancePage title={t('This link does not work')}>
      <Banner meaning="warning" isAlert>
        <p>{error === null ? t('The address has no link in it: copy all of it.') : sentenceOf(error, words)}</p>
        {typeof who === 'string' ? <p>{t('{who} can make a new one.', { who })}</p> : null}
      </Banner>
      <p className="hint">
        <Link href="/sign-in">{t('Back to the sign-in')}</Link>
      </p>
    </EntrancePage>
  )
}
