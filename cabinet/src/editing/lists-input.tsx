import { Plus, Trash2 } from 'lucide-react'
import { useId } from 'react'
import { Button, IconButton, Select, TextField } from '../components/index.ts'
import { labelOf, wordOf } from '../records/labels.ts'
import { isObject, type Json, type JsonObject } from '../records/record.ts'
import type { Text } from '../words/index.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import type { InputProps } from './input-props.ts'

/** How the elements of each list are labelled, and what they can be for. */
const kindsOfList: Readonly<
  Record<string, { one: Text; add: Text; member: 'label' | 'type'; labels: readonly string[]; type?: 'email' | 'tel' }>
> = {
  emails: {
    one: 'E-mail',
    add: 'Add an e-mail address',
    member: 'label',
    labels: ['work', 'personal', 'other'],
    type: 'email',
  },
  phones: {
    one: 'Phone',
    add: 'Add a phone',
    member: 'label',
    labels: ['mobile', 'work', 'home', 'fax', 'other'],
    type: 'tel',
  },
  messengers: {
    one: 'Messenger',
    add: 'Add a messenger',
    member: 'type',
    labels: ['telegram', 'whatsapp', 'viber', 'vk', 'instagram', 'facebook', 'skype', 'wechat', 'other'],
  },
}

const nothing: JsonObject = { value: '' }

/** E-mail addresses, phones or accounts of messengers, each with what it is for. */
export function ReachInput({ field, value, onChange, error }: InputProps) {
  const { t } = useWorkspace().showing.words
  const list = kindsOfList[field.widget] ?? { one: 'E-mail', add: 'Add an e-mail address', member: 'label', labels: [] }
  const elements = elementsOf(value)
  const shown = elements.length === 0 ? [nothing] : elements
  const change = (index: number, members: JsonObject) => {
    const next = shown.map((element, at) => (at === index ? { ...withoutComputed(element), ...members } : element))
    onChange(next.filter((element, at) => element.value !== '' || at !== index || next.length > 1))
  }
  const first = list.labels[0] ?? ''
  return (
    <Elements
      title={labelOf(field.path, t)}
      error={error}
      add={t(list.add)}
      onAdd={() => onChange([...shown, { value: '', [list.member]: first }])}
    >
      {shown.map((element, index) => (
        <li key={index} className="element">
          <TextField
            label={numbered(t(list.one), index)}
            value={String(element.value ?? '')}
            onChange={typed => change(index, { value: typed, [list.member]: element[list.member] ?? first })}
            {...(list.type === undefined ? {} : { type: list.type })}
          />
          <Select
            label={t('For')}
            choices={list.labels.map(label => ({ id: label, name: wordOf(label, t) }))}
            value={String(element[list.member] ?? first)}
            onChange={key => change(index, { [list.member]: String(key) })}
          />
          <IconButton label={t('Remove')} onPress={() => onChange(elements.filter((_, at) => at !== index))}>
            <Trash2 className="icon" />
          </IconButton>
        </li>
      ))}
    </Elements>
  )
}

/** Addresses of web sites. */
export function WebsitesInput({ field, value, onChange, error }: InputProps) {
  const { t } = useWorkspace().showing.words
  const texts = Array.isArray(value) ? value.map(String) : []
  const shown = texts.length === 0 ? [''] : texts
  const change = (index: number, typed: string) => {
    const next = shown.map((text, at) => (at === index ? typed : text))
    onChange(next.length === 1 && typed === '' ? [] : next)
  }
  return (
    <Elements
      title={labelOf(field.path, t)}
      error={error}
      add={t('Add a website')}
      onAdd={() => onChange([...shown, ''])}
    >
      {shown.map((text, index) => (
        <li key={index} className="element">
          <TextField
            label={numbered(t('Website'), index)}
            value={text}
            onChange={typed => change(index, typed)}
            type="url"
          />
          <IconButton label={t('Remove')} onPress={() => onChange(texts.filter((_, at) => at !== index))}>
            <Trash2 className="icon" />
          </IconButton>
        </li>
      ))}
    </Elements>
  )
}

const partsOfAddress: Readonly<Record<string, Text>> = {
  line1: 'Street',
  line2: 'Second line',
  postalCode: 'Postal code',
  city: 'City',
  region: 'Region',
  country: 'Country code',
}

/** Postal addresses, part by part. */
export function AddressesInput({ field, value, onChange, error }: InputProps) {
  const { t } = useWorkspace().showing.words
  const elements = elementsOf(value)
  const change = (index: number, part: string, typed: string) =>
    onChange(
      elements.map((element, at) => (at === index ? { ...element, [part]: typed === '' ? null : typed } : element)),
    )
  return (
    <Elements
      title={labelOf(field.path, t)}
      error={error}
      add={t('Add an address')}
      onAdd={() => onChange([...elements, {}])}
    >
      {elements.map((element, index) => (
        <li key={index} className="element element-address">
          {Object.entries(partsOfAddress).map(([part, label]) => (
            <TextField
              key={part}
              label={numbered(t(label), index)}
              value={String(element[part] ?? '')}
              onChange={typed => change(index, part, typed)}
            />
          ))}
          <IconButton label={t('Remove')} onPress={() => onChange(elements.filter((_, at) => at !== index))}>
            <Trash2 className="icon" />
          </IconButton>
        </li>
      ))}
    </Elements>
  )
}

interface ElementsProps {
  readonly title: string
  readonly error: string | undefined
  readonly add: string
  readonly onAdd: () => void
  readonly children: React.ReactNode
}

function Elements({ title, error, add, onAdd, children }: ElementsProps) {
  const id = useId()
  return (
    <div className="field" role="group" aria-labelledby={id}>
      <span id={id} className="visually-hidden">
        {title}
      </span>
      <ul className="elements">{children}</ul>
      {error === undefined ? null : <p className="error-text">{error}</p>}
      <Button look="quiet" isSmall onPress={onAdd}>
        <Plus className="icon icon-small" />
        {add}
      </Button>
    </div>
  )
}

function elementsOf(value: Json): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

/** What the server computes is not sent back. */
function withoutComputed({ e164: _, ...element }: JsonObject): JsonObject {
  return element
}

/** The first of several has the plain label. */
function numbered(label: string, index: number): string {
  return index === 0 ? label : `${label} ${index + 1}`
}
