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
  /** JSON Schema of one value, and the same in words: `a UUID`. */
  readonly schema: JsonSchema
  readonly form: string
  /** A value in the document; the id of the record that its other examples have, if left out. */
  readonly example?: string
  /** Whether it takes several values: it then chooses the records that have at least one of them. */
  readonly takesSeveral: boolean
  /** A scope that it needs beside the one that hides the field. */
  readonly scope?: string
  /** How many records usually have a value, as a rank, if an index finds them: see `ListCondition`. */
  readonly frequency?: number
  /** The value of a text in its stored form; undefined if the text is none. */
  parse(text: string): unknown
  /** SQL of the condition that the record `t` has one of these values, at least one. `column` is that of the field. */
  readonly condition: FilterCondition
  /**
   * Set if it is one end of a range: SQL of a condition that all chosen records meet, and few others, in a form that an index of the column
   * finds.
   */
  readonly range?: FilterCondition
}

type FilterCondition = (column: string, values: readonly unknown[], context: FilterContext) => string

/** Filters by their names. That with the name '' has the name of its field. */
export type FieldFilters = Readonly<Record<string, FieldFilter>>

/** What conditions depend on besides their values. */
export interface FilterContext {
  readonly organization: Pick<OrganizationSettings, 'country' | 'timeZone'>
  /** Adds a value to the statement, and returns its parameter. */
  bind(value: unknown): string
}

/** How many records filters usually find, as ranks: a filter with a smaller one finds fewer. */
export const frequencies = { email: 0, phone: 1, link: 2, tag: 3, operator: 4, stage: 4, search: 5, range: 5 } as const

const uuidOf = (text: string) => (isUuid(text) ? text.toLowerCase() : undefined)

/** Chooses records whose field has one of these ids. They need not exist. */
export function byId(description: string, { frequency }: { readonly frequency?: number } = {}): FieldFilter {
  return {
    description,
    schema: uuidSchema,
    form: 'a UUID',
    takesSeveral: true,
    ...(frequency === undefined ? {} : { frequency }),
    parse: uuidOf,
    condition: (column, values, { bind }) => `${column} = any(${bind(values)}::uuid[])`,
  }
}

/** Chooses records that refer to one of these records of another kind, which `scope` reads. */
export function byReference(scope: string, description: string): FieldFilter {
  return { ...byId(description, { frequency: frequencies.link }), scope }
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
    ...byId(description, { frequency: frequencies.link }),
    scope,
    condition: (_column, values, { bind }) =>
      `t.id in (select l.${ownerColumn} from ${table} l
         where l.organization_id = $1 and l.${targetColumn} = any(${bind(values)}::uuid[]))`,
  }
}

/** Chooses records with at least one of these ids in a list. */
export function byMember(description: string, { frequency }: { readonly frequency: number }): FieldFilter {
  return {
    ...byId(description, { frequency }),
    // The index has only records with members.
    condition: (column, values, { bind }) => `(${column} <> '{}' and ${column} && ${bind(values)}::uuid[])`,
  }
}

/** Chooses records whose field has one of these words. */
export function byWord(schema: JsonSchema, words: readonly string[], description: string): FieldFilter {
  const [example = ''] = words
  return {
    description,
    schema,
    form: words.join(', '),
    example,
    takesSeveral: true,
    parse: text => (words.includes(text) ? text : undefined),
    condition: (column, values, { bind }) => `${column} = any(${bind(values)}::text[])`,
  }
}

/** Two filters that limit a value: `<name>From` includes its value, `<name>To` excludes it. */
interface Limited extends Pick<FieldFilter, 'schema' | 'form' | 'parse'> {
  /** Values that are limits of the examples. */
  readonly examples: readonly [from: string, to: string]
  /** What the records have in common: `Created at this time or later`. */
  readonly descriptions: readonly [from: string, to: string]
  limit(operator: '>=' | '<'): Pick<FieldFilter, 'condition' | 'range'>
}

function limitedBy(name: string, { examples, descriptions, limit, ...form }: Limited): FieldFilters {
  const common = { ...form, takesSeveral: false, frequency: frequencies.range }
  return {
    [`${name}From`]: { ...common, description: descriptions[0], example: examples[0], ...limit('>=') },
    [`${name}To`]: { ...common, description: descriptions[1], example: examples[1], ...limit('<') },
  }
}

const timeOf = (text: string) => (isDateTime(text) ? toUtc(text) : undefined)

/** Filters by a time, at which `what` happened to the records: `Created`. Without an index the records are only checked. */
export function byTime(name: string, what: string, { hasIndex = true } = {}): FieldFilters {
  return limitedBy(name, {
    schema: { type: 'string', format: 'date-time' },
    form: 'a date and time such as 2026-01-31T09:15:00Z',
    examples: ['2026-01-31T00:00:00Z', '2026-02-01T00:00:00Z'],
    descriptions: [`${what} at this time or later`, `${what} before this time`],
    parse: timeOf,
    limit: operator => ({ ...comparedAs('timestamptz', operator), ...(hasIndex ? {} : { frequency: undefined }) }),
  })
}

/** Filters by a calendar date. */
export function byDate(name: string, what: string): FieldFilters {
  return limitedBy(name, {
    schema: { type: 'string', format: 'date' },
    form: 'a date such as 2026-03-31',
    examples: ['2026-03-31', '2026-04-01'],
    descriptions: [`${what} on this date or later`, `${what} before this date`],
    parse: text => (isDate(text) ? text : undefined),
    limit: operator => comparedAs('date', operator),
  })
}

function comparedAs(type: string, operator: string): Pick<FieldFilter, 'condition' | 'range'> {
  const condition: FilterCondition = (column, [value], { bind }) => `${column} ${operator} ${bind(value)}::${type}`
  return { condition, range: condition }
}

/**
 * Filters by a date or a time, for a field that has either as a text. A date in a filter is the beginning of that day, and a date in a record
 * the end of it, both in the time zone of the organization.
 */
export function byDateOrTime(name: string, what: string): FieldFilters {
  return limitedBy(name, {
    schema: { type: 'string', format: 'date-or-date-time' },
    form: 'a date, which is the beginning of that day in the time zone of the organization, or a date and time',
    examples: ['2026-03-31', '2026-04-01'],
    descriptions: [`${what} at this time or later`, `${what} before this time`],
    parse: text => (isDate(text) ? text : timeOf(text)),
    limit: operator => ({
      condition(column, [value], { organization, bind }) {
        const { day, time } = dayAndTime(String(value), organization)
        const limit = `case when length(${column}) = 10 then ${bind(day)}::text else ${bind(time)}::text end`
        return `${column} ${operator} ${limit}`
      },
      range(column, [value], { organization, bind }) {
        const { day, time } = dayAndTime(String(value), organization)
        const [least, greatest] = day < time ? [day, time] : [time, day]
        return `${column} ${operator} ${bind(operator === '<' ? greatest : least)}::text collate "C"`
      },
    }),
  })
}

/** What a limit is compared with: dates with the day on which it lies, because they end with their day, and times with its time in UTC. */
function dayAndTime(limit: string, { timeZone }: FilterContext['organization']): { day: string; time: string } {
  return isDate(limit)
    ? { day: limit, time: startOfDay(limit, timeZone) }
    : { day: dateAt(Date.parse(limit), timeZone), time: limit }
}
