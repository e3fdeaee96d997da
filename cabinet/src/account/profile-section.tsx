import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type SyntheticEvent, useState } from 'react'
import { Form } from 'react-aria-components'
import { issueAt, keepMe, type Me, request } from '../api/index.ts'
import { Button, FailureBanner, showToast, TextField } from '../components/index.ts'
import { useMe } from '../shell/use-me.ts'
import { useWords } from '../words/index.ts'
import { Section } from './section.tsx'

/** The name that others see. The e-mail is changed by the operator. */
export function ProfileSection() {
  const { t } = useWords()
  const { user } = useMe()
  const client = useQueryClient()
  const [name, setName] = useState(user.name)
  const save = useMutation({
    mutationFn: () => request<Me>('PATCH', '/account', { body: { name } }),
    onSuccess(me) {
      keepMe(client, me)
      showToast({ text: t('Saved') })
    },
  })
  const issue = issueAt(save.error, '/name')
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    if (!save.isPending) save.mutate()
  }
  return (
    <Section title={t('Profile')}>
      <Form className="form" onSubmit={submit}>
        <FailureBanner error={issue !== undefined ? null : save.error} />
        <TextField
          label={t('Name')}
          name="name"
          autoComplete="name"
          isRequired
          maxLength={200}
          value={name}
          error={issue}
          onChange={setName}
        />
        <TextField
          label={t('E-mail')}
          value={user.email}
          isReadOnly
          hint={t('The operator of the server changes it.')}
        />
        <div>
          <Button type="submit" isPending={save.isPending} isDisabled={name === user.name}>
            {t('Save')}
          </Button>
        </div>
      </Form>
    </Section>
  )
}
