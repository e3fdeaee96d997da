import { describe, expect, it } from 'vitest'
import { DateEvidence, type DateOrders, numericDate, sameOrder } from './date-order.ts'
import { knownLanguages } from './known-languages.ts'
import { monthNamed } from './month-names.ts'
import { readDate, readDateTime } from './read-date.ts'

const dateOf = (text: string, orders: DateOrders = {}) => {
  const read = readDate(text, orders)
  return read === null || typeof read === 'string' ? read : read.date
}
const timeOf = (text: string, orders: DateOrders = {}) => {
  const read = readDateTime(text, orders, 'Europe/Berlin')
  return read === null || typeof read === 'string' ? read : read.date
}
/** The orders of a column with these cells. */
function evidenceOf(...cells: readonly string[]): DateEvidence {
  const evidence = new DateEvidence()
  for (const date of cells.map(numericDate)) if (date !== null) evidence.add(date)
  return evidence
}

describe('a date', () => {
  it.each([
    ...['1 Mar 2024', 'Mar 1, 2024', 'March 1st, 2024', '1st of March 2024', '01-MAR-24', '2024-Mar-01', 'mar. 1 2024'],
    ...['1. März 2024', '1. Mrz 2024', '1 марта 2024 г.', '1er mars 2024', '1 de marzo de 2024', '1 de março de 2024'],
    ...['1 marzo 2024', '1 mrt 2024', '1 marca 2024', '1 березня 2024', '01.03.2024', '1.3.24', '2024-03-01'],
    ...['2024/03/01', '20240301', '45352', '45352.75', '2024-03-01 10:00', '2024-03-01T23:30:00-05:00', '1.3.24, 9:00'],
  ])('is read from %s', text => {
    expect(dateOf(text)).toBe('2024-03-01')
  })

  it.each([
    ...['31.02.2024', '2024-13-01', '1987', '9999', '73051', '123456', 'soon', '1 Jui 2024', 'Mar 2024', '1 2 3', ''],
    ...[
      '2024-03-01 25:00',
      '2024-03-01 10:61',
      '2024-03-01 13:00 pm',
      '2024-03-01 and more',
      `1 Mar ${'2'.repeat(99)}`,
    ],
  ])('is not read from "%s"', text => {
    expect(dateOf(text)).toBeNull()
  })

  it('with a year of two digits is of 1930 to 2029', () => {
    expect(['1.3.29', '1.3.30', '1 Mar 00', '31/12/99'].map(text => dateOf(text))).toEqual([
      '2029-03-01',
      '1930-03-01',
      '2000-03-01',
      '1999-12-31',
    ])
  })

  it('keeps its time and offset, and a time without one is in the time zone', () => {
    const times = {
      '2024-03-01T10:00:00+02:00': '2024-03-01T10:00:00+02:00',
      '2024-03-01 10:00:00.25+02': '2024-03-01T10:00:00.25+02:00',
      '1 Mar 2024 2:30 PM': '2024-03-01T13:30:00.000Z',
      '1.3.2024 12:05 am': '2024-02-29T23:05:00.000Z',
      '45352.75': '2024-03-01T17:00:00.000Z',
      '1.3.24': '2024-02-29T23:00:00.000Z',
    }
    expect(Object.keys(times).map(text => timeOf(text))).toEqual(Object.values(times))
  })
})

describe('the order of day and month', () => {
  it('is open in a single date with slashes that allows both', () => {
    expect(['03/04/2024', '03-04-2024', '3/4/24 10:00'].map(text => dateOf(text))).toEqual(Array(3).fill('unclear'))
    expect(['21/04/2024', '04/21/2024', '03.04.2024', '04/04/2024 x'].map(text => dateOf(text))).toEqual([
      '2024-04-21',
      '2024-04-21',
      '2024-04-03',
      null,
    ])
  })

  it.each([
    [['03/04/2024', '12/21/1987'], 'MDY', '2024-03-04'],
    [['03/04/2024', '21/12/1987'], 'DMY', '2024-04-03'],
    [['03/04/24', '99/12/31'], 'YMD', '2003-04-24'],
    [['03/04/24', '13/05/24'], 'DMY', '2024-04-03'],
    [['03/04/2024', '05/06/2024'], null, 'unclear'],
    [['03/04/2024', '12/21/1987', '21/12/1987'], null, 'unclear'],
    [['2024-03-04', '03/04/2024'], null, 'unclear'],
  ] as const)('is decided by all cells of the column %j: %s', (cells, order, date) => {
    const evidence = evidenceOf(...cells)
    expect([evidence.suggested, evidence.isDoubtful]).toEqual([order, order === null])
    expect(dateOf(cells.find(cell => cell.startsWith('03')) ?? '', evidence.orders)).toBe(date)
  })

  it('is decided for each separator by itself, and certain dates decide nothing', () => {
    const { orders, suggested } = evidenceOf('12/21/1987', '03.04.2024', '2024-01-31')
    expect([dateOf('03/04/2024', orders), dateOf('03.04.2024', orders), suggested]).toEqual([
      '2024-03-04',
      '2024-04-03',
      null,
    ])
    expect(evidenceOf('2024-01-31').suggested).toBe('YMD')
    expect(evidenceOf().suggested).toBeNull()
  })

  it('follows dotted dates that rule out that the day comes first', () => {
    const { orders } = evidenceOf('12.21.1987', '03.04.2024')
    expect(dateOf('03.04.2024', orders)).toBe('2024-03-04')
  })

  it('that is given refuses dates of another order, but not those that begin with the year', () => {
    const read = ['03/04/2024', '12/21/1987', '24/12/31', '2024-03-04'].map(text => dateOf(text, sameOrder('DMY')))
    expect(read).toEqual(['2024-04-03', 'unlike', '1931-12-24', '2024-03-04'])
    expect(dateOf('24/12/31', sameOrder('YMD'))).toBe('2024-12-31')
  })
})

it('each name of a month that the engine writes in a known language is the name of that month', () => {
  const wrong = [...knownLanguages, 'de-AT', 'en-GB', 'es-MX', 'fr-CA'].flatMap(language =>
    (['long', 'short'] as const).flatMap(month =>
      [{ month }, { month, day: 'numeric' } as const].flatMap(form => {
        const calendar = new Intl.DateTimeFormat(language, { ...form, timeZone: 'UTC' })
        return Array.from({ length: 12 }, (_, index) => {
          const parts = calendar.formatToParts(Date.UTC(2024, index, 15))
          return [language, parts.find(({ type }) => type === 'month')?.value ?? '', index + 1] as const
        })
      }),
    ),
  )
  expect(wrong.filter(([, name, number]) => monthNamed(name) !== number)).toEqual([])
})
