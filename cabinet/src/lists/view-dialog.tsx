import { useQueryClient } from '@tanstack/react-query'
import { type SyntheticEvent, useId, useMemo, useState } from 'react'
import { Failure, request, sentenceOf } from '../api/index.ts'
import { Button, Checkbox, Dialog, showToast, TextField } from '../components/index.ts'
import type { Kind } from '../records/kinds.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { storedView, type ViewDefinition } from './views.rules.ts'
import { type SavedView, viewsQuery } from './views.ts'

interface ViewDialogProps {
  readonly kind: Kind
  /** The saved view to change; null: a new one is saved. */
  readonly saved: SavedView | null
  /** What a new one keeps. */
  readonly shows: ViewDefinition
  readonly onClose: () => void
}

/** The dialog that keeps what a list shows under a name, or renames, shares or deletes what was kept. */
export function ViewDialog({ kind, saved, shows, onClose }: ViewDialogProps) {
  const { organization, showing } = useWorkspace()
  const { t } = showing.words
  const client = useQueryClient()
  const id = useId()
  const [name, setName] = useState(saved?.name ?? '')
  const [isShared, setShared] = useState(saved?.shared ?? false)
  // Another name or version is another submission.
  const key = useMemo(() => crypto.randomUUID(), [name, isShared, saved?.version])
  const [error, setError] = useState<unknown>()
  const path = `/o/${organization.id}/views`

  /** Reads the views anew, also after a refusal: another user may have changed or deleted this one. */
  const submit = async (send: () => Promise<unknown>, done: string) => {
    const failure: unknown = await send().then(
      () => undefined,
      (reason: unknown) => reason,
    )
    await client.invalidateQueries({ queryKey: viewsQuery(organization.id).queryKey })
    const isGone = failure instanceof Failure && failure.status === 404
    if (failure !== undefined && !isGone) return setError(failure)
    showToast({ text: isGone ? t('This view is gone') : done })
    onClose()
  }
  const save = (event: SyntheticEvent) => {
    event.preventDefault()
    const members = { name: name.trim(), shared: isShared }
    void submit(
      () =>
        saved === null
          ? request('POST', path, { body: { kind, ...members, definition: storedView(shows) }, key })
          : request('PATCH', `${path}/${saved.id}`, { body: { expectedVersion: saved.version, ...members }, key }),
      t('View saved: {name}', { name: name.trim() }),
    )
  }
  const remove = ({ id: view, version }: SavedView) =>
    submit(
      () => request('DELETE', `${path}/${view}`, { query: { expectedVersion: version }, key: crypto.randomUUID() }),
      t('View deleted: {name}', { name }),
    )
  const isConflict = error instanceof Failure && error.code === 'version_conflict'
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={saved === null ? t('Save view') : t('Change view')}
      foot={
        <>
          <Button type="submit" form={id} look="primary" isDisabled={name.trim() === ''}>
            {t('Save')}
          </Button>
          <Button onPress={onClose}>{t('Cancel')}</Button>
          {saved === null ? null : (
            <span className="push">
              <Button look="danger-quiet" onPress={() => void remove(saved)}>
                {t('Delete')}
              </Button>
            </span>
          )}
        </>
      }
    >
      <form id={id} onSubmit={save} noValidate className="form">
        <TextField
          label={t('Name')}
          value={name}
          onChange={setName}
          error={
            error === undefined
              ? undefined
              : isConflict && saved !== null
                ? t('Another user has changed this view; its name is now {name}. Save again to keep yours.', {
                    name: saved.name,
                  })
                : sentenceOf(error, showing.words)
          }
          maxLength={100}
          autoFocus
        />
        <Checkbox isSelected={isShared} onChange={setShared}>
          {t('Everybody in the organization sees it')}
        </Checkbox>
      </form>
    </Dialog>
  )
}
