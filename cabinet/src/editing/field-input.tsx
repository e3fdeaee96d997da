import { type ReactElement, useState } from 'react'
import { Checkbox, type Choice, ComboBox, Select, TextField } from '../components/index.ts'
import { parseMoney, parseNumber, typedMoney } from '../format/formats.ts'
import type { FieldDefinition, Widget } from '../records/field.ts'
import { labelOf, wordOf } from '../records/labels.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import type { InputProps } from './input-props.ts'
import { AddressesInput, ReachInput, WebsitesInput } from './lists-input.tsx'
import { ReferenceInput, ReferencesInput } from './reference-input.tsx'

function TextInput({ field, value, onChange, error, isFirst, isReadOnly = false }: InputProps) {
  const { showing, directories } = useWorkspace()
  const { widget, path, max, required } = field
  const text = value === null ? '' : String(value)
  const isDate = widget === 'date' || (widget === 'due' && text.length <= 10)
  const isMoment = widget === 'moment' || (widget === 'due' && !isDate)
  const change = (typed: string) => onChange(typed === '' ? null : isMoment ? instantOf(typed) : typed)
  return (
    <TextField
      label={labelOf(path, showing.words.t, directories)}
      value={isMoment ? localTimeOf(text) : text}
      onChange={change}
      error={error}
      isReadOnly={isReadOnly}
      {...(isDate ? { type: 'date' } : isMoment ? { type: 'datetime-local' } : {})}
      {...(widget === 'long-text' ? { rows: 4 } : {})}
      {...(max !== undefined ? { maxLength: max } : {})}
      {...(required ? { isRequired: true } : {})}
      {...(isFirst ? { autoFocus: true } : {})}
    />
  )
}

function instantOf(typed: string): string {
  const at = new Date(typed)
  return Number.isNaN(at.getTime()) ? typed : at.toISOString()
}

/** A time as the input of the browser has it: that of the clock on the wall. */
function localTimeOf(moment: string): string {
  const at = new Date(moment)
  if (moment === '' || Number.isNaN(at.getTime())) return ''
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

function AmountInput({ field, value, onChange, error, isReadOnly = false }: InputProps) {
  const { showing } = useWorkspace()
  const { t, language } = showing.words
  const [typed, setTyped] = useState(() => (typeof value === 'string' ? typedMoney(value, language) : ''))
  const change = (text: string) => {
    setTyped(text)
    onChange(text.trim() === '' ? null : parseMoney(text, language))
  }
  return (
    <TextField
      label={labelOf(field.path, t)}
      value={typed}
      onChange={change}
      error={error}
      inputMode="decimal"
      isReadOnly={isReadOnly}
      {...(field.required ? { isRequired: true } : {})}
    />
  )
}

/** What is typed stays as it is typed: `1,` on the way to `1,5` is no number yet. */
function NumberInput({ field, value, onChange, error, isFirst }: InputProps) {
  const { showing, directories } = useWorkspace()
  const { t, language } = showing.words
  const [typed, setTyped] = useState(() =>
    value === null ? '' : typeof value === 'number' ? typedMoney(String(value), language) : String(value),
  )
  const change = (text: string) => {
    setTyped(text)
    onChange(parseNumber(text, language))
  }
  return (
    <TextField
      label={labelOf(field.path, t, directories)}
      value={typed}
      onChange={change}
      error={error}
      inputMode="decimal"
      {...(field.required ? { isRequired: true } : {})}
      {...(isFirst ? { autoFocus: true } : {})}
    />
  )
}

function ChoiceInput({ field, value, onChange, error, isFirst }: InputProps) {
  const { showing, directories } = useWorkspace()
  const { t } = showing.words
  const choices = useChoices(field)
  const label = labelOf(field.path, t, directories)
  const selected = value === null ? null : String(value)
  const change = (key: string | number | null) => {
    const chosen = key === null || key === '' ? null : String(key)
    onChange(field.widget === 'truth' && chosen !== null ? chosen === 'true' : chosen)
  }
  if (field.widget === 'operator' && choices.length > 12) {
    return <ComboBox label={label} defaultItems={choices} value={selected} onChange={change} error={error} />
  }
  const empty: Choice = { id: '', name: '–' }
  return (
    <Select
      label={label}
      choices={field.required ? choices : [empty, ...choices]}
      value={selected ?? (field.required ? null : '')}
      onChange={change}
      error={error}
      {...(isFirst ? { autoFocus: true } : {})}
    />
  )
}

function useChoices(field: FieldDefinition): readonly Choice[] {
  const { showing, directories, organization } = useWorkspace()
  const { t } = showing.words
  const { widget } = field
  const { pipelines, operators = [] } = directories
  if (widget === 'currency') return organization.currencies.map(code => ({ id: code, name: code }))
  if (widget === 'option') return (field.options ?? []).map(({ key, label }) => ({ id: key, name: label }))
  if (widget === 'operator') {
    return operators.filter(({ isActive }) => isActive).map(({ uuid, name }) => ({ id: uuid, name }))
  }
  if (widget === 'stage') {
    const isOne = pipelines.length === 1
    return pipelines.flatMap(({ name: note, stages }) =>
      stages.map(({ uuid, name }) => ({ id: uuid, name, ...(!isOne && { note }) })),
    )
  }
  if (widget !== 'truth') return (field.choices ?? []).map(choice => ({ id: choice, name: wordOf(choice, t) }))
  return [
    { id: 'true', name: t('Yes') },
    { id: 'false', name: t('No') },
  ]
}

function OptionsInput({ field, value, onChange, error }: InputProps) {
  const { directories, showing } = useWorkspace()
  const chosen = Array.isArray(value) ? value : []
  const change = (key: string, isChosen: boolean) => {
    const others = chosen.filter(one => one !== key)
    onChange(isChosen ? [...others, key] : others)
  }
  return (
    <fieldset className="field fieldset">
      <legend className="label">{labelOf(field.path, showing.words.t, directories)}</legend>
      {(field.options ?? []).map(({ key, label }) => (
        <Checkbox key={key} isSelected={chosen.includes(key)} onChange={isChosen => change(key, isChosen)}>
          {label}
        </Checkbox>
      ))}
      {error === undefined ? null : <p className="error-text">{error}</p>}
    </fieldset>
  )
}

type Input = (props: InputProps) => ReactElement

/** The inputs that are no plain fields for text. */
const inputs: Readonly<Partial<Record<Widget, Input>>> = {
  emails: ReachInput,
  phones: ReachInput,
  messengers: ReachInput,
  addresses: AddressesInput,
  websites: WebsitesInput,
  reference: ReferenceInput,
  references: ReferencesInput,
  amount: AmountInput,
  integer: NumberInput,
  number: NumberInput,
  options: OptionsInput,
  choice: ChoiceInput,
  option: ChoiceInput,
  truth: ChoiceInput,
  currency: ChoiceInput,
  stage: ChoiceInput,
  operator: ChoiceInput,
}

/** The input for one field of a record. A value that cannot be read is the text that was typed, so that nothing is lost. */
export function FieldInput(props: InputProps) {
  const Input = inputs[props.field.widget] ?? TextInput
  return <Input {...props} />
}
