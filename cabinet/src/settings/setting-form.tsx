import { type ReactNode, type SyntheticEvent, useId, useState } from 'react'
import { Form } from 'react-aria-components'
import { Failure } from '../api/index.ts'
import { Banner, Button, type Choice, FailureBanner, Sheet } from '../components/index.ts'
import { useTextDraft } from '../parts/use-text-draft.ts'
import type { Json, JsonObject } from '../records/record.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { type SettingField, SettingInput } from './setting-field.tsx'
import { bodyForDraft, settingDraftIn, versionIn } from './setting-values.ts'
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
 * loses it. Secret values stay only as long as the form is open.
 */
export function SettingForm<Answer>(props: SettingFormProps<Answer>) {
  const { title, fields, draft, toChange, onDone, onClose, children, choices = {} } = props
  const { t } = useWorkspace().showing.words
  const id = useId()
  const [kept, keep] = useTextDraft(`settings/${draft}`)
  const [wasTyped] = useState(kept !== '')
  const [secrets, setSecrets] = useState<JsonObject>({})
  const typed = settingDraftIn(kept)
  const values = { ...props.values, ...typed.values, ...secrets }
  const change = useSettingChange<Answer>(answer => {
    keep('')
    onDone(answer)
  })
  const set = (name: string, value: Json) => {
    if (fields.some(field => field.name === name && field.isSecret === true))
      return setSecrets({ ...secrets, [name]: value })
    const version = typed.version ?? versionIn(toChange(values).body)
    keep(JSON.stringify({ version, values: { ...typed.values, [name]: value } }))
  }
  const errorOf = (name: string) =>
    change.error instanceof Failure
      ? change.error.issues.find(({ path }) => path === `/${name}` || path.startsWith(`/${name}/`))?.message
      : undefined
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    const asked = toChange(values)
    change.make({ ...asked, body: bodyForDraft(asked.body, typed, change.error) })
  }
  const giveUp = () => {
    keep('')
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
