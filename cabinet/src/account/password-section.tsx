import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type SyntheticEvent, useState } from 'react'
import { Form } from 'react-aria-components'
import { issueAt, keepMe, type Me, request } from '../api/index.ts'
import { Button, FailureBanner, showToast, TextField } from '../components/index.ts'
import { CodeField } from '../entrance/code-field.tsx'
import { useMe } from '../shell/use-me.ts'
import { useWords } from '../words/index.ts'
import { Section } from './section.tsx'

const empty = { currentPassword: '', newPassword: '', code: '' }

/** A new password. It ends all other sessions. */
export function PasswordSection() {
  const { t } = useWords()
  const { user } = useMe()
  const client = useQueryClient()
  const [form, setForm] = useState(empty)
  const { currentPassword, newPassword, code } = form
  const change = useMutation({
    mutationFn: () =>
      request<Me>('POST', '/account/password', {
        body: { currentPassword, newPassword, ...(user.hasSecondFactor ? { code } : {}) },
      }),
    onSuccess(me) {
      setForm(empty)
      keepMe(client, me)
      void client.invalidateQueries({ queryKey: ['sessions'] })
      showToast({ text: t('The password is changed, other sessions are ended') })
    },
  })
  const issue = issueAt(change.error, '/newPassword')
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    if (!change.isPending) change.mutate()
  }
  return (
    <Section title={t('Password')}>
      <Form className="form" onSubmit={submit}>
        <FailureBanner error={issue !== undefined ? null : change.error} />
        <input
          className="visually-hidden"
          name="email"
          autoComplete="username"
          value={user.email}
          readOnly
          tabIndex={-1}
          aria-hidden="true"
        />
        <TextField
          label={t('Current password')}
          type="password"
          name="current-password"
          autoComplete="current-password"
          isRequired
          value={currentPassword}
          onChange={value => setForm({ ...form, currentPassword: value })}
        />
        <TextField
          label={t('New password')}
          hint={t('At least 12 characters')}
          type="password"
          name="new-password"
          autoComplete="new-password"
          isRequired
          minLength={12}
          maxLength={256}
          value={newPassword}
          error={issue}
          onChange={value => setForm({ ...form, newPassword: value })}
        />
        {user.hasSecondFactor ? <CodeField value={code} onChange={value => setForm({ ...form, code: value })} /> : null}
        <div>
          <Button type="submit" isPending={change.isPending}>
            {t('Change the password')}
          </Button>
        </div>
      </Form>
    </Section>
  )
}
