import { describe, expect, it } from 'vitest'
import { isLater } from './time-zone.ts'

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
