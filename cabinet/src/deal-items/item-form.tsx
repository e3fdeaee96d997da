import { useState } from 'react'
import { sentenceOf } from '../api/index.ts'
import { Banner } from '../components/index.ts'
import { ConflictDialog } from '../editing/conflict-dialog.tsx'
import { FieldInput } from '../editing/field-input.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { fieldOfPointer } from '../records/changes.rules.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { fieldsOfItem, missingFields } from './deal-item.ts'
import type { ItemEditing } from './use-item-form.ts'

/** The form of a line, or the conflict that its save has met. */
export function ItemForm({ editing }: { readonly editing: ItemEditing }) {
  const { showing } = useWorkspace()
  const { t } = showing.words
  const [tried, setTried] = useState(false)
  const { form } = editing
  if (form === null) return null
  const { item, mine, failure, conflict, isSaving, isDraft } = form
  if (conflict !== null) {
    return (
      <ConflictDialog
        key={conflict.theirs.version}
        theirs={conflict.theirs}
        sawVersion={item?.version ?? 0}
        fields={fieldsOfItem}
        differences={conflict.differences}
        meanwhile={[]}
        isSaving={isSaving}
        onSave={editing.resolve}
        onClose={editing.backToForm}
        onDiscard={editing.close}
      />
    )
  }
  const open = missingFields(mine)
  const issues = new Map(
    (failure?.issues ?? []).map(issue => [fieldOfPointer(issue.path, fieldsOfItem), issue.message]),
  )
  const save = () => {
    setTried(true)
    if (open.length === 0) editing.save()
  }
  const isSaidBelow = [...issues.keys()].some(path => path !== undefined)
  return (
    <FormDialog
      title={item === null ? t('New item') : t('Edit {name}', { name: item.name })}
      isDraft={isDraft && failure === null}
      isSaving={isSaving}
      onSave={save}
      onLeave={editing.leave}
      onCancel={editing.close}
      className="item-form"
    >
      {failure === null || isSaidBelow ? null : (
        <Banner meaning="danger" isAlert>
          {t('Not saved: {message} What you typed is still here.', { message: sentenceOf(failure, showing.words) })}
        </Banner>
      )}
      {fieldsOfItem.map((field, index) => (
        <FieldInput
          key={field.path}
          field={field}
          value={mine.get(field.path) ?? null}
          onChange={value => editing.type(field.path, value)}
          error={tried && open.includes(field.path) ? t('This is needed.') : issues.get(field.path)}
          isFirst={index === 0}
          isReadOnly={isSaving}
        />
      ))}
    </FormDialog>
  )
}
