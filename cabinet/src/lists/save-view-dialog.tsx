import { useQueryClient } from '@tanstack/react-query'
import { type SyntheticEvent, useId, useState } from 'react'
import { request, sentenceOf } from '../api/index.ts'
import { Button, Checkbox, Dialog, showToast, TextField } from '../components/index.ts'
import type { Kind } from '../records/kinds.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { storedView, type ViewDefinition } from './views.rules.ts'
import { type View, viewsQuery } from './views.ts'

interface SaveViewProps {
  readonly kind: Kind
  readonly view: ViewDefinition
  readonly onClose: () => void
}

/** The dialog that keeps what a list shows under a name. */
export function SaveViewDialog({ kind, view, onClose }: SaveViewProps) {
  const { organization, showing } = useWorkspace()
  const { t } = showing.words
  const client = useQueryClient()
  const id = useId()
  const [name, setName] = useState('')
  const [isShared, setShared] = useState(false)
  const [key] = useState(() => crypto.randomUUID())
  const [error, setError] = useState<string>()
  const save = async (event: SyntheticEvent) => {
    event.preventDefault()
    try {
      const body = { kind, name: name.trim(), shared: isShared, definition: storedView(view) }
      await request<View>('POST', `/o/${organization.id}/views`, { body, key })
      await client.invalidateQueries({ queryKey: viewsQuery(organization.id).queryKey })
      showToast({ text: t('View saved: {name}', { name: name.trim() }) })
      onClose()
    } catch (failure) {
      setError(sentenceOf(failure, showing.words))
    }
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('Save view')}
      foot={
        <>
          <Button type="submit" form={id} look="primary" isDisabled={name.trim() === ''}>
            {t('Save')}
          </Button>
          <Button onPress={onClose}>{t('Cancel')}</Button>
        </>
      }
    >
      <form id={id} onSubmit={event => void save(event)} className="form">
        <TextField label={t('Name')} value={name} onChange={setName} error={error} maxLength={100} autoFocus />
        <Checkbox isSelected={isShared} onChange={setShared}>
          {t('Everybody in the organization sees it')}
        </Checkbox>
      </form>
    </Dialog>
  )
}
