import { expect, test } from 'vitest'
import {
  formatAgo,
  formatDate,
  formatDay,
  formatDays,
  formatDue,
  formatMoney,
  parseMoney,
  parseNumber,
  typedMoney,
} from './formats.ts'

test('an amount keeps all of its digits and has its currency behind', () => {
  expect(formatMoney('1200', 'USD', 'en')).toBe('1,200.00 USD')
  expect(formatMoney('999999999999999.123456', 'USD', 'en')).toBe('999,999,999,999,999.123456 USD')
  expect(formatMoney('1200.5', 'EUR', 'de')).toBe('1.200,50 EUR')
  expect(formatMoney('1200', 'JPY', 'en')).toBe('1,200 JPY')
  expect(formatMoney('12', null, 'en')).toBe('12')
  expect(formatMoney('hidden', 'USD', 'en')).toBe('hidden')
})

test('an amount is read as people of the language write it', () => {
  expect(parseMoney('1,200.50', 'en')).toBe('1200.50')
  expect(parseMoney('1.200,50', 'de')).toBe('1200.50')
  expect(parseMoney('1 200,5', 'ru')).toBe('1200.5')
  expect(parseMoney('12 apples', 'en')).toBe('12 apples')
})

test('a mark of groups is read only before three digits', () => {
  expect(parseMoney('12,50', 'en')).toBe('12,50')
  expect(parseMoney('1,2000', 'en')).toBe('1,2000')
  expect(parseMoney('1200,500', 'en')).toBe('1200,500')
  expect(parseMoney('1,200,500', 'en')).toBe('1200500')
  expect(parseMoney('1500.00', 'de')).toBe('1500.00')
  expect(parseMoney('1,5,0', 'de')).toBe('1,5,0')
})

test.for(['en', 'de', 'ru'])('an amount that is shown to be typed over is read as itself in %s', locale => {
  expect(parseMoney(typedMoney('1500.00', locale), locale)).toBe('1500.00')
  expect(parseMoney(typedMoney('1234.567', locale), locale)).toBe('1234.567')
})

test('a number is read as people of the language write it, and what is none stays as it was typed', () => {
  expect(parseNumber('1,5', 'de')).toBe(1.5)
  expect(parseNumber('-1.200,5', 'de')).toBe(-1200.5)
  expect(parseNumber('1.5', 'en')).toBe(1.5)
  expect(parseNumber('  ', 'en')).toBeNull()
  for (const text of ['1,', '1,5', '1e5', '0x10', 'Infinity', '-', 'ten']) expect(parseNumber(text, 'en')).toBe(text)
})

test('a calendar date is the same day everywhere', () => {
  const now = new Date('2026-11-28T12:00:00')
  expect(formatDate('2026-03-31', 'en', now)).toBe('Mar 31')
  expect(formatDate('2025-03-31', 'de', now)).toBe('31. März 2025')
  expect(formatDate('not a date', 'en', now)).toBe('not a date')
})

test('a column tells in short how long ago something was', () => {
  const now = new Date('2026-11-28T12:00:00')
  expect(formatAgo(new Date('2026-11-28T11:58:00').toISOString(), 'en', now)).toBe('2 min')
  expect(formatAgo(new Date('2026-11-28T09:30:00').toISOString(), 'en', now)).toBe('2 hr')
  expect(formatAgo(new Date('2026-11-27T23:30:00').toISOString(), 'en', now)).toBe('Yesterday')
  expect(formatAgo(new Date('2026-11-22T11:58:00').toISOString(), 'en', now)).toBe('Nov 22')
  expect(formatDay(new Date('2026-11-28T00:10:00').toISOString(), 'de', now)).toBe('Heute')
})

test('what is due near now is told by the name of its day, in the language, and with its time where it has one', () => {
  const now = new Date(2026, 2, 31, 10, 0)
  expect(formatDue('2026-03-31', 'en', now)).toBe('Today')
  expect(formatDue('2026-04-01', 'de', now)).toBe('Morgen')
  expect(formatDue('2026-03-30', 'ru', now)).toBe('Вчера')
  expect(formatDue('2026-04-02', 'en', now)).toBe('Apr 2')
  expect(formatDue(new Date(2026, 2, 31, 15, 30).toISOString(), 'de', now)).toBe('Heute, 15:30')
})

test('how long something has lasted is told in days, and in hours on the first one', () => {
  const now = new Date(2026, 2, 31, 10, 0)
  expect(formatDays(new Date(2026, 2, 28, 23, 0).toISOString(), 'en', now)).toBe('3 days')
  expect(formatDays(new Date(2026, 2, 30, 23, 0).toISOString(), 'de', now)).toBe('1 Tg.')
  expect(formatDays(new Date(2026, 2, 31, 8, 0).toISOString(), 'en', now)).toBe('2 hr')
})
