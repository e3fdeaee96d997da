const dateForm = /^\d{4}-\d{2}-\d{2}$/u
const dateTimeForm = /^(\d{4}-\d{2}-\d{2})[Tt](?:[01]\d|2[0-3]):\d{2}(:\d{2}(\.\d{1,9})?)?([Zz]|[+-]\d{2}:\d{2})$/u

/** Years keep four digits after an offset is applied. In milliseconds. */
export const earliest = Date.parse('0001-01-01T00:00:00.000Z')
export const latest = Date.parse('9999-12-31T23:59:59.999Z')

/** A calendar date `YYYY-MM-DD` that exists, years 0001 to 9999. */
export function isDate(text: string): boolean {
  if (!dateForm.test(text) || text.startsWith('0000')) return false
  const date = new Date(`${text}T00:00:00.000Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === text
}

/** An RFC 3339 timestamp with any offset; its date must exist. */
export function isDateTime(text: string): boolean {
  const day = dateTimeForm.exec(text)?.[1]
  if (day === undefined || !isDate(day)) return false
  const time = Date.parse(text.toUpperCase())
  return !Number.isNaN(time) && time >= earliest && time <= latest
}

/** A timestamp in the form of all answers: UTC with milliseconds. */
export function toUtc(dateTime: string): string {
  return new Date(dateTime.toUpperCase()).toISOString()
}
