import { type ReactNode, type SyntheticEvent, useId, useState } from 'react'
import { Form } from 'react-aria-components'
import { Failure } from '../api/index.ts'
import { Banner, Button, type Choice, CopyId, FailureBanner, Sheet } from '../components/index.ts'
import { useTextDraft } from '../parts/use-text-draft.ts'
import { isObject, type Json, type JsonObject } from '../records/record.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { type SettingField, SettingInput } from './setting-field.tsx'
import { type SettingChange, useSettingChange } from './use-setting-change.tsx'

/** What the further inputs of a form work with. */
interface SettingFormState {
  readonly values: JsonObject
  readonly set: (name: string, value: Json) => void
  readonly errorOf: (name: string) => string | undefined
}

interface SettingFormProps<Answer> {
  readonly title: string
  readonly fields: readonly SettingField[]
  /** The values that it begins with. */
  readonly values: JsonObject
  /** The choices of fields whose choices the organization has. */
  readonly choices?: Readonly<Record<string, readonly Choice[]>>
  /** What its draft is kept under. */
  readonly draft: string
  /** The change that the values ask for. */
  readonly toChange: (values: JsonObject) => SettingChange
  /** What its button says; otherwise Save. */
  readonly action?: string
  readonly onDone: (answer: Answer) => void
  readonly onClose: () => void
  /** Further inputs, behind the fields. */
  readonly children?: (form: SettingFormState) => ReactNode
}

/**
 * The form of a setting. What is typed stays in the tab until it is saved or given up with Cancel, so that neither a reload nor a refusal
 * loses it.
 */
export function SettingForm<Answer>(props: SettingFormProps<Answer>) {
  const { title, fields, draft, toChange, onDone, onClose, children, choices = {} } = props
  const { t } = useWorkspace().showing.words
  const id = useId()
  const [typed, type] = useTextDraft(`settings/${draft}`)
  const [wasTyped] = useState(typed !== '')
  const values = { ...props.values, ...objectIn(typed) }
  const change = useSettingChange<Answer>(answer => {
    type('')
    onDone(answer)
  })
  const set = (name: string, value: Json) => type(JSON.stringify({ ...objectIn(typed), [name]: value }))
  const errorOf = (name: string) =>
    change.error instanceof Failure
      ? change.error.issues.find(({ path }) => path === `/${name}` || path.startsWith(`/${name}/`))?.message
      : undefined
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    change.make(toChange(values))
  }
  const giveUp = () => {
    type('')
    onClose()
  }
  const foot = (
    <>
      <Button type="submit" form={id} look="primary" isDisabled={change.isPending}>
        {props.action ?? t('Save')}
      </Button>
      <Button onPress={giveUp}>{t('Cancel')}</Button>
    </>
  )
  return (
    <>
      <Sheet isOpen isKept onClose={onClose} title={title} foot={foot}>
        <Form id={id} className="form" onSubmit={submit}>
          <FailureBanner error={change.error} />
          {change.error instanceof Failure && change.error.requestId !== null ? (
            <CopyId words={t('Request')} id={change.error.requestId} />
          ) : null}
          {wasTyped ? <Banner>{t('This is what you typed before. It is not saved yet.')}</Banner> : null}
          {fields.map(field => (
            <SettingInput
              key={field.name}
              field={field}
              value={values[field.name]}
              choices={choices[field.name]}
              error={errorOf(field.name)}
              onChange={value => set(field.name, value)}
            />
          ))}
          {children?.({ values, set, errorOf })}
        </Form>
      </Sheet>
      {change.dialog}
    </>
  )
}

function objectIn(text: string): JsonObject {
  if (text === '') return {}
  const read: unknown = JSON.parse(text)
  return isObject(read) ? read : {}
}
