import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useState } from 'react'
import { request } from '../api/index.ts'
import { type Choice, ComboBox, IconButton } from '../components/index.ts'
import { type Kind, kindFacts } from '../records/kinds.ts'
import { labelOf } from '../records/labels.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import type { InputProps } from './input-props.ts'
import { useRecordName } from './record-name.ts'

/** One record of another kind, found by typing a part of its name. */
export function ReferenceInput({ field, value, onChange, error }: InputProps) {
  const { t } = useWorkspace().showing.words
  const label = labelOf(field.path, t)
  const id = typeof value === 'string' ? value : null
  const kind = field.of ?? 'contacts'
  const name = useRecordName(kind, id)
  if (id !== null) return <Chosen label={label} name={name} onRemove={() => onChange(null)} />
  return <Finder kind={kind} label={label} error={error} onChoose={onChange} />
}

/** Several records of another kind. */
export function ReferencesInput({ field, value, onChange, error }: InputProps) {
  const { t } = useWorkspace().showing.words
  const ids = Array.isArray(value) ? value.map(String) : []
  const kind = field.of ?? 'contacts'
  const label = labelOf(field.path, t)
  return (
    <div className="field">
      {ids.map(id => (
        <ChosenById
          key={id}
          kind={kind}
          id={id}
          label={label}
          onRemove={() => onChange(ids.filter(one => one !== id))}
        />
      ))}
      <Finder
        kind={kind}
        label={label}
        error={error}
        onChoose={id => onChange([...ids.filter(one => one !== id), id])}
      />
    </div>
  )
}

function ChosenById({ kind, id, label, onRemove }: { kind: Kind; id: string; label: string; onRemove: () => void }) {
  return <Chosen label={label} name={useRecordName(kind, id)} onRemove={onRemove} />
}

function Chosen({
  label,
  name,
  onRemove,
}: {
  readonly label: string
  readonly name: string
  readonly onRemove: () => void
}) {
  const { t } = useWorkspace().showing.words
  return (
    <div className="field">
      <span className="label">{label}</span>
      <span className="row-flex">
        <span className="strong">{name}</span>
        <IconButton isSmall label={`${t('Remove')}: ${name}`} onPress={onRemove}>
          <X className="icon icon-small" />
        </IconButton>
      </span>
    </div>
  )
}

interface FinderProps {
  readonly kind: Kind
  readonly label: string
  readonly error: string | undefined
  readonly onChoose: (id: string) => void
}

function Finder({ kind, label, error, onChoose }: FinderProps) {
  const { organization } = useWorkspace()
  const [typed, setTyped] = useState('')
  const q = typed.trim()
  const { data = [] } = useQuery({
    queryKey: ['finder', organization.id, kind, q],
    queryFn: ({ signal }) =>
      request<{ id: string; title: string; subtitle: string | null }[]>('GET', `/o/${organization.id}/crm/search`, {
        query: { q, types: kindFacts[kind].singular, limit: 10 },
        signal,
      }),
    enabled: q !== '',
    placeholderData: keepPreviousData,
  })
  const items = data.map(
    ({ id, title, subtitle }): Choice => ({ id, name: title, ...(subtitle !== null && { note: subtitle }) }),
  )
  const choose = (key: string | number | null) => {
    if (key === null) return
    onChoose(String(key))
    setTyped('')
  }
  return (
    <ComboBox
      label={label}
      items={q === '' ? [] : items}
      allowsEmptyCollection={q !== ''}
      inputValue={typed}
      onInputChange={setTyped}
      value={null}
      onChange={choose}
      error={error}
      menuTrigger="input"
    />
  )
}
