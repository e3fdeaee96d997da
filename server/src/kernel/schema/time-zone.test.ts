import { describe, expect, it } from 'vitest'
import { dateAt, inKnownCase, isLater, isTimeZone, momentAt, startOfDay } from './time-zone.ts'

describe('a timestamp compared with another', () => {
  it('is later when its moment is, whatever the time zone', () => {
    for (const timeZone of ['UTC', 'Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
      expect(isLater('2026-03-01T10:00:00.001Z', '2026-03-01T10:00:00.000Z', timeZone)).toBe(true)
      expect(isLater('2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z', timeZone)).toBe(false)
      expect(isLater('2026-03-01T09:59:59.999Z', '2026-03-01T10:00:00.000Z', timeZone)).toBe(false)
    }
  })
})

/** The first moment that is later than the date. It is found by halving a span of four days around the date. */
function endOf(date: string, timeZone: string): string {
  let [during, after] = [Date.parse(date) - 2 * 86_400_000, Date.parse(date) + 2 * 86_400_000]
  while (after - during > 1) {
    const middle = Math.floor((during + after) / 2)
    if (isLater(new Date(middle).toISOString(), date, timeZone)) after = middle
    else during = middle
  }
  return new Date(after).toISOString()
}

describe('a timestamp compared with a date', () => {
  it.each([
    ['UTC', '2026-03-01', '2026-03-02T00:00:00.000Z'],
    ['America/New_York', '2026-01-15', '2026-01-16T05:00:00.000Z'],
    ['Asia/Kathmandu', '2026-01-15', '2026-01-15T18:15:00.000Z'],
    ['Pacific/Kiritimati', '2026-01-15', '2026-01-15T10:00:00.000Z'],
    ['Pacific/Pago_Pago', '2026-01-15', '2026-01-16T11:00:00.000Z'],
  ])('in %s is later than %s from %s on', (timeZone, date, end) => {
    expect(endOf(date, timeZone)).toBe(end)
  })

  it.each([
    ['the day before clocks go forward', 'Europe/Berlin', '2026-03-28', '2026-03-28T23:00:00.000Z'],
    ['the day of 23 hours', 'Europe/Berlin', '2026-03-29', '2026-03-29T22:00:00.000Z'],
    ['the day of 25 hours', 'Europe/Berlin', '2026-10-25', '2026-10-25T23:00:00.000Z'],
    ['the day of 23 hours in New York', 'America/New_York', '2026-03-08', '2026-03-09T04:00:00.000Z'],
    ['the day of 25 hours in New York', 'America/New_York', '2026-11-01', '2026-11-02T05:00:00.000Z'],
    ['a day after which midnight is left out', 'Africa/Cairo', '2026-04-23', '2026-04-23T22:00:00.000Z'],
    ['a day whose last hour is left out', 'America/Nuuk', '2026-03-28', '2026-03-29T01:00:00.000Z'],
    ['a day whose last hour comes twice', 'America/Sao_Paulo', '2018-02-17', '2018-02-18T03:00:00.000Z'],
    ['half an hour of summer time', 'Australia/Lord_Howe', '2026-04-05', '2026-04-05T13:30:00.000Z'],
    ['a day of clocks that differ by seconds', 'Africa/Monrovia', '1971-01-15', '1971-01-16T00:44:30.000Z'],
    ['a day that the time zone left out', 'Pacific/Apia', '2011-12-30', '2011-12-30T10:00:00.000Z'],
  ])('%s: %s %s ends at %s', (_, timeZone, date, end) => {
    expect(endOf(date, timeZone)).toBe(end)
  })

  it('knows the first and the last year', () => {
    expect(isLater('0001-01-01T00:00:00.000Z', '0001-01-01', 'America/New_York')).toBe(false)
    expect(isLater('9999-12-31T23:59:59.999Z', '9999-12-31', 'UTC')).toBe(false)
    expect(isLater('9999-12-31T23:59:59.999Z', '9999-12-31', 'Pacific/Kiritimati')).toBe(true)
    expect(isLater('9999-12-31T23:59:59.999Z', '9999-12-31', 'America/New_York')).toBe(false)
  })
})

describe('the first moment of a date', () => {
  it.each([
    ['UTC', '2026-03-01', '2026-03-01T00:00:00.000Z'],
    ['Pacific/Kiritimati', '2026-01-15', '2026-01-14T10:00:00.000Z'],
    ['Pacific/Pago_Pago', '2026-01-15', '2026-01-15T11:00:00.000Z'],
    ['Africa/Monrovia', '1971-01-16', '1971-01-16T00:44:30.000Z'],
    ['Asia/Kolkata', '2026-01-15', '2026-01-14T18:30:00.000Z'],
    ['Asia/Kathmandu', '2026-01-15', '2026-01-14T18:15:00.000Z'],
    ['America/St_Johns', '2026-07-15', '2026-07-15T02:30:00.000Z'],
    ['Europe/Berlin', '2026-03-30', '2026-03-29T22:00:00.000Z'],
    ['Europe/Berlin', '2026-10-26', '2026-10-25T23:00:00.000Z'],
  ])('in %s on %s is %s', (timeZone, date, start) => {
    expect(startOfDay(date, timeZone)).toBe(start)
  })

  it.each([
    ['a midnight that is left out', 'Africa/Cairo', '2026-04-24', '2026-04-23T22:00:00.000Z'],
    ['a midnight that comes twice', 'America/Havana', '2026-11-01', '2026-11-01T04:00:00.000Z'],
    ['a last hour that comes twice', 'America/Sao_Paulo', '2018-02-18', '2018-02-18T03:00:00.000Z'],
    ['a day that was left out', 'Pacific/Apia', '2011-12-30', '2011-12-30T10:00:00.000Z'],
    ['the day behind it', 'Pacific/Apia', '2011-12-31', '2011-12-30T10:00:00.000Z'],
    ['the first day of all', 'Asia/Tokyo', '0001-01-01', '0001-01-01T00:00:00.000Z'],
    ['the last one', 'UTC', '9999-12-31', '9999-12-31T00:00:00.000Z'],
  ])('%s, in %s on %s, is %s', (_, timeZone, date, start) => {
    expect(startOfDay(date, timeZone)).toBe(start)
  })
})

it.each([
  ['UTC', '2026-03-01T23:59:59.999Z', '2026-03-01'],
  ['Pacific/Kiritimati', '2026-03-01T10:00:00.000Z', '2026-03-02'],
  ['Pacific/Kiritimati', '2026-03-01T09:59:59.999Z', '2026-03-01'],
  ['America/New_York', '2026-03-08T04:59:59.999Z', '2026-03-07'],
])('the clocks of %s show at %s the date %s', (timeZone, moment, date) => {
  expect(dateAt(Date.parse(moment), timeZone)).toBe(date)
})

describe('the name of a time zone', () => {
  it.each([
    ...['UTC', 'Europe/Berlin', 'europe/berlin', 'US/Pacific', 'Asia/Kolkata'].map(zone => [zone, true] as const),
    ...['', 'Mars/Olympus', '+01:00', '-0800', ' UTC'].map(zone => [zone, false] as const),
  ])('%j is one: %s', (zone, isOne) => {
    expect(isTimeZone(zone)).toBe(isOne)
  })

  it('has its letter case corrected, and stays the alias of the request', () => {
    expect(['europe/berlin', 'AMERICA/NEW_YORK', 'utc'].map(inKnownCase)).toEqual([
      ...['Europe/Berlin', 'America/New_York', 'UTC'],
    ])
    expect(['US/Pacific', 'Asia/Kolkata'].map(inKnownCase)).toEqual(['US/Pacific', 'Asia/Kolkata'])
  })

  it('stays as it is where it names none', () => {
    expect(['Mars/Olympus', '', 1, null, undefined].map(inKnownCase)).toEqual(['Mars/Olympus', '', 1, null, undefined])
  })
})

describe('the moment at which clocks show a date and time', () => {
  it.each([
    ['UTC', '2026-03-01T10:00', '2026-03-01T10:00:00.000Z'],
    ['Europe/Berlin', '2026-03-01T10:00:30', '2026-03-01T09:00:30.000Z'],
    ['Europe/Berlin', '2026-07-01T10:00:00.5', '2026-07-01T08:00:00.500Z'],
    ['Asia/Kathmandu', '2026-01-15T00:00', '2026-01-14T18:15:00.000Z'],
    ['America/New_York', '2026-11-01T00:30', '2026-11-01T04:30:00.000Z'],
    ['America/New_York', '2026-11-01T01:30', '2026-11-01T05:30:00.000Z'],
    ['America/New_York', '2026-11-01T02:30', '2026-11-01T07:30:00.000Z'],
    ['Europe/Berlin', '2026-10-25T02:59:59', '2026-10-25T00:59:59.000Z'],
    ['Europe/Berlin', '2026-03-29T02:30', '2026-03-29T01:00:00.000Z'],
  ])('in %s is for %s %s', (timeZone, local, moment) => {
    expect(momentAt(local, timeZone)).toBe(moment)
  })
})
