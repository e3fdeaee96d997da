import { useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Failure, request, sentenceOf } from '../api/index.ts'
import { Button, Checkbox, showToast, TextField } from '../components/index.ts'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { useTextDraft } from '../parts/use-text-draft.ts'
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
  const [name, type, draft] = useTextDraft(`views/${kind}/${saved?.id ?? 'new'}`, saved?.name)
  const [isShared, setShared] = useState(saved?.shared ?? false)
  // Another name or version is another submission.
  const key = useMemo(() => crypto.randomUUID(), [name, isShared, saved?.version])
  const [error, setError] = useState<unknown>()
  const [isSaving, setSaving] = useState(false)
  const [isAsking, setAsking] = useState(false)
  const path = `/o/${organization.id}/views`

  const close = () => {
    draft.forget()
    onClose()
  }
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
    close()
  }
  const leave = () => {
    if (name !== (saved?.name ?? '')) showToast({ text: t('Kept as a draft, not saved.') })
    onClose()
  }
  const save = async () => {
    setSaving(true)
    const members = { name: name.trim(), shared: isShared }
    await submit(
      () =>
        saved === null
          ? request('POST', path, { body: { kind, ...members, definition: storedView(shows) }, key })
          : request('PATCH', `${path}/${saved.id}`, { body: { expectedVersion: saved.version, ...members }, key }),
      t('View saved: {name}', { name: name.trim() }),
    )
    setSaving(false)
  }
  const remove = ({ id, version, name: deleted }: SavedView) =>
    submit(
      () => request('DELETE', `${path}/${id}`, { query: { expectedVersion: version }, key: crypto.randomUUID() }),
      t('View deleted: {name}', { name: deleted }),
    )
  const isConflict = error instanceof Failure && error.code === 'version_conflict'
  if (isAsking && saved !== null) {
    return (
      <ConfirmDialog name={saved.name} onDelete={() => remove(saved)} onClose={() => setAsking(false)}>
        {saved.shared ? <p>{t('Everybody in the organization loses it.')}</p> : null}
      </ConfirmDialog>
    )
  }
  return (
    <FormDialog
      title={saved === null ? t('Save view') : t('Change view')}
      isDraft={draft.isThere}
      isSaving={isSaving}
      canSave={name.trim() !== ''}
      onSave={() => void save()}
      onLeave={leave}
      onCancel={close}
      foot={
        saved === null ? null : (
          <span className="push">
            <Button look="danger-quiet" isDisabled={isSaving} onPress={() => setAsking(true)}>
              {t('Delete')}
            </Button>
          </span>
        )
      }
    >
      <TextField
        label={t('Name')}
        value={name}
        onChange={type}
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
    </FormDialog>
  )
}
