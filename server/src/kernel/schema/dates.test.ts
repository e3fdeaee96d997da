import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { earliest, isDate, isDateTime, latest, toUtc } from './dates.ts'

const digits = (number: number, length = 2) => String(number).padStart(length, '0')
const between = (min: number, max: number) => fc.integer({ min, max })

function daysOf(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}

const days = fc.tuple(between(1, 9999), between(1, 12), between(1, 31)).map(([year, month, day]) => ({
  text: `${digits(year, 4)}-${digits(month)}-${digits(day)}`,
  exists: day <= daysOf(year, month),
}))

/** RFC 3339 timestamps, each with its instant. An offset may take the first and last days out of the years 0001 to 9999. */
const timestamps = fc
  .record({
    day: days.filter(({ exists }) => exists),
    time: fc.tuple(between(0, 23), between(0, 59), between(0, 59)),
    fraction: fc.option(fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 9 })),
    offset: fc.option(fc.tuple(fc.constantFrom('+', '-'), between(0, 23), between(0, 59))),
    letters: fc.constantFrom('TZ', 'tz'),
  })
  .map(({ day, time: [hour, minute, second], fraction, offset, letters: [t = 'T', z = 'Z'] }) => {
    const [sign, hours, minutes] = offset ?? ['+', 0, 0]
    const local = Date.parse(`${day.text}T${digits(hour)}:${digits(minute)}:${digits(second)}Z`)
    const shift = (sign === '+' ? 1 : -1) * (hours * 60 + minutes) * 60_000
    const milliseconds = Number((fraction ?? '').slice(0, 3).padEnd(3, '0'))
    const zone = offset === null ? z : `${sign}${digits(hours)}:${digits(minutes)}`
    const clock = `${digits(hour)}:${digits(minute)}:${digits(second)}`
    return {
      text: `${day.text}${t}${clock}${fraction === null ? '' : `.${fraction}`}${zone}`,
      instant: local + milliseconds - shift,
    }
  })
  .filter(({ instant }) => instant >= earliest && instant <= latest)

describe('isDate', () => {
  it('takes exactly the days that the calendar has, years 0001 to 9999', () => {
    fc.assert(
      fc.property(days, ({ text, exists }) => {
        expect(isDate(text)).toBe(exists)
      }),
      { numRuns: 1000 },
    )
  })

  it.each([
    '0000-01-01',
    '2026-00-10',
    '2026-13-01',
    '2026-01-00',
    '2026-1-1',
    '20260101',
    ' 2026-01-01',
    '2026-01-01\n',
  ])('refuses %j', text => {
    expect(isDate(text)).toBe(false)
  })

  it.each(['+002026-01-01', '+010000-01', '2026-01-01T00:00:00Z', '٢٠٢٦-٠١-٠١', 'today', ''])('refuses %j', text => {
    expect(isDate(text)).toBe(false)
  })
})

describe('isDateTime', () => {
  it('takes every timestamp of RFC 3339 with any offset', () => {
    fc.assert(fc.property(timestamps, ({ text }) => isDateTime(text)))
  })

  it('takes a time without seconds', () => {
    expect(isDateTime('2026-01-31T09:15Z')).toBe(true)
  })

  it.each([
    '2026-02-30T00:00:00Z',
    '2026-01-31',
    '2026-01-31T09:15:00',
    '2026-01-31 09:15:00Z',
    '2026-01-31T24:00:00Z',
    '2026-01-31T23:60:00Z',
    '2026-01-31T23:59:61Z',
    '2026-01-31T9:15:00Z',
    '2026-01-31T09:15:00+1:00',
    '2026-01-31T09:15:00+0100',
    '2026-01-31T09:15:00+24:00',
    '2026-01-31T09:15:00+01:60',
    '2026-01-31T09:15:00+99:99',
    '2026-01-31T09:15:00.Z',
    '2026-01-31T09:15:00.1234567890Z',
    '2026-01-31T09:15:00Z ',
    '2026-01-31T09:15:00Z (UTC)',
    ' 2026-01-31T09:15:00Z',
    '(at) 2026-01-31T09:15:00Z',
    'now',
    '',
  ])('refuses %j', text => {
    expect(isDateTime(text)).toBe(false)
  })
})

describe('the first and the last moment', () => {
  it.each([
    ['0001-01-01T00:00:00Z', true],
    ['0001-01-01T00:00:00+00:01', false],
    ['9999-12-31T23:59:59.999Z', true],
    ['9999-12-31T23:59:59.999-00:01', false],
  ])('have years of four digits in UTC: %s is one: %s', (text, possible) => {
    expect(isDateTime(text)).toBe(possible)
  })

  it('are the same with small letters', () => {
    expect(isDateTime('0001-01-01t00:00:00z')).toBe(true)
    expect(toUtc('0001-01-01t00:00:00z')).toBe('0001-01-01T00:00:00.000Z')
  })
})

describe('toUtc', () => {
  it('gives the same instant, to the millisecond', () => {
    fc.assert(
      fc.property(timestamps, ({ text, instant }) => {
        expect(Date.parse(toUtc(text))).toBe(instant)
      }),
    )
  })

  it('gives every timestamp that is taken the one form of answers', () => {
    fc.assert(
      fc.property(timestamps, ({ text }) => {
        fc.pre(isDateTime(text))
        expect(toUtc(text)).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/u)
      }),
    )
  })

  it.each(['9999-12-31T23:59:59-01:00', '0001-01-01T00:00:00+01:00'])(
    'never gets %s, which lies outside the years 0001 to 9999 of UTC',
    text => {
      expect(isDateTime(text)).toBe(false)
    },
  )
})
