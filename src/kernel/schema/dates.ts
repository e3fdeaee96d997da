const dateForm = /^\d{4}-\d{2}-\d{2}$/u
const dateTimeForm = /^(\d{4}-\d{2}-\d{2})[Tt]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?([Zz]|[+-]\d{2}:\d{2})$/u

/** A calendar date `YYYY-MM-DD` that exists, years 0001 to 9999. */
export function isDate(text: string): boolean {
  if (!dateForm.test(text) || text.startsWith('0000')) return false
  const date = new Date(`${text}T00:00:00.000Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === text
}

/** An RFC 3339 timestamp with any offset, whose date exists. */
export function isDateTime(text: string): boolean {
  const day = dateTimeForm.exec(text)?.[1]
  return day !== undefined && isDate(day) && !Number.isNaN(Date.parse(text.toUpperCase()))
}

/** The one form of timestamps in answers: UTC with milliseconds. */
export function toUtc(dateTime: string): string {
  return new Date(dateTime.toUpperCase()).toISOString()
}
