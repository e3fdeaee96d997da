import { FilterChip } from '../components/index.ts'
import { useRecordName } from '../editing/record-name.ts'
import { formatDate } from '../format/formats.ts'
import type { Kind } from '../records/kinds.ts'
import { labelOf } from '../records/labels.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { choicesOf } from './filter-choices.ts'
import { dayOf, type FilterDefinition, type Filters, filtersOf } from './filters.rules.ts'

interface ChipsProps {
  readonly kind: Kind
  readonly filters: Filters
  readonly onEdit: (filter: FilterDefinition) => void
  readonly onRemove: (name: string) => void
}

/** The filters that are on. */
export function FilterChips({ kind, filters, onEdit, onRemove }: ChipsProps) {
  return Object.entries(filters).map(([name, values]) => {
    const filter = filtersOf[kind].find(one => one.name === name) ?? { name, widget: 'text' as const, several: true }
    const shared = { kind, filter, values, onEdit: () => onEdit(filter), onRemove: () => onRemove(name) }
    return filter.widget === 'record' ? <RecordChip key={name} {...shared} /> : <ValueChip key={name} {...shared} />
  })
}

interface ChipProps {
  readonly kind: Kind
  readonly filter: FilterDefinition
  readonly values: readonly string[]
  readonly onEdit: () => void
  readonly onRemove: () => void
}

function ValueChip({ kind, filter, values, onEdit, onRemove }: ChipProps) {
  const { showing, directories } = useWorkspace()
  const { t, language } = showing.words
  const choices = choicesOf(kind, filter, directories, t)
  const nameOf = (value: string) => {
    if (filter.widget === 'day') return formatDate(value, language, showing.now)
    if (filter.widget === 'moment') return formatDate(dayOf(value) || value, language, showing.now)
    return choices?.find(({ id }) => id === value)?.name ?? value
  }
  const text = values.length > 2 ? t('any of {count}', { count: values.length }) : values.map(nameOf).join(', ')
  return <FilterChip words={labelOf(filter.name, t, directories)} value={text} onEdit={onEdit} onRemove={onRemove} />
}

function RecordChip({ filter, values, onEdit, onRemove }: ChipProps) {
  const { t } = useWorkspace().showing.words
  const name = useRecordName(filter.of ?? 'contacts', values[0] ?? null)
  const text = values.length > 1 ? t('any of {count}', { count: values.length }) : name
  return <FilterChip words={labelOf(filter.name, t)} value={text} onEdit={onEdit} onRemove={onRemove} />
}
