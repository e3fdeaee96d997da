import type { OrganizationSettings } from './configuration.ts'
import { isDate, isDateTime, toUtc } from './dates.ts'
import { isUuid } from './ids.ts'
import type { JsonSchema } from './json.ts'
import { dateAt, startOfDay } from './time-zone.ts'
import { uuidSchema } from './uuid.ts'

/** A parameter by which lists choose records. A filter of exports has the same name and takes the same values. */
export interface FieldFilter {
  /** What the chosen records have in common, without a full stop: `Owned by this operator`. */
  readonly description: string
  /** JSON Schema of one value, with an example. */
  readonly schema: JsonSchema
  /** Whether several values may be given: a record then has any one of them. */
  readonly takesSeveral: boolean
  /** A scope that it needs beside the one that hides the field. */
  readonly scope?: string
  /** How few records usually have a value, if an index finds them: see `ListCondition`. */
  readonly rarity?: number
  /** The value of a text in its stored form; undefined if the text is none. */
  parse(text: string): unknown
  /** SQL of the condition that the record `t` has one of these values, at least one. `column` is that of the field. */
  condition(column: string, values: readonly unknown[], context: FilterContext): string
}

/** FieldFilters by their names. That with the name '' has the name of its field. */
export type FieldFilters = Readonly<Record<string, FieldFilter>>

/** What conditions depend on besides their values. */
export interface FilterContext {
  readonly organization: Pick<OrganizationSettings, 'country' | 'timeZone'>
  /** Adds a value to the statement, and returns its parameter. */
  bind(value: unknown): string
}

/** The rarities of filters: a filter with a smaller one usually finds fewer records. */
export const rarities = { email: 0, phone: 1, link: 2, tag: 3, operator: 4 } as const

const uuidOf = (text: string) => (isUuid(text) ? text.toLowerCase() : undefined)

/** Chooses records whose field has one of these ids. They need not exist. */
export function byId(description: string, { rarity }: { readonly rarity?: number } = {}): FieldFilter {
  return {
    description,
    schema: uuidSchema,
    takesSeveral: true,
    ...(rarity === undefined ? {} : { rarity }),
    parse: uuidOf,
    condition: (column, values, { bind }) => `${column} = any(${bind(values)}::uuid[])`,
  }
}

/** Chooses records that refer to one of these records of another kind, which `scope` reads. */
export function byReference(scope: string, description: string): FieldFilter {
  return { ...byId(description, { rarity: rarities.link }), scope }
}

/** The rows that link the records to those of another kind. */
interface LinkedRows {
  readonly table: string
  readonly ownerColumn: string
  readonly targetColumn: string
}

/** Chooses records that are linked with one of these records. `scope` reads the kind of these. */
export function byLink(
  { table, ownerColumn, targetColumn }: LinkedRows,
  scope: string,
  description: string,
): FieldFilter {
  return {
    ...byId(description, { rarity: rarities.link }),
    scope,
    condition: (_column, values, { bind }) =>
      `t.id in (select l.${ownerColumn} from ${table} l
         where l.organization_id = $1 and l.${targetColumn} = any(${bind(values)}::uuid[]))`,
  }
}

/** Chooses records with at least one of these ids in a list. */
export function byMember(description: string, { rarity }: { readonly rarity: number }): FieldFilter {
  return {
    ...byId(description, { rarity }),
    condition: (column, values, { bind }) => `${column} && ${bind(values)}::uuid[]`,
  }
}

/** Chooses records whose field has one of these words. */
export function byWord(schema: JsonSchema, words: readonly string[], description: string): FieldFilter {
  return {
    description,
    schema,
    takesSeveral: true,
    parse: text => (words.includes(text) ? text : undefined),
    condition: (column, values, { bind }) => `${column} = any(${bind(values)}::text[])`,
  }
}

const timeSchema = { type: 'string', format: 'date-time' }
const timeOf = (text: string) => (isDateTime(text) ? toUtc(text) : undefined)

/** Two filters by a time: `<name>From` includes its value, `<name>To` excludes it. `what` happened to the records then: `Created`. */
export function byTime(name: string, what: string): FieldFilters {
  const bound = (description: string, operator: string): FieldFilter => ({
    description,
    schema: timeSchema,
    takesSeveral: false,
    parse: timeOf,
    condition: (column, [value], { bind }) => `${column} ${operator} ${bind(value)}::timestamptz`,
  })
  return {
    [`${name}From`]: bound(`${what} at this time or later`, '>='),
    [`${name}To`]: bound(`${what} before this time`, '<'),
  }
}

/** The same by a calendar date. */
export function byDate(name: string, what: string): FieldFilters {
  const bound = (description: string, operator: string): FieldFilter => ({
    description,
    schema: { type: 'string', format: 'date' },
    takesSeveral: false,
    parse: text => (isDate(text) ? text : undefined),
    condition: (column, [value], { bind }) => `${column} ${operator} ${bind(value)}::date`,
  })
  return {
    [`${name}From`]: bound(`${what} on this date or later`, '>='),
    [`${name}To`]: bound(`${what} before this date`, '<'),
  }
}

/**
 * The same by a date or a time, for a field that has either as a text. In the time zone of the organization, a date in a filter is the
 * beginning of that day, and a date in a record the end of it.
 */
export function byDateOrTime(name: string, what: string): FieldFilters {
  const bound = (description: string, operator: string): FieldFilter => ({
    description: `${description}; a date is the beginning of that day in the time zone of the organization`,
    schema: { type: 'string', format: 'date-or-date-time' },
    takesSeveral: false,
    parse: text => (isDate(text) ? text : timeOf(text)),
    condition(column, [value], { organization: { timeZone }, bind }) {
      const time = isDate(String(value)) ? startOfDay(String(value), timeZone) : String(value)
      // A day ends at or after a moment if it is the day of that moment or a later one.
      const day = isDate(String(value)) ? String(value) : dateAt(Date.parse(time), timeZone)
      return `(${column} ${operator} case when length(${column}) = 10 then ${bind(day)}::text else ${bind(time)}::text end)`
    },
  })
  return {
    [`${name}From`]: bound(`${what} at this time or later`, '>='),
    [`${name}To`]: bound(`${what} before this time`, '<'),
  }
}
