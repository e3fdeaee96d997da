import { useMutation } from '@tanstack/react-query'
import { type SyntheticEvent, useState } from 'react'
import { Form, Link } from 'react-aria-components'
import { request, sentenceOf } from '../api/index.ts'
import { Banner, Button, TextField } from '../components/index.ts'
import { useWords } from '../words/index.ts'
import { EntrancePage } from './entrance-page.tsx'

/** Asks for a link to set a new password. It says the same whether the address has an account or not. */
export function ForgottenPage() {
  const words = useWords()
  const { t } = words
  const [email, setEmail] = useState('')
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
      {ask.isSuccess ? (
        <Banner meaning="success" isAlert>
          <p>
            {t(
              'If {email} has an account, a link is on its way. Where the server sends no mail, its operator makes one.',
              { email },
            )}
          </p>
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
