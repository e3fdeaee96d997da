import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRouter, useSearch } from '@tanstack/react-router'
import { type SyntheticEvent, useState } from 'react'
import { Form, Link } from 'react-aria-components'
import { Failure, type Me, request } from '../api/index.ts'
import { Button, FailureBanner, TextField } from '../components/index.ts'
import { homePath } from '../shell/organizations.ts'
import { Said, useWords } from '../words/index.ts'
import { beginSession } from './begin-session.ts'
import { CodeField } from './code-field.tsx'
import { EmailField } from './email-field.tsx'
import { EntrancePage } from './entrance-page.tsx'

/** The sign-in: e-mail and password, and the code of the second factor where the account has one. */
export function SignInPage() {
  const { t } = useWords()
  const { to } = useSearch({ from: '/sign-in' })
  const { history } = useRouter()
  const client = useQueryClient()
  const [form, setForm] = useState({ email: '', password: '', code: '' })
  const [needsCode, setNeedsCode] = useState(false)
  const signIn = useMutation({
    mutationFn: () =>
      request<Me>('POST', '/session', {
        body: { email: form.email, password: form.password, ...(needsCode ? { code: form.code } : {}) },
      }),
    onSuccess(me) {
      beginSession(client, me)
      history.replace(`/cabinet${to ?? homePath(me)}`)
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
    <EntrancePage title={t('Sign in')}>
      <FailureBanner error={isAskedForCode ? null : signIn.error} />
      <Form className="stack" onSubmit={submit}>
        <EmailField autoFocus value={form.email} onChange={email => setForm({ ...form, email })} />
        <TextField
          label={t('Password')}
          type="password"
          name="password"
          autoComplete="current-password"
          isRequired
          value={form.password}
          onChange={password => setForm({ ...form, password })}
        />
        {needsCode ? <CodeField autoFocus value={form.code} onChange={code => setForm({ ...form, code })} /> : null}
        <Button type="submit" look="primary" isWide isPending={signIn.isPending}>
          {t('Sign in')}
        </Button>
      </Form>
      <p className="hint">
        <Said
          text="Forgot the password? <0>Ask for a link</0>. Invited? Open the link of your invitation."
          elements={[<Link key="0" href="/forgotten" />]}
        />
      </p>
    </EntrancePage>
  )
}
