import { isDate, isDateTime, momentAt } from '../../../kernel/schema/index.ts'
import { type DateOrders, dateFrom, numericDate, orderOf } from './date-order.ts'
import { monthNamed } from './month-names.ts'

/** Why a text is not read as a date: `unclear` if it can be several dates, `unlike` if it is none in the order of its column. */
export type DateFault = 'unclear' | 'unlike'

/** A date or timestamp; why a text is none in its column; or null if it is nothing like one. */
export type ReadDate = { readonly date: string } | DateFault | null

interface Moment {
  readonly date: string
  /** `10:00:00` or with a fraction; null without a time. */
  readonly time: string | null
  /** `Z` or `+02:00`; null without one. */
  readonly offset: string | null
}

const longest = 60

/** The date `YYYY-MM-DD` of a cell, without its time. `orders` are those of the column. */
export function readDate(text: string, orders: DateOrders): ReadDate {
  const moment = momentOf(text, orders)
  return moment === null || typeof moment === 'string' ? moment : { date: moment.date }
}

/** The timestamp of a cell. A time without an offset is in the time zone, and a date is its beginning there. */
export function readDateTime(text: string, orders: DateOrders, timeZone: string): ReadDate {
  if (isDateTime(text)) return { date: text }
  const moment = momentOf(text, orders)
  if (moment === null || typeof moment === 'string') return moment
  const local = `${moment.date}T${moment.time ?? '00:00:00'}`
  const timestamp = moment.offset === null ? momentAt(local, timeZone) : `${local}${moment.offset}`
  return isDateTime(timestamp) ? { date: timestamp } : null
}

const clock =
  '(\\d{1,2}):(\\d{2})(?::(\\d{2})(?:[.,](\\d{1,9}))?)?\\s?([ap]\\.?m\\.?)?\\s?(z|utc|gmt|[+-]\\d{2}(?::?\\d{2})?)?'
const dayAndClock = new RegExp(`^(.+?)(?:(?:t|,?\\s)\\s?${clock})?$`, 'iu')

function momentOf(text: string, orders: DateOrders): Moment | DateFault | null {
  if (text.length > longest) return null
  const serial = fromSerial(text)
  if (serial !== null) return serial
  const [, day = '', hours, minutes = '', seconds = '00', fraction, half, offset] = dayAndClock.exec(text) ?? []
  const read = dateOf(day.trim(), orders)
  if (read === null || typeof read === 'string') return read
  const { date } = read
  if (hours === undefined) return { date, time: null, offset: null }
  const hour = hourOfDay(Number(hours), half)
  if (hour === null || Number(minutes) > 59 || Number(seconds) > 59) return null
  const time = `${String(hour).padStart(2, '0')}:${minutes}:${seconds}${fraction === undefined ? '' : `.${fraction}`}`
  return { date, time, offset: offset === undefined ? null : wholeOffset(offset) }
}

function hourOfDay(hours: number, half: string | undefined): number | null {
  if (half === undefined) return hours < 24 ? hours : null
  if (hours < 1 || hours > 12) return null
  return (hours % 12) + (/^p/iu.test(half) ? 12 : 0)
}

function wholeOffset(offset: string): string {
  const [, sign, hours, minutes = '00'] = /^([+-])(\d{2}):?(\d{2})?$/u.exec(offset) ?? []
  return sign === undefined ? 'Z' : `${sign}${hours}:${minutes}`
}

function dateOf(text: string, orders: DateOrders): ReadDate {
  const packed = /^(\d{4})\/?(\d{2})\/?(\d{2})$/u.exec(text)
  if (packed !== null) return found(dateFrom(packed[1] ?? '', packed[2] ?? '', packed[3] ?? ''))
  if (isDate(text)) return { date: text }
  const numeric = numericDate(text)
  if (numeric === null) return found(namedDate(text))
  const { separator, isCertain, dates } = numeric
  const order = isCertain ? 'YMD' : orders[separator]
  if (order !== undefined && order !== null) return found(dates[order]) ?? 'unlike'
  const allowed = (['DMY', 'MDY', 'YMD'] as const).filter(each => dates[each] !== undefined)
  // Where the column contradicts itself, only a date that can be read in one way is certain.
  const own = order === undefined ? orderOf(allowed, separator) : allowed.length === 1 ? allowed[0] : null
  return own === null || own === undefined ? 'unclear' : found(dates[own])
}

function found(date: string | null | undefined): { readonly date: string } | null {
  return date === null || date === undefined ? null : { date }
}

const betweenWords = /[\s,./-]+/u
/** What stands beside the numbers and the name of a month, as in "1st of March 2024" and "1 марта 2024 г." */
const around = /^(?:of|de|del|di|the|г|года|р|року|st|nd|rd|th|er)$/u
const ordinal = /^(\d{1,2})(?:st|nd|rd|th|er|º|°|ª)$/u

/** A date with the name of its month: `1 Mar 2024`, `March 1st, 2024`, `1. März 2024`, `2024-Mar-01`, `1 de marzo de 2024`. */
function namedDate(text: string): string | null {
  if (!/\p{L}{3}/u.test(text) || !/\d/u.test(text)) return null
  const words = text
    .toLowerCase()
    .split(betweenWords)
    .filter(word => word !== '' && !around.test(word))
  const numbers = words.map(word => ordinal.exec(word)?.[1] ?? word).filter(word => /^\d+$/u.test(word))
  const [first = '', second = ''] = numbers
  const name = words.find(word => /^\p{L}/u.test(word))
  if (words.length !== 3 || numbers.length !== 2 || name === undefined) return null
  const month = monthNamed(name)
  if (month === null) return null
  const [year, day] = first.length === 4 ? [first, second] : [second, first]
  return dateFrom(year, String(month), day)
}

const dayInMilliseconds = 24 * 60 * 60 * 1000
/** Day 0 of the serial numbers of spreadsheets, for days from March 1900 on. */
const dayZero = Date.UTC(1899, 11, 30)
// Five digits: fewer are a year. From 1927-05-18 to 2099-12-31.
const [leastSerial, mostSerial] = [10_000, 73_050]

/** The date that a spreadsheet has saved as the number of days since the end of 1899. */
function fromSerial(text: string): Moment | null {
  if (!/^\d{5}(?:\.\d{1,12})?$/u.test(text)) return null
  const days = Number(text)
  if (days < leastSerial || days >= mostSerial + 1) return null
  const shown = new Date(dayZero + Math.round((days * dayInMilliseconds) / 1000) * 1000).toISOString()
  return { date: shown.slice(0, 10), time: text.includes('.') ? shown.slice(11, 19) : null, offset: null }
}
