import { type Clock, timestamp } from '../clock.ts'
import type { Field, Fields, JsonObject, OrganizationSettings, PresentContext } from '../schema/index.ts'
import { columnName, type Row } from '../sql/index.ts'
import { type HeadMember, headColumn, headOf, shownHead } from './record-head.ts'
import type { RecordCodec, RecordForm, RecordState, Resource } from './resource.ts'
import type { RowChange } from './table.ts'

export function recordCodec(fields: Fields, form: RecordForm): RecordCodec {
  const entries = Object.entries(fields)
  const isShown = (field: Field) => field.present !== undefined || field.output === undefined || '' in field.output
  const visible = entries.filter(([, field]) => isShown(field))
  const presented = visible.map(([name, field]) => [name, field.present?.bind(field)] as const)
  const members = visible.flatMap(([name, field]) => membersOf(name, field))
  const { opening, closing } = shownHead(form)
  return {
    head: Object.keys(headOf(form)).map(name => [name, headColumn(form, name)]),
    initial: Object.fromEntries(entries.map(([name, { initial }]) => [name, initial])),
    stored: entries.flatMap(([name, field]) => (isWritten(name, field) ? [[name, columnOf(name, field)]] : [])),
    shown: [...opening.map(asShown), ...presented, ...closing.map(asShown)],
    blank: Object.fromEntries(
      [...opening.map(memberOf), ...members, ...closing.map(memberOf)].map(name => [name, undefined]),
    ),
    names: ['externalId', ...entries.filter(([, field]) => isKept(field)).map(([name]) => name)],
    shared: [...(form.isSynchronized ? [key] : []), ...entries.flatMap(sharedName)],
    searched: form.isSynchronized ? entries.flatMap(searchedField) : null,
  }
}

function searchedField([name, field]: readonly [string, Field]) {
  return field.search === undefined ? [] : [[name, field.search, field.searchText?.bind(field)] as const]
}

/** Whether the value of a field is stored; other values are counted or computed on reading. */
const isKept = ({ column, links }: Field) => column !== undefined || links !== undefined

/** Whether the field writes the column. Every row names its organization anyway, so that column is excluded. */
function isWritten(name: string, field: Field): boolean {
  return field.column !== undefined && columnOf(name, field) !== organizationColumn
}

const organizationColumn = 'organization_id'

const memberOf = ([, member]: HeadMember) => member

const asShown = ([name, member]: HeadMember) =>
  name === member ? ([name, undefined] as const) : ([name, (value: unknown) => ({ [member]: value })] as const)

const key = { name: 'externalId', member: 'externalId', as: 'externalId' }

/** The name of a field in answers and in change events, which call the ids of tags `tags`; none for an internal field. */
function sharedName([name, field]: readonly [string, Field]): RecordCodec['shared'] {
  if (field.isCounted) return []
  const members = membersOf(name, field)
  const member = members.includes(name) ? name : members[0]
  return member === undefined ? [] : [{ name, member, as: field.role === 'tags' ? 'tags' : member }]
}

/** The name of the column that holds a field. */
export function columnOf(name: string, { columnName: own }: Field): string {
  return own ?? columnName(name)
}

/** The record of a selected row. Columns are selected under the names of fields, so the row itself becomes the record. */
export function toRecord(row: Row): RecordState {
  const text = (value: unknown) => (typeof value === 'string' ? value : null)
  return Object.assign(row, {
    id: String(row.id),
    externalId: text(row.externalId),
    version: Number(row.version),
    createdAt: String(row.createdAt),
    updatedAt: String(row.updatedAt),
    createdByApplicationId: text(row.createdByApplicationId),
    createdByUuid: text(row.createdByUuid),
    updatedByUuid: text(row.updatedByUuid),
  })
}

/** Whether the record was anonymized. */
export function isAnonymized({ roles }: Resource, record: RecordState): boolean {
  return roles.anonymizedAt !== undefined && typeof record[roles.anonymizedAt] === 'string'
}

/** The record as answers show it to a reader with every scope. Redaction removes members from it. */
export function represent({ codec }: Resource, record: RecordState, context: PresentContext): JsonObject {
  const answer: JsonObject = { ...codec.blank }
  for (const [name, present] of codec.shown) {
    if (present === undefined) {
      answer[name] = record[name]
      continue
    }
    const members = present(record[name], record, context)
    for (const member in members) answer[member === '' ? name : member] = members[member]
  }
  return answer
}

/** The context in which a read presents values to a caller. */
export function presentingRead(
  { caller }: { readonly caller: { readonly organization: OrganizationSettings } },
  { clock }: { readonly clock: Clock },
): PresentContext {
  return { organization: caller.organization, now: timestamp(clock) }
}

/**
 * The part of a record that a token with write scope and without read scope gets (contract section 2, "Write scope without read scope").
 */
export function receipt(resource: Resource, answer: JsonObject): JsonObject {
  const { id, externalId, version, createdAt, updatedAt } = answer
  if (resource.conventions.synchronizes) {
    return resource.parent === null ? { id, externalId, version, createdAt, updatedAt } : { id, version }
  }
  const { opening, closing } = shownHead(resource)
  const chosen = resource.parent?.chosenId === undefined ? [] : ['id']
  return Object.fromEntries([...chosen, ...[...opening, ...closing].map(memberOf)].map(name => [name, answer[name]]))
}

/** The names of the members that a field contributes to an answer. */
export function membersOf(name: string, field: Field): string[] {
  if (field.output === undefined) return [name]
  return Object.keys(field.output).map(member => (member === '' ? name : member))
}

/** The row changes between two states of a record: its own row and its links. */
export function recordRows(resource: Resource, before: RecordState | null, after: RecordState | null): RowChange[] {
  if (after === null) {
    if (before === null) return []
    return [
      ...linkRows(resource, before, null),
      { table: resource.table, operation: 'delete', row: { [headColumn(resource, 'id')]: before.id } },
    ]
  }
  const operation = before === null ? 'insert' : 'update'
  return [{ table: resource.table, operation, row: toRow(resource, after) }, ...linkRows(resource, before, after)]
}

function toRow(resource: Resource, record: RecordState): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  for (const [name, column] of resource.codec.head) row[column] = record[name]
  for (const [name, column] of resource.codec.stored) row[column] = record[name]
  const { searched } = resource.codec
  if (searched === null) return row
  const texts = { names: '', contactData: '', customFields: '' }
  for (const [name, part, textOf] of searched) {
    const text = textOf?.(record[name]) ?? ''
    if (text !== '') texts[part] += texts[part] === '' ? text : ` ${text}`
  }
  row.search_names = texts.names
  row.search_contact_data = texts.contactData
  row.search_custom_fields = texts.customFields
  return row
}

/** The type of each column that `toRow` fills, for the save statement. */
export function recordColumns(fields: Fields, form: RecordForm): Record<string, string> {
  const columns: Record<string, string> = {}
  for (const [name, type] of Object.entries(headOf(form))) columns[headColumn(form, name)] = type
  for (const [name, field] of Object.entries(fields)) {
    if (field.column !== undefined && isWritten(name, field)) columns[columnOf(name, field)] = field.column
  }
  if (!form.isSynchronized) return columns
  return { ...columns, search_names: 'text', search_contact_data: 'text', search_custom_fields: 'text' }
}

function linkRows(resource: Resource, before: RecordState | null, after: RecordState | null): RowChange[] {
  const rows: RowChange[] = []
  const owner = (after ?? before)?.id
  for (const { name, links, table } of resource.links) {
    const previous = idsOf(before?.[name])
    const next = idsOf(after?.[name])
    const row = (target: string) => ({ [links.ownerColumn]: owner, [links.targetColumn]: target })
    for (const [position, target] of next.entries()) {
      const held = previous.indexOf(target)
      if (held === -1) rows.push({ table, operation: 'insert', row: { position, ...row(target) } })
      else if (held !== position) rows.push({ table, operation: 'update', row: { position, ...row(target) } })
    }
    for (const target of previous) {
      if (!next.includes(target)) rows.push({ table, operation: 'delete', row: row(target) })
    }
  }
  return rows
}

/** The ids that a link field holds. */
export function idsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value : []
}
