import { isObject, type JsonObject } from '../../kernel/schema/index.ts'

/** A table for people: a row for each record, under the names of the members. */
export function tableOf(records: readonly JsonObject[], members: readonly string[]): string {
  const rows = [members.map(wordsOf), ...records.map(record => members.map(member => textOf(record[member])))]
  const widths = members.map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0)))
  const lines = rows.map(row => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
  return lines.map(line => line.trimEnd()).join('\n')
}

/** The same for one record: a line for each member, and a table for each list of records in it. */
export function sheetOf(record: JsonObject): string {
  const [lists, values] = [
    Object.entries(record).filter(isList),
    Object.entries(record).filter(entry => !isList(entry)),
  ]
  const width = Math.max(...values.map(([member]) => wordsOf(member).length))
  const lines = values.map(([member, value]) => `${wordsOf(member).padEnd(width)}  ${textOf(value)}`)
  const tables = lists.map(([member, list]) => `\n${wordsOf(member)}\n${tableOf(list, columnsOf(list))}`)
  return [...lines, ...tables].join('\n')
}

/** The columns of a table by default: those that distinguish records, without times and counts of changes. */
export function columnsOf([record = {}]: readonly JsonObject[]): string[] {
  return Object.keys(record).filter(member => !toldElsewhere.has(member))
}

const toldElsewhere = new Set([
  'organizationId',
  'applicationId',
  'recordId',
  'version',
  'createdAt',
  'updatedAt',
  'rotatedFrom',
  'lastRefusedAt',
  'lastRefusedIp',
  'lastRefusedReason',
])

type Entry = readonly [string, unknown]

/** Whether a member contains a list of records. */
function isList(entry: Entry): entry is [string, readonly JsonObject[]] {
  const [, value] = entry
  return Array.isArray(value) && value.some(each => isObject(each) && 'id' in each)
}

/** `lostReasonRequired` as `lost reason required`. */
export function wordsOf(member: string): string {
  return member.replaceAll(/[A-Z]/gu, letter => ` ${letter.toLowerCase()}`)
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map(textOf).join(', ')
  if (!isObject(value)) return String(value)
  // An option of a custom field is `key=label`, and a filter of a webhook one word such as `status=open` for each value.
  const lists = Object.entries(value).filter(([, each]) => Array.isArray(each))
  if (lists.length === 0) return Object.values(value).join('=') || '-'
  return lists.flatMap(([name, values]) => [values].flat().map(each => `${name}=${String(each)}`)).join(', ')
}
