import { type SyntheticEvent, useId, useMemo, useState } from 'react'
import { type Failure, sentenceOf } from '../api/index.ts'
import { Banner, Button, Sheet } from '../components/index.ts'
import { fieldOfPointer, fitsField, type Values } from '../records/changes.rules.ts'
import type { FieldDefinition } from '../records/field.ts'
import type { Kind } from '../records/kinds.ts'
import { newOfKind } from '../records/labels.ts'
import type { Json } from '../records/record.ts'
import type { Text } from '../words/index.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { allFields } from './custom-fields.ts'
import { FieldInput } from './field-input.tsx'

interface FormProps {
  readonly kind: Kind
  /** What the record is called; null for a new one. */
  readonly name: string | null
  readonly values: Values
  readonly failure: Failure | null
  readonly isSaving: boolean
  /** Whether the server cannot be reached, and the form waits for it. */
  readonly isWaiting: boolean
  /** Whether the values were typed before a reload. */
  readonly isDraft: boolean
  readonly onChange: (path: string, value: Json) => void
  readonly onSave: () => void
  /** Gives up what was typed. */
  readonly onCancel: () => void
  /** Closes the form and keeps what was typed. */
  readonly onLeave: () => void
}

/** The form of a record. What is typed stays until it is saved or given up. */
export function RecordForm({
  kind,
  name,
  values,
  failure,
  isSaving,
  isWaiting,
  isDraft,
  onChange,
  onSave,
  onCancel,
  onLeave,
}: FormProps) {
  const { showing } = useWorkspace()
  const { t } = showing.words
  const formId = useId()
  const fields = useFormFields(kind, name === null ? 'create' : 'edit')
  const [tried, setTried] = useState(false)
  const issues = issuesByField(failure, fields)
  const save = (event: SyntheticEvent) => {
    event.preventDefault()
    setTried(true)
    if (fields.every(field => faultOf(field, values) === undefined)) onSave()
  }
  return (
    <Sheet
      isOpen
      isKept
      onClose={onLeave}
      title={name === null ? t(newOfKind[kind]) : t('Edit {name}', { name })}
      foot={
        <>
          <Button type="submit" form={formId} look="primary" isPending={isSaving}>
            {t('Save')}
          </Button>
          <Button onPress={onCancel}>{t('Cancel')}</Button>
        </>
      }
    >
      <form id={formId} onSubmit={save} noValidate className="form">
        <Notices failure={failure} count={issues.size} isWaiting={isWaiting} isDraft={isDraft} />
        {fields.map((field, index) => {
          const fault = tried ? faultOf(field, values) : undefined
          return (
            <FieldInput
              key={field.path}
              field={field}
              value={values.get(field.path) ?? null}
              onChange={value => onChange(field.path, value)}
              error={fault === undefined ? issues.get(field.path) : t(fault)}
              isFirst={index === 0}
            />
          )
        })}
      </form>
    </Sheet>
  )
}

interface NoticesProps {
  readonly failure: Failure | null
  readonly count: number
  readonly isWaiting: boolean
  readonly isDraft: boolean
}

function Notices({ failure, count, isWaiting, isDraft }: NoticesProps) {
  const { showing } = useWorkspace()
  const { t } = showing.words
  if (isWaiting)
    return (
      <Banner meaning="warning" isAlert>
        {t('The server does not answer. This is saved as soon as it does.')}
      </Banner>
    )
  if (failure !== null && count > 0) {
    const text = t(
      'Not saved: {count, plural, one {one field needs} other {# fields need}} a look. What you typed is still here.',
      { count },
    )
    return (
      <Banner meaning="danger" isAlert>
        {text}
      </Banner>
    )
  }
  if (failure !== null) {
    const text = t('Not saved: {message} What you typed is still here.', {
      message: sentenceOf(failure, showing.words),
    })
    return (
      <Banner meaning="danger" isAlert>
        {text} {failure.requestId === null ? null : <span className="mono">{failure.requestId}</span>}
      </Banner>
    )
  }
  return isDraft ? <Banner>{t('This is what you typed before. It is not saved yet.')}</Banner> : null
}

/** The fields of a form that the person's role may change. */
function useFormFields(kind: Kind, form: 'create' | 'edit'): readonly FieldDefinition[] {
  const { directories, may } = useWorkspace()
  return useMemo(
    () =>
      allFields(kind, directories).filter(
        field =>
          (field.form === 'both' || field.form === form) &&
          (field.scope === undefined || may(field.scope)) &&
          (field.writeScope === undefined || may(field.writeScope)),
      ),
    [kind, form, directories, may],
  )
}

function issuesByField(failure: Failure | null, fields: readonly FieldDefinition[]): ReadonlyMap<string, string> {
  const byField = new Map<string, string>()
  for (const { path, message } of failure?.issues ?? []) {
    const field = fieldOfPointer(path, fields)
    if (field !== undefined && !byField.has(field)) byField.set(field, message)
  }
  return byField
}

/** Why the value of a field cannot be sent. */
function faultOf(field: FieldDefinition, values: Values): Text | undefined {
  const value = values.get(field.path) ?? null
  if (field.required === true && (value === null || value === '')) return 'This is needed.'
  return fitsField(value, field) ? undefined : 'This is no number.'
}
