import { bounds } from '../../limits/bounds.ts'
import { Decimal } from '../../schema/money.ts'
import type { NumberForm } from './number-formats.ts'

const day = 86_400_000
const daysTo1904 = 1462
/** Excel treats 1900 as a leap year, so before March 1900 its day numbers are off by one. */
const firstRightDay = 61
const latestDay = 2_958_466

/**
 * The text of a number in a sheet, or null if it is not a number: a day as `YYYY-MM-DD`, followed by a time if it has one; any other number
 * in digits without an exponent. A sheet has 15 significant digits, so further digits are dropped.
 */
export function numberText(raw: string, form: NumberForm, countsFrom1904: boolean): string | null {
  const value = Number(raw)
  if (raw.trim() === '' || !Number.isFinite(value)) return null
  if (form.kind === 'time') return timeText(value, countsFrom1904)
  const digits = /^-?\d+$/u.test(raw) ? raw : new Decimal(value.toPrecision(15)).toFixed()
  return form.kind === 'zeros' && /^\d+$/u.test(digits) ? digits.padStart(form.digits, '0') : digits
}

function timeText(value: number, countsFrom1904: boolean): string | null {
  const days = countsFrom1904 ? value + daysTo1904 : value
  if (days < 0 || days >= latestDay) return null
  const seconds = Math.round(days * 86_400)
  const whole = Math.floor(seconds / 86_400)
  const from = whole < firstRightDay - 1 ? Date.UTC(1899, 11, 31) : Date.UTC(1899, 11, 30)
  const text = new Date(from + whole * day + (seconds % 86_400) * 1000).toISOString()
  if (whole === 0) return text.slice(11, 19)
  return seconds % 86_400 === 0 ? text.slice(0, 10) : text.slice(0, 19)
}

/** A text of a workbook with its escapes decoded: `_x000D_` stands for a character that XML cannot contain. */
export function unescaped(text: string): string {
  if (!text.includes('_x')) return text
  return text.replaceAll(/_x([0-9a-f]{4})_/giu, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}

/**
 * Appends a piece to a text. A text can have any number of pieces, so nothing is appended once it is far longer than a cell may be. A
 * character takes at most seven, as `_x000D_`.
 */
export function grown(text: string, piece: string): string {
  return text.length > 7 * bounds.importCell.most ? text : text + piece
}
