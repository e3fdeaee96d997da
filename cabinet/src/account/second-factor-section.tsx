import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Failure, request } from '../api/index.ts'
import { Banner, Button, FailureBanner } from '../components/index.ts'
import { useMe } from '../shell/use-me.ts'
import { useWords } from '../words/index.ts'
import { FreshDialog } from './fresh-dialog.tsx'
import { type NewSecret, SecondFactorSheet } from './second-factor-sheet.tsx'
import { Section } from './section.tsx'

/** The second factor: an app that shows codes. Setting one up replaces the one before. */
export function SecondFactorSection() {
  const { t } = useWords()
  const { user, organizations } = useMe()
  const demanding = organizations.find(({ needsSecondFactor }) => needsSecondFactor)
  const [isAsking, setAsking] = useState(false)
  const begin = useMutation({
    mutationFn: () => request<NewSecret>('POST', '/account/second-factor'),
    onError(error) {
      if (error instanceof Failure && error.code === 'fresh_sign_in_required') setAsking(true)
    },
  })
  const isStale = begin.error instanceof Failure && begin.error.code === 'fresh_sign_in_required'
  return (
    <Section title={t('Second factor')} note={user.hasSecondFactor ? t('On') : t('Off')}>
      <FailureBanner error={isStale ? null : begin.error} />
      {demanding === undefined ? null : (
        <Banner meaning="warning">
          <p>
            {t('{organization} demands a second factor, and your account has none.', { organization: demanding.name })}
          </p>
        </Banner>
      )}
      <p className="second">
        {user.hasSecondFactor
          ? t('A code from your app is asked for at each sign-in. The operator of the server can switch it off.')
          : t('With it, a stolen password is not enough to sign in as you.')}
      </p>
      <div>
        <Button autoFocus={demanding !== undefined} isPending={begin.isPending} onPress={() => begin.mutate()}>
          {user.hasSecondFactor ? t('Set it up anew') : t('Set it up')}
        </Button>
      </div>
      {isAsking ? (
        <FreshDialog
          onClose={() => setAsking(false)}
          onFresh={() => {
            setAsking(false)
            begin.mutate()
          }}
        />
      ) : null}
      {begin.data === undefined ? null : <SecondFactorSheet secret={begin.data} onClose={() => begin.reset()} />}
    </Section>
  )
}
