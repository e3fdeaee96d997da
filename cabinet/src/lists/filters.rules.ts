import type { Kind } from '../records/kinds.ts'

/** How the values of a filter are chosen. */
export type FilterWidget =
  | 'text'
  | 'operator'
  | 'tag'
  | 'record'
  | 'choice'
  | 'stage'
  | 'pipeline'
  | 'day'
  | 'moment'
  | 'email'
  | 'phone'

/** A filter that the list of a kind has. */
export interface FilterDefinition {
  readonly name: string
  readonly widget: FilterWidget
  /** Whether it can have several values, of which any may match. */
  readonly several: boolean
  readonly scope?: string
  readonly choices?: readonly string[]
  readonly of?: Kind
}

const several = true
const times: readonly FilterDefinition[] = ['createdFrom', 'createdTo', 'updatedFrom', 'updatedTo'].map(name => ({
  name,
  widget: 'moment',
  several: false,
}))
const externalId: FilterDefinition = { name: 'externalId', widget: 'text', several: false }
const tags: FilterDefinition = { name: 'tagIds', widget: 'tag', several, scope: 'crm_tags_read' }
const owner: FilterDefinition = { name: 'ownerUuid', widget: 'operator', several }
const priority: FilterDefinition = {
  name: 'priority',
  widget: 'choice',
  several,
  choices: ['low', 'medium', 'high', 'urgent'],
}
const company: FilterDefinition = {
  name: 'companyId',
  widget: 'record',
  of: 'companies',
  several,
  scope: 'crm_companies_read',
}
const contact: FilterDefinition = {
  name: 'contactId',
  widget: 'record',
  of: 'contacts',
  several,
  scope: 'crm_contacts_read',
}

/** The filters of each list, those first that people use most. */
export const filtersOf: Readonly<Record<Kind, readonly FilterDefinition[]>> = {
  contacts: [
    owner,
    tags,
    company,
    { name: 'email', widget: 'email', several, scope: 'crm_contact_data_read' },
    { name: 'phone', widget: 'phone', several, scope: 'crm_contact_data_read' },
    ...times,
    externalId,
  ],
  companies: [owner, tags, contact, ...times, externalId],
  deals: [
    { name: 'status', widget: 'choice', several, choices: ['open', 'won', 'lost'] },
    { name: 'stageUuid', widget: 'stage', several },
    owner,
    priority,
    { name: 'expectedCloseFrom', widget: 'day', several: false },
    { name: 'expectedCloseTo', widget: 'day', several: false },
    { name: 'pipelineId', widget: 'pipeline', several },
    tags,
    company,
    contact,
    ...times,
    externalId,
  ],
  tasks: [
    { name: 'status', widget: 'choice', several, choices: ['todo', 'in_progress', 'done', 'canceled'] },
    { name: 'assigneeUuid', widget: 'operator', several },
    priority,
    { name: 'dueFrom', widget: 'day', several: false },
    { name: 'dueTo', widget: 'day', several: false },
    tags,
    contact,
    company,
    { name: 'dealId', widget: 'record', of: 'deals', several, scope: 'crm_deals_read' },
    ...times,
    externalId,
  ],
}

/** The values of each filter by its name. */
export type Filters = Readonly<Record<string, readonly string[]>>

/** What a list shows: everything of it stands in the address. */
export interface Selection {
  readonly search: string
  readonly filters: Filters
  /** An order of the list, descending with `-` in front; empty: the list's own. */
  readonly sort: string
}

const customField = /^customField\.[^&=]{1,100}$/u
const mostValues = 20
const longest = 254

/** What an address asks for. What the list does not know is left out, so that an old address still shows something. */
export function selectionOf(kind: Kind, orders: readonly string[], query: URLSearchParams): Selection {
  const filters: Record<string, string[]> = {}
  for (const name of new Set(query.keys())) {
    const definition = filtersOf[kind].find(filter => filter.name === name)
    if (definition === undefined && !customField.test(name)) continue
    const given = [...new Set(query.getAll(name).filter(value => value !== '' && value.length <= longest))]
    const values = given.slice(0, definition?.several === false ? 1 : mostValues)
    if (values.length > 0) filters[name] = values
  }
  const sort = query.get('sort') ?? ''
  const isKnown = orders.includes(sort.replace(/^-/u, ''))
  return { search: (query.get('search') ?? '').slice(0, 200), filters, sort: isKnown ? sort : '' }
}

/** A selection as the query of an address and of a request: the same words in both. */
export function queryOf({ search, filters, sort }: Selection): URLSearchParams {
  const query = new URLSearchParams()
  if (search !== '') query.set('search', search)
  for (const [name, values] of Object.entries(filters)) for (const value of values) query.append(name, value)
  if (sort !== '') query.set('sort', sort)
  return query
}

/** Whether anything narrows the list. */
export function narrows({ search, filters }: Selection): boolean {
  return search !== '' || Object.keys(filters).length > 0
}

/** The filters with other values for one of them; none takes it away. */
export function withFilter(filters: Filters, name: string, values: readonly string[]): Filters {
  const { [name]: _, ...others } = filters
  return values.length === 0 ? others : { ...others, [name]: values }
}

/** The beginning of a day on the clock of this browser, as a moment. */
export function startOfDay(day: string): string {
  const at = new Date(`${day}T00:00:00`)
  return Number.isNaN(at.getTime()) ? day : at.toISOString()
}

/** The day of a moment on the clock of this browser, such as 2026-03-31; empty where it is no moment. */
export function dayOf(moment: string): string {
  const at = new Date(moment)
  if (moment === '' || Number.isNaN(at.getTime())) return ''
  const [year, month, day] = [at.getFullYear(), at.getMonth() + 1, at.getDate()]
  return [String(year).padStart(4, '0'), ...[month, day].map(part => String(part).padStart(2, '0'))].join('-')
}
