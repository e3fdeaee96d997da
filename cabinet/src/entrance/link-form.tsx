import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { type SyntheticEvent, useEffect, useRef, useState } from 'react'
import { Form } from 'react-aria-components'
import { issueAt, type Me, request } from '../api/index.ts'
import { Button, FailureBanner, TextField } from '../components/index.ts'
import { homePath } from '../shell/organizations.ts'
import { type Text, useWords } from '../words/index.ts'
import { beginSession } from './begin-session.ts'
import { CodeField } from './code-field.tsx'
import { EmailField } from './email-field.tsx'
import { EntrancePage } from './entrance-page.tsx'
import type { LookedAtLink, Need } from './looked-at-link.ts'
import { roleNames } from './role-names.ts'

interface LinkFormProps {
  readonly link: string
  readonly found: LookedAtLink
}

const titles: Readonly<Record<LookedAtLink['kind'], Text>> = {
  sign_in: 'Sign in',
  first: 'Set up the first account',
  invitation: 'Join {organization}',
  reset: 'Set a new password',
}

/** What a link asks for. One that asks for nothing is used at once. */
export function LinkForm({ link, found }: LinkFormProps) {
  const { t } = useWords()
  const { history } = useRouter()
  const client = useQueryClient()
  const [form, setForm] = useState({
    name: found.name ?? '',
    email: found.email ?? '',
    password: '',
    code: '',
    organizationName: '',
  })
  const has = (need: Need) => found.needs.includes(need)
  const use = useMutation({
    mutationFn: () =>
      request<Me>('POST', '/links/use', {
        body: {
          link,
          ...(has('name') ? { name: form.name } : {}),
          ...(has('email') ? { email: form.email } : {}),
          ...(has('password') ? { password: form.password } : {}),
          ...(has('code') ? { code: form.code } : {}),
          ...(has('organization_name') ? { organizationName: form.organizationName } : {}),
        },
      }),
    onSuccess(me) {
      beginSession(client, me)
      history.replace(`/cabinet${found.organization === null ? homePath(me) : `/o/${found.organization.id}/contacts`}`)
    },
  })
  const begun = useRef(false)
  const asksNothing = found.needs.length === 0
  useEffect(() => {
    if (!asksNothing || begun.current) return
    begun.current = true
    use.mutate()
  }, [asksNothing, use])
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    if (!use.isPending) use.mutate()
  }
  const organization = found.organization?.name ?? ''
  const set = (part: Partial<typeof form>) => setForm({ ...form, ...part })
  return (
    <EntrancePage title={t(titles[found.kind], { organization })}>
      {found.role === null ? null : (
        <p className="second">{t('You are invited as {role}.', { role: t(roleNames[found.role]) })}</p>
      )}
      <FailureBanner error={use.error} />
      <Form className="stack" onSubmit={submit}>
        {has('organization_name') ? (
          <TextField
            label={t('Organization')}
            name="organization"
            autoComplete="organization"
            isRequired
            autoFocus
            value={form.organizationName}
            error={issueAt(use.error, '/organizationName')}
            onChange={organizationName => set({ organizationName })}
          />
        ) : null}
        {has('name') ? (
          <TextField
            label={t('Name')}
            name="name"
            autoComplete="name"
            isRequired
            value={form.name}
            error={issueAt(use.error, '/name')}
            onChange={name => set({ name })}
          />
        ) : null}
        {has('email') || found.email !== null ? (
          <EmailField
            isReadOnly={!has('email') && found.email !== null}
            value={form.email}
            error={issueAt(use.error, '/email')}
            onChange={email => set({ email })}
          />
        ) : null}
        {has('password') ? (
          <TextField
            label={t('New password')}
            hint={t('At least 12 characters')}
            type="password"
            name="password"
            autoComplete="new-password"
            isRequired
            minLength={12}
            maxLength={256}
            value={form.password}
            error={issueAt(use.error, '/password')}
            onChange={password => set({ password })}
          />
        ) : null}
        {has('code') ? <CodeField value={form.code} onChange={code => set({ code })} /> : null}
        <Button type="submit" look="primary" isWide autoFocus={asksNothing} isPending={use.isPending}>
          {found.kind === 'reset' ? t('Save') : found.kind === 'invitation' ? t('Join') : t('Go on')}
        </Button>
      </Form>
    </EntrancePage>
  )
}
