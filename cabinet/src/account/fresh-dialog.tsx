import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type SyntheticEvent, useId, useState } from 'react'
import { Form } from 'react-aria-components'
import { meQuery, request } from '../api/index.ts'
import { Button, Dialog, FailureBanner, TextField } from '../components/index.ts'
import { CodeField } from '../entrance/code-field.tsx'
import { useMe } from '../shell/use-me.ts'
import { useWords } from '../words/index.ts'

interface FreshDialogProps {
  readonly onClose: () => void
  /** Called when the sign-in is fresh, for ten minutes. */
  readonly onFresh: () => void
}

/** Asks for the password once more, before something that a session left open should not be able to do. */
export function FreshDialog({ onClose, onFresh }: FreshDialogProps) {
  const { t } = useWords()
  const { user } = useMe()
  const client = useQueryClient()
  const id = useId()
  const [form, setForm] = useState({ password: '', code: '' })
  const refresh = useMutation({
    mutationFn: () =>
      request('POST', '/session/fresh', {
        body: { password: form.password, ...(user.hasSecondFactor ? { code: form.code } : {}) },
      }),
    onSuccess() {
      void client.invalidateQueries({ queryKey: meQuery.queryKey })
      onFresh()
    },
  })
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    if (!refresh.isPending) refresh.mutate()
  }
  const foot = (
    <>
      <Button type="submit" form={id} look="primary" isDisabled={refresh.isPending}>
        {t('Go on')}
      </Button>
      <Button onPress={onClose}>{t('Cancel')}</Button>
    </>
  )
  return (
    <Dialog isOpen isKept onClose={onClose} title={t('Enter your password once more.')} foot={foot}>
      <Form id={id} className="form" onSubmit={submit}>
        <FailureBanner error={refresh.error} />
        <TextField
          label={t('Password')}
          type="password"
          name="password"
          autoComplete="current-password"
          isRequired
          autoFocus
          value={form.password}
          onChange={password => setForm({ ...form, password })}
        />
        {user.hasSecondFactor ? <CodeField value={form.code} onChange={code => setForm({ ...form, code })} /> : null}
      </Form>
    </Dialog>
  )
}
