import { isDate } from '../../../kernel/schema/index.ts'

/** The order of day, month and year in dates that consist of three numbers. */
export const dateFormats = ['DMY', 'MDY', 'YMD'] as const
export type DateFormat = (typeof dateFormats)[number]

const separators = ['.', '/', '-'] as const
type Separator = (typeof separators)[number]

/**
 * The order of dates in a column, by what separates their numbers: null if the column leaves it open or contradicts itself, absent if no
 * cell has this separator.
 */
export type DateOrders = Readonly<Partial<Record<Separator, DateFormat | null>>>

/** A date of three numbers, with each date that it can be. */
export interface NumericDate {
  readonly separator: Separator
  /** Whether the year comes first and has four digits. Such a date is certain, and says nothing about others. */
  readonly isCertain: boolean
  readonly dates: Readonly<Partial<Record<DateFormat, string>>>
}

const form = /^(\d{1,4})([./-])(\d{1,2})\2(\d{1,4})$/u
/** Two digits from this one on are a year of the 20th century; those below it are one of the 21st, as in spreadsheets. */
const pivot = 30

/** Parses a date of three numbers; null if the text is none. */
export function numericDate(text: string): NumericDate | null {
  const [, first = '', mark, middle = '', last = ''] = form.exec(text) ?? []
  const separator = separators.find(each => each === mark)
  if (separator === undefined) return null
  const days = {
    DMY: dateFrom(last, middle, first),
    MDY: dateFrom(last, first, middle),
    YMD: dateFrom(first, middle, last),
  }
  const dates = Object.fromEntries(Object.entries(days).filter(([, day]) => day !== null))
  if (Object.keys(dates).length === 0) return null
  return { separator, isCertain: first.length === 4, dates }
}

/** `YYYY-MM-DD`, or null if there is no such day. */
export function dateFrom(year: string, month: string, day: string): string | null {
  if (month.length > 2 || day.length > 2) return null
  const date = [wholeYear(year), month.padStart(2, '0'), day.padStart(2, '0')].join('-')
  return isDate(date) ? date : null
}

function wholeYear(year: string): string {
  if (year.length !== 2) return year
  return `${Number(year) < pivot ? '20' : '19'}${year}`
}

/**
 * The order of cells with this separator that all allow these orders; null if it is open. A year of two digits comes last unless a cell
 * rules that out, and the day comes first in dates with full stops.
 */
export function orderOf(allowed: readonly DateFormat[], separator: Separator): DateFormat | null {
  const [first, second] = allowed
  if (first === undefined || second === undefined) return first ?? null
  if (allowed.includes('DMY') && allowed.includes('MDY')) return separator === '.' ? 'DMY' : null
  return first
}

/** Collects which orders all dates of a column allow. */
export class DateEvidence {
  readonly #allowed = new Map<Separator, readonly DateFormat[]>()
  #hasCertain = false

  add({ separator, isCertain, dates }: NumericDate): void {
    if (isCertain) this.#hasCertain = true
    else {
      const before = this.#allowed.get(separator) ?? dateFormats
      this.#allowed.set(
        separator,
        before.filter(order => dates[order] !== undefined),
      )
    }
  }

  get orders(): DateOrders {
    return Object.fromEntries(
      [...this.#allowed].map(([separator, allowed]) => [separator, orderOf(allowed, separator)]),
    )
  }

  /** Whether there are dates whose order is open. */
  get isDoubtful(): boolean {
    return Object.values(this.orders).includes(null)
  }

  /** The order that all dates of the column have; null if there is none or it is open. */
  get suggested(): DateFormat | null {
    const [order = null, ...others] = new Set(Object.values(this.orders))
    if (this.#allowed.size === 0) return this.#hasCertain ? 'YMD' : null
    return others.length === 0 ? order : null
  }
}

/** The order that a start gives for all dates. */
export function sameOrder(order: DateFormat): DateOrders {
  return Object.fromEntries(separators.map(separator => [separator, order]))
}

/** Validates orders that were stored or that another process returned. */
export function isDateOrders(value: unknown): value is DateOrders {
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).every(
    ([key, order]) =>
      separators.some(each => each === key) && (order === null || dateFormats.some(each => each === order)),
  )
}
