import { useId } from 'react'
import { Checkbox, type Choice, Select, TextField } from '../components/index.ts'
import { isList, type Json } from '../records/record.ts'
import type { Text } from '../words/index.ts'
import { useWorkspace } from '../workspace/workspace.ts'

/** A field of a form of settings. Its limits are those of the document, which a test compares. */
export interface SettingField {
  /** The member of the body. */
  readonly name: string
  readonly label: Text
  readonly hint?: Text
  /** `lines` are texts, one in each line. */
  readonly widget: 'text' | 'number' | 'lines' | 'choice' | 'choices' | 'flag'
  readonly choices?: readonly { readonly id: string; readonly name: Text }[]
  readonly isRequired?: boolean
  /** What is typed is kept nowhere. */
  readonly isSecret?: true
  readonly max?: number
  /** Whether it is only for a new setting, or only for one that is there; for both if it is absent. */
  readonly only?: 'new' | 'change'
}

interface SettingInputProps {
  readonly field: SettingField
  readonly value: Json | undefined
  readonly error: string | undefined
  readonly onChange: (value: Json) => void
  /** The choices that the organization has, in the place of those that are declared. */
  readonly choices?: readonly Choice[] | undefined
}

/** The input of a field of settings. */
export function SettingInput({ field, value, error, onChange, choices }: SettingInputProps) {
  const { t } = useWorkspace().showing.words
  const { name, label, hint, widget, isRequired = false, max } = field
  const offered = choices ?? field.choices?.map(choice => ({ id: choice.id, name: t(choice.name) })) ?? []
  const common = { label: t(label), error, ...(hint !== undefined && { hint: t(hint) }) }
  if (widget === 'choice')
    return (
      <Select
        {...common}
        name={name}
        choices={offered}
        value={typeof value === 'string' ? value : null}
        isRequired={isRequired}
        onChange={chosen => onChange(chosen === null ? null : String(chosen))}
      />
    )
  if (widget === 'choices') return <ChoicesInput {...common} choices={offered} value={value} onChange={onChange} />
  if (widget === 'flag')
    return (
      <Checkbox isSelected={value === true} onChange={onChange}>
        <span>
          {common.label}
          {common.hint === undefined ? null : <span className="sub wrap">{common.hint}</span>}
        </span>
      </Checkbox>
    )
  return (
    <TextField
      {...common}
      name={name}
      isRequired={isRequired}
      {...(max !== undefined && { maxLength: max })}
      {...(widget === 'lines' && { rows: 4 })}
      {...(widget === 'number' && { inputMode: 'numeric' })}
      value={isList(value) ? value.join('\n') : String(value ?? '')}
      onChange={text => onChange(readText(text, widget))}
    />
  )
}

function readText(text: string, widget: SettingField['widget']): Json {
  if (widget === 'lines') return text.split('\n')
  return widget === 'number' && /^\d{1,15}$/u.test(text) ? Number(text) : text
}

interface ChoicesInputProps extends Pick<SettingInputProps, 'value' | 'error' | 'onChange'> {
  readonly label: string
  readonly hint?: string
  readonly choices: readonly Choice[]
}

/** Boxes to tick under one label. */
function ChoicesInput({ label, hint, error, choices, value, onChange }: ChoicesInputProps) {
  const id = useId()
  const chosen = isList(value) ? value.map(String) : []
  const change = (choice: string, isChosen: boolean) =>
    onChange(isChosen ? [...chosen, choice] : chosen.filter(each => each !== choice))
  return (
    <div role="group" aria-labelledby={id} className="field">
      <span id={id} className="label">
        {label}
      </span>
      <div className="radios">
        {choices.map(choice => (
          <Checkbox
            key={choice.id}
            isSelected={chosen.includes(choice.id)}
            onChange={isChosen => change(choice.id, isChosen)}
          >
            {choice.name}
          </Checkbox>
        ))}
      </div>
      {hint === undefined || error !== undefined ? null : <p className="hint">{hint}</p>}
      {error === undefined ? null : (
        <p className="error-text" role="alert">
          {error}
        </p>
      )}
    </div>
  )
}
