import type { ReactNode } from 'react'
import { Badge, type Meaning, Tag } from '../components/index.ts'
import { type Directories, operatorName, stageOf } from '../directories/directories.ts'
import { formatAgo, formatDate, formatDue, formatMoment, formatMoney, formatNumber } from '../format/formats.ts'
import type { Words } from '../words/index.ts'
import type { FieldDefinition, Widget } from './field.ts'
import { wordOf } from './labels.ts'
import { isList, isObject, type Json, type JsonObject, read } from './record.ts'

/** What values are shown with. */
export interface Showing {
  readonly words: Words
  readonly directories: Directories
  readonly now: Date
}

/** The value of a field in one line of text, for cells, titles and comparisons. Empty where there is none. */
export function textOf(
  value: Json | undefined,
  field: Pick<FieldDefinition, 'widget' | 'options'>,
  record: JsonObject,
  showing: Showing,
): string {
  if (value === undefined || value === null) return ''
  const { words, directories } = showing
  if (isList(value)) {
    return value
      .map(element => textOfElement(element, field, directories, words.t))
      .filter(text => text !== '')
      .join(', ')
  }
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  const show = shownAs[field.widget]
  return show === undefined ? text : show(text, showing, field, record)
}

type Shown = (text: string, showing: Showing, field: Pick<FieldDefinition, 'options'>, record: JsonObject) => string

/** How values are shown that are not what people call them. */
const shownAs: Readonly<Partial<Record<Widget, Shown>>> = {
  amount: (text, { words }, _field, { currency }) =>
    formatMoney(text, typeof currency === 'string' ? currency : null, words.language),
  integer: (text, { words }) => formatNumber(Number(text), words.language),
  date: (text, { words, now }) => formatDate(text, words.language, now),
  due: (text, { words, now }) => formatDue(text, words.language, now),
  moment: (text, { words }) => formatMoment(text, words.language),
  option: (text, _showing, { options }) => options?.find(({ key }) => key === text)?.label ?? text,
  truth: (text, { words }) => (text === 'true' ? words.t('Yes') : words.t('No')),
  choice: (text, { words }) => wordOf(text, words.t),
  operator: (text, { directories, words }) => operatorName(directories, text) ?? words.t('Unknown'),
  stage: (text, { directories, words }) => stageOf(directories, text)?.name ?? words.t('Unknown'),
  'lost-reason': (text, { directories, words }) =>
    directories.lostReasonCategories.find(({ uuid }) => uuid === text)?.name ?? words.t('Unknown'),
}

function textOfElement(
  element: Json,
  { widget, options }: Pick<FieldDefinition, 'widget' | 'options'>,
  directories: Directories,
  t: Words['t'],
): string {
  if (widget === 'tags') return directories.tags?.find(({ id }) => id === element)?.name ?? t('Unknown')
  if (!isObject(element)) return options?.find(({ key }) => key === element)?.label ?? String(element)
  if (widget === 'addresses') return addressLines(element).join(', ')
  return typeof element.value === 'string' ? element.value : ''
}

/** The lines of an address, as it is written on a letter. */
export function addressLines(address: JsonObject): string[] {
  const { line1, line2, postalCode, city, region, country } = address
  const place = [postalCode, city].filter(text => typeof text === 'string').join(' ')
  return [line1, line2, place, region, country].filter(text => typeof text === 'string').filter(text => text !== '')
}

/** The value of a field in a cell of a list. */
export function CellValue({ field, record, showing }: CellProps): ReactNode {
  const value = read(record, field.path)
  const { words, directories, now } = showing
  if (value === undefined && field.scope !== undefined) return <span className="muted">{words.t('Hidden')}</span>
  if (value === undefined || value === null || (isList(value) && value.length === 0))
    return <span className="muted">–</span>
  if (field.widget === 'tags' && isList(value)) {
    const tags = value.map(id => directories.tags?.find(tag => tag.id === id))
    return (
      <span className="row-flex">
        {tags.map((tag, index) => tag && <Tag key={tag.id ?? index} name={tag.name} color={tag.color} />)}
      </span>
    )
  }
  if ((field.widget === 'emails' || field.widget === 'phones') && isList(value)) {
    return textOf([primaryOf(value)], field, record, showing)
  }
  if (field.widget === 'moment' && typeof value === 'string') {
    return (
      <time dateTime={value} title={formatMoment(value, words.language)}>
        {formatAgo(value, words.language, now)}
      </time>
    )
  }
  const isDueToday = field.widget === 'due' && !isClosed(record) && isToday(String(value), now)
  if (field.widget === 'due' && (record.isOverdue === true || isDueToday)) {
    const due = textOf(value, field, record, showing)
    return record.isOverdue === true ? (
      <Badge meaning="danger">{words.t('Overdue: {due}', { due })}</Badge>
    ) : (
      <Badge meaning="warning">{due}</Badge>
    )
  }
  if (field.path === 'status' || field.widget === 'stage') {
    return <Badge meaning={meaningOf(value, field, directories)}>{textOf(value, field, record, showing)}</Badge>
  }
  return textOf(value, field, record, showing)
}

interface CellProps {
  readonly field: FieldDefinition
  readonly record: JsonObject
  readonly showing: Showing
}

const isClosed = ({ status }: JsonObject) => status === 'done' || status === 'canceled'

function isToday(due: string, now: Date): boolean {
  const at = new Date(due.length <= 10 ? `${due}T00:00:00` : due)
  return at.toDateString() === now.toDateString()
}

function meaningOf(value: Json, field: FieldDefinition, directories: Directories): Meaning {
  const type = field.widget === 'stage' ? stageOf(directories, String(value))?.type : value
  if (type === 'won' || type === 'done') return 'success'
  return type === 'lost' ? 'danger' : 'plain'
}

/** The element that comes first: the one marked so, or else the first. */
function primaryOf(list: readonly Json[]): Json {
  return list.find(element => isObject(element) && element.isPrimary === true) ?? list[0] ?? null
}
