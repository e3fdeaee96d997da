import { useMutation, useQuery } from '@tanstack/react-query'
import { type SyntheticEvent, useState } from 'react'
import { Form, Link } from 'react-aria-components'
import { request, sentenceOf } from '../api/index.ts'
import { Banner, Button, TextField } from '../components/index.ts'
import { useWords } from '../words/index.ts'
import { EntrancePage } from './entrance-page.tsx'

interface Entrance {
  readonly mail: boolean
}

/** Asks for a link to set a new password, and says who makes one where the server sends no mail. It says the same for each address. */
export function ForgottenPage() {
  const words = useWords()
  const { t } = words
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
      {ask.error === null ? null : (
        <Banner meaning="danger" isAlert>
          <p>{sentenceOf(ask.error, words)}</p>
        </Banner>
      )}
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
          <TextField
            label={t('E-mail')}
            type="email"
            name="email"
            autoComplete="username"
            isRequired
            autoFocus
            value={email}
            onChange={setEmail}
          />
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
