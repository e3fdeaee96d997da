import type { Configuration } from './configuration.ts'
import { isObject } from './json.ts'
import { truthOf } from './yes-no.ts'

/** The type of a column. Dates are `YYYY-MM-DD`, times RFC 3339; semicolons separate several choices. */
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
  /** The allowed texts of a column of choices. */
  readonly options?: readonly ColumnOption[]
  /** White space around the text is kept. */
  readonly keepsSpace?: true
  /** The path of the value below the member of the field in a request: `['phones', 0, 'value']`; `[]` is the member itself. */
  readonly path: readonly (string | number)[]
  /** The text of a record's value; '' if there is none. */
  text(value: Value, record: Readonly<Record<string, unknown>>): string
  /**
   * The request value of a text that is not blank; undefined if the text cannot be parsed. The checks of requests decide whether the record
   * accepts it.
   */
  parse(text: string): unknown
}

/** What determines the columns of an organization. */
export interface ColumnContext {
  readonly configuration: Configuration
  /** The kind of the records. */
  readonly kind: string
  /** The names of all tags by their ids. Files contain the names. */
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

/** A text, number or boolean as files contain it. */
export function plainText(value: unknown): string {
  return typeof value === 'string' ? value : value === null || value === undefined ? '' : String(value)
}

/** The parser for texts in a column of this type. */
export function parserOf(type: ColumnType): Column['parse'] {
  if (type === 'boolean') return truthOf
  if (type === 'integer') return text => (/^-?\d{1,15}$/u.test(text.trim()) ? Number(text) : undefined)
  if (type === 'text') return text => text
  return text => text.trim()
}

/** The words of a key: "First name" of `firstName`, "Address postal code" of `address.postalCode`. */
export function labelOf(key: string): string {
  const words = key.replace(/[A-Z]|\d+/gu, match => ` ${match.toLowerCase()}`).replaceAll(/[._]/gu, ' ')
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`.replace(/\buuid\b/iu, 'UUID')
}

/** Joins several texts into one: a semicolon separates them, and a backslash escapes a semicolon inside a text. */
export function joinTexts(texts: readonly string[]): string {
  return texts.map(text => text.replaceAll(/[\\;]/gu, '\\$&')).join(';')
}

/** Splits a text that `joinTexts` has joined. Removes outer white space and blank texts. */
export function splitTexts(joined: string): string[] {
  const parts = joined.match(/(?:\\.|[^\\;])+/gsu) ?? []
  return parts.map(part => part.replaceAll(/\\([\\;])/gu, '$1').trim()).filter(part => part !== '')
}
