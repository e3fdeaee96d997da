/**
 * An amount with its currency behind: `1,200.00 USD`. Amounts are decimal texts, and none of their digits is lost. Answers the text itself
 * where it is no amount.
 */
export function formatMoney(amount: string, currency: string | null, locale: string): string {
  if (!/^-?\d+(?:\.\d+)?$/u.test(amount)) return amount
  const [whole = '', fraction = ''] = amount.split('.')
  const digits = Math.max(digitsOf(currency), fraction.replace(/0+$/u, '').length)
  const grouped = new Intl.NumberFormat(locale).format(BigInt(whole))
  const shown =
    digits === 0 ? grouped : `${grouped}${decimalMark(locale)}${fraction.slice(0, digits).padEnd(digits, '0')}`
  return currency === null ? shown : `${shown} ${currency}`
}

function digitsOf(currency: string | null): number {
  if (currency === null) return 0
  try {
    return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2
  } catch {
    return 2
  }
}

function decimalMark(locale: string): string {
  return new Intl.NumberFormat(locale).formatToParts(1.5).find(({ type }) => type === 'decimal')?.value ?? '.'
}

/**
 * What was typed as an amount, as the API takes it: `1.200,50` in German becomes `1200.50`. Marks of groups are read only before groups of
 * three digits. Answers the text itself if it is none.
 */
export function parseMoney(typed: string, locale: string): string {
  const text = typed.trim()
  const mark = decimalMark(locale)
  const group = new Intl.NumberFormat(locale).formatToParts(1_234_567).find(({ type }) => type === 'group')?.value
  const parts = text.split(mark)
  const [whole = '', fraction] = parts
  const groups = whole.split(/\s/u.test(group ?? ' ') ? /\s/u : new RegExp(`[\\s${group}]`, 'u'))
  const isGrouped = groups.every((digits, index) => (index === 0 ? /^\d{1,3}$/u : /^\d{3}$/u).test(digits))
  const isWhole = isGrouped || /^\d+$/u.test(whole)
  if (!isWhole || parts.length > 2 || (fraction !== undefined && !/^\d+$/u.test(fraction))) return text
  return fraction === undefined ? groups.join('') : `${groups.join('')}.${fraction}`
}

/** What was typed as a number: null where nothing was, and the text itself where it is none. */
export function parseNumber(typed: string, locale: string): number | string | null {
  const text = typed.trim()
  if (text === '') return null
  const [, sign = '', digits = ''] = /^([-\u2212]?)(.*)$/u.exec(text) ?? []
  const read = parseMoney(digits, locale)
  if (!/^\d+(?:\.\d+)?$/u.test(read)) return text
  return sign === '' ? Number(read) : -Number(read)
}

/** An amount as people of the language type it: `1200.50` in German is `1200,50`. */
export function typedMoney(amount: string, locale: string): string {
  return amount.replace('.', decimalMark(locale))
}

/** A number with the groups of the language. */
export function formatNumber(value: number, locale: string): string {
  return new Intl.NumberFormat(locale).format(value)
}

/** A calendar date such as 2026-03-31, in words of the language. It belongs to no time zone. */
export function formatDate(date: string, locale: string, now: Date): string {
  const [year, month, day] = date.slice(0, 10).split('-').map(Number)
  if (year === undefined || month === undefined || day === undefined || Number.isNaN(year + month + day)) return date
  const isThisYear = year === now.getFullYear()
  return new Intl.DateTimeFormat(locale, {
    day: 'numeric',
    month: 'short',
    ...(!isThisYear && { year: 'numeric' }),
    timeZone: 'UTC',
  }).format(Date.UTC(year, month - 1, day))
}

/** Date and time in full, for titles and the timeline. */
export function formatMoment(moment: string, locale: string): string {
  const at = new Date(moment)
  if (Number.isNaN(at.getTime())) return moment
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }).format(at)
}

/** The time of day. */
export function formatTime(moment: string, locale: string): string {
  return new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' }).format(new Date(moment))
}

/** The day in words: today and yesterday by name. */
export function formatDay(moment: string, locale: string, now: Date): string {
  const at = new Date(moment)
  const days = dayNumber(now) - dayNumber(at)
  if (days === 0 || days === 1)
    return capital(new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(-days, 'day'), locale)
  const isThisYear = at.getFullYear() === now.getFullYear()
  return new Intl.DateTimeFormat(locale, {
    day: 'numeric',
    month: 'long',
    ...(!isThisYear && { year: 'numeric' }),
  }).format(at)
}

/** How long ago something was, short enough for a column: `2 min`, `18 h`, `Yesterday`, `22 Nov`. */
export function formatAgo(moment: string, locale: string, now: Date): string {
  const at = new Date(moment)
  if (Number.isNaN(at.getTime())) return moment
  const seconds = Math.max(0, (now.getTime() - at.getTime()) / 1000)
  const unit = (value: number, name: 'second' | 'minute' | 'hour') =>
    new Intl.NumberFormat(locale, { style: 'unit', unit: name, unitDisplay: 'short' }).format(Math.floor(value))
  if (seconds < 60) return unit(seconds, 'second')
  if (seconds < 3600) return unit(seconds / 60, 'minute')
  const days = dayNumber(now) - dayNumber(at)
  if (days <= 0) return unit(seconds / 3600, 'hour')
  if (days === 1) return capital(new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(-1, 'day'), locale)
  const isThisYear = at.getFullYear() === now.getFullYear()
  return new Intl.DateTimeFormat(locale, {
    day: 'numeric',
    month: 'short',
    ...(!isThisYear && { year: 'numeric' }),
  }).format(at)
}

/** How many days ago something was, such as `3 days`, or how many hours on the same day. */
export function formatDays(moment: string, locale: string, now: Date): string {
  const at = new Date(moment)
  if (Number.isNaN(at.getTime())) return moment
  const days = dayNumber(now) - dayNumber(at)
  if (days <= 0) return formatAgo(moment, locale, now)
  return new Intl.NumberFormat(locale, { style: 'unit', unit: 'day', unitDisplay: 'short' }).format(days)
}

/** When something is due: a day by its name where it is near, with the time where it has one. */
export function formatDue(due: string, locale: string, now: Date): string {
  const isDay = due.length <= 10
  const at = new Date(isDay ? `${due}T00:00:00` : due)
  if (Number.isNaN(at.getTime())) return due
  const days = dayNumber(at) - dayNumber(now)
  if (Math.abs(days) > 1) return isDay ? formatDate(due, locale, now) : formatMoment(due, locale)
  const day = capital(new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(days, 'day'), locale)
  return isDay ? day : `${day}, ${formatTime(due, locale)}`
}

function dayNumber(at: Date): number {
  return Math.floor(Date.UTC(at.getFullYear(), at.getMonth(), at.getDate()) / 86_400_000)
}

function capital(text: string, locale: string): string {
  return `${text.charAt(0).toLocaleUpperCase(locale)}${text.slice(1)}`
}
