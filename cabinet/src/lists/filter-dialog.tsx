import { type SyntheticEvent, useId, useState } from 'react'
import { Button, Checkbox, Dialog, TextField } from '../components/index.ts'
import { ReferencesInput } from '../editing/reference-input.tsx'
import type { Kind } from '../records/kinds.ts'
import { labelOf } from '../records/labels.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { choicesOf } from './filter-choices.ts'
import { dayOf, type FilterDefinition, startOfDay } from './filters.rules.ts'

interface FilterDialogProps {
  readonly kind: Kind
  readonly filter: FilterDefinition
  readonly values: readonly string[]
  readonly onApply: (values: readonly string[]) => void
  readonly onClose: () => void
}

/** The choice of values for one filter. */
export function FilterDialog({ kind, filter, values, onApply, onClose }: FilterDialogProps) {
  const { showing, directories } = useWorkspace()
  const { t } = showing.words
  const id = useId()
  const [chosen, setChosen] = useState(values)
  const label = labelOf(filter.name, t, directories)
  const apply = (event: SyntheticEvent) => {
    event.preventDefault()
    onApply(chosen.filter(value => value !== ''))
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('Filter by {name}', { name: label })}
      foot={
        <>
          <Button type="submit" form={id} look="primary">
            {t('Apply')}
          </Button>
          <Button onPress={onClose}>{t('Cancel')}</Button>
        </>
      }
    >
      <form id={id} onSubmit={apply} className="form">
        <Values kind={kind} filter={filter} label={label} chosen={chosen} onChange={setChosen} />
      </form>
    </Dialog>
  )
}

interface ValuesProps {
  readonly kind: Kind
  readonly filter: FilterDefinition
  readonly label: string
  readonly chosen: readonly string[]
  readonly onChange: (values: readonly string[]) => void
}

function Values({ kind, filter, label, chosen, onChange }: ValuesProps) {
  const { directories, showing } = useWorkspace()
  const [first = ''] = chosen
  if (filter.widget === 'record') {
    const field = {
      path: filter.name,
      widget: 'references' as const,
      ...(filter.of !== undefined && { of: filter.of }),
    }
    return (
      <ReferencesInput
        field={field}
        value={[...chosen]}
        onChange={ids => onChange(Array.isArray(ids) ? ids.map(String) : [])}
      />
    )
  }
  const choices = choicesOf(kind, filter, directories, showing.words.t)
  if (choices !== undefined) {
    return (
      <div role="group" aria-label={label} className="radios">
        {choices.map(({ id, name }, index) => (
          <Checkbox
            key={id}
            isSelected={chosen.includes(id)}
            onChange={isChosen => onChange(isChosen ? [...chosen, id] : chosen.filter(one => one !== id))}
            {...(index === 0 ? { autoFocus: true } : {})}
          >
            {name}
          </Checkbox>
        ))}
      </div>
    )
  }
  const isMoment = filter.widget === 'moment'
  const isDay = isMoment || filter.widget === 'day'
  const change = (typed: string) => onChange(typed === '' ? [] : [isMoment ? startOfDay(typed) : typed])
  return (
    <TextField
      label={label}
      value={isMoment ? dayOf(first) : first}
      onChange={change}
      autoFocus
      {...(isDay ? { type: 'date' } : {})}
    />
  )
}
