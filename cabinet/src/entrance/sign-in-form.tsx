import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type SyntheticEvent, useState } from 'react'
import { Form } from 'react-aria-components'
import { Failure, type Me, request } from '../api/index.ts'
import { Button, FailureBanner, TextField } from '../components/index.ts'
import { useWords } from '../words/index.ts'
import { beginSession } from './begin-session.ts'
import { CodeField } from './code-field.tsx'
import { EmailField } from './email-field.tsx'

interface SignInFormProps {
  /** The address of the one account that will do. */
  readonly email?: string
  readonly onSignedIn: (me: Me) => void
}

/** E-mail and password, and the code of the second factor where the account has one. Begins the session. */
export function SignInForm({ email, onSignedIn }: SignInFormProps) {
  const { t } = useWords()
  const client = useQueryClient()
  const [form, setForm] = useState({ email: email ?? '', password: '', code: '' })
  const [needsCode, setNeedsCode] = useState(false)
  const signIn = useMutation({
    mutationFn: () =>
      request<Me>('POST', '/session', {
        body: { email: form.email, password: form.password, ...(needsCode ? { code: form.code } : {}) },
      }),
    onSuccess(me) {
      beginSession(client, me)
      onSignedIn(me)
    },
    onError(error) {
      if (error instanceof Failure && error.code === 'second_factor_required') setNeedsCode(true)
    },
  })
  const isAskedForCode =
    signIn.error instanceof Failure && signIn.error.code === 'second_factor_required' && form.code === ''
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    if (!signIn.isPending) signIn.mutate()
  }
  return (
    <>
      <FailureBanner error={isAskedForCode ? null : signIn.error} />
      <Form className="stack" onSubmit={submit}>
        <EmailField
          autoFocus={email === undefined}
          isReadOnly={email !== undefined}
          value={form.email}
          onChange={typed => setForm({ ...form, email: typed })}
        />
        <TextField
          label={t('Password')}
          type="password"
          name="password"
          autoComplete="current-password"
          isRequired
          autoFocus={email !== undefined}
          value={form.password}
          onChange={password => setForm({ ...form, password })}
        />
        {needsCode ? <CodeField autoFocus value={form.code} onChange={code => setForm({ ...form, code })} /> : null}
        <Button type="submit" look="primary" isWide isPending={signIn.isPending}>
          {t('Sign in')}
        </Button>
      </Form>
    </>
  )
}
