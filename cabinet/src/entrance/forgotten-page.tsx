import { useMutation, useQuery } from '@tanstack/react-query'
import { type SyntheticEvent, useState } from 'react'
import { Form, Link } from 'react-aria-components'
import { request } from '../api/index.ts'
import { Banner, Button, FailureBanner } from '../components/index.ts'
import { useWords } from '../words/index.ts'
import { EmailField } from './email-field.tsx'
import { EntrancePage } from './entrance-page.tsx'

interface Entrance {
  readonly mail: boolean
}

/** Asks for a link to set a new password, and says who makes one where the server sends no mail. It says the same for each address. */
export function ForgottenPage() {
  const { t } = useWords()
  const [email, setEmail] = useState('')
  // Until it is known, the page asks as if there were mail: the answer to the form is the same.
  const entrance = useQuery({
    queryKey: ['entrance'],
    queryFn: ({ signal }) => request<Entrance>('GET', '/entrance', { signal }),
  })
  const sendsNoMail = entrance.data?.mail === false
  const ask = useMutation({ mutationFn: () => request('POST', '/resets', { body: { email } }) })
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    if (!ask.isPending) ask.mutate()
  }
  return (
    <EntrancePage title={t('Reset the password')}>
      <FailureBanner error={ask.error} />
      {sendsNoMail ? (
        <Banner meaning="info">
          <p>{t('This server sends no mail. Ask its operator for a link.')}</p>
        </Banner>
      ) : ask.isSuccess ? (
        <Banner meaning="success" isAlert>
          <p>{t('If {email} has an account, a link is on its way.', { email })}</p>
        </Banner>
      ) : (
        <Form className="stack" onSubmit={submit}>
          <EmailField autoFocus value={email} onChange={setEmail} />
          <Button type="submit" look="primary" isWide isPending={ask.isPending}>
            {t('Ask for a link')}
          </Button>
        </Form>
      )}
      <p className="hint">
        <Link href="/sign-in">{t('Back to the sign-in')}</Link>
      </p>
    </EntrancePage>
  )
}
