import type { Configuration } from './configuration.ts'
import { isObject } from './json.ts'

/** What a column of a file holds. Dates are `YYYY-MM-DD`, times RFC 3339, several choices stand between semicolons. */
export type ColumnType =
  | 'text'
  | 'integer'
  | 'decimal'
  | 'boolean'
  | 'date'
  | 'datetime'
  | 'choice'
  | 'choices'
  | 'uuid'
  | 'phone'
  | 'email'
  | 'url'

export interface ColumnOption {
  readonly key: string
  readonly label: string
}

/** A column of the files that exports write and imports read, for a value or a part of it (contract sections 10.2 and 10.3). */
export interface Column<Value = unknown> {
  /** The header of the column, and its name in the mapping of an import. */
  readonly key: string
  readonly label: string
  readonly type: ColumnType
  /** The texts that can stand in a column of choices. */
  readonly options?: readonly ColumnOption[]
  /** The white space around a text belongs to it. */
  readonly keepsSpace?: true
  /** Where the value stands below the member of the field in a request: `['phones', 0, 'value']`; `[]` is the member itself. */
  readonly path: readonly (string | number)[]
  /** The text of a record's value; '' if there is none. */
  text(value: Value, record: Readonly<Record<string, unknown>>): string
  /**
   * What a request would have for a text that is not blank; undefined if the text cannot be read. The checks of the request
   * say whether the record takes it.
   */
  parse(text: string): unknown
}

/** What the columns of an organization depend on. */
export interface ColumnContext {
  readonly configuration: Configuration
  /** The kind of the records. */
  readonly kind: string
  /** The names of all tags by their ids. Files have the names. */
  readonly tags: ReadonlyMap<string, string>
}

/** A column for one text in a value. */
export function textColumn(key: string, type: ColumnType, path: Column['path'], label = labelOf(key)): Column {
  return { key, label, type, path, text: value => plainText(at(value, path)), parse: parserOf(type) }
}

function at(value: unknown, path: Column['path']): unknown {
  let found = value
  for (const step of path) {
    if (Array.isArray(found) && typeof step === 'number') found = found[step]
    else found = isObject(found) ? found[String(step)] : undefined
  }
  return found
}

/** A text, number or truth value as it stands in a file. */
export function plainText(value: unknown): string {
  return typeof value === 'string' ? value : value === null || value === undefined ? '' : String(value)
}

const truths = new Map([
  ...['true', 'yes', '1'].map(text => [text, true] as const),
  ...['false', 'no', '0'].map(text => [text, false] as const),
])

/** Reads a text that stands in a column of this type. */
export function parserOf(type: ColumnType): Column['parse'] {
  if (type === 'boolean') return text => truths.get(text.trim().toLowerCase())
  if (type === 'integer') return text => (/^-?\d{1,15}$/u.test(text.trim()) ? Number(text) : undefined)
  if (type === 'text') return text => text
  return text => text.trim()
}

/** The words of a key: "First name" of `firstName`, "Address postal code" of `address.postalCode`. */
export function labelOf(key: string): string {
  const words = key.replace(/[A-Z]|\d+/gu, match => ` ${match.toLowerCase()}`).replaceAll(/[._]/gu, ' ')
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`.replace(/\buuid\b/iu, 'UUID')
}

/** Several texts in one: a semicolon parts them, and a backslash stands before one that belongs to a text. */
export function joinTexts(texts: readonly string[]): string {
  return texts.map(text => text.replaceAll(/[\\;]/gu, '\\$&')).join(';')
}

/** The texts that `joinTexts` has joined, without white space around them and without blank ones. */
export function splitTexts(joined: string): string[] {
  const parts = joined.match(/(?:\\.|[^\\;])+/gsu) ?? []
  return parts.map(part => part.replaceAll(/\\([\\;])/gu, '$1').trim()).filter(part => part !== '')
}
