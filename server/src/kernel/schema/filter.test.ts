import { describe, expect, it } from 'vitest'
import { byDate, byDateOrTime, byTime } from './filter.ts'

const organization = { country: 'DE', timeZone: 'Europe/Berlin' }

/** The SQL of a filter of the column `t.c`, and its values. */
function shown(filter: ReturnType<typeof byTime>[string] | undefined, value: string, part: 'condition' | 'range') {
  const values: unknown[] = []
  const bind = (each: unknown) => `$${values.push(each)}`
  return [filter?.[part]?.('t.c', [filter.parse(value)], { organization, bind }), ...values]
}

describe('filters by the ends of a range', () => {
  it('include From, and exclude To', () => {
    const { createdFrom, createdTo } = byTime('created', 'Created')
    expect(shown(createdFrom, '2026-01-31T10:15:00+01:00', 'range')).toEqual([
      't.c >= $1::timestamptz',
      '2026-01-31T09:15:00.000Z',
    ])
    expect(shown(createdTo, '2026-01-31T09:15:00Z', 'range')).toEqual([
      't.c < $1::timestamptz',
      '2026-01-31T09:15:00.000Z',
    ])
    expect(shown(byDate('close', 'Closed').closeTo, '2026-01-31', 'condition')).toEqual([
      't.c < $1::date',
      '2026-01-31',
    ])
  })

  it('take no other form', () => {
    expect(byTime('created', 'Created').createdFrom?.parse('2026-01-31')).toBeUndefined()
    expect(byDate('close', 'Closed').closeFrom?.parse('2026-02-30')).toBeUndefined()
    expect(byDateOrTime('due', 'Due').dueTo?.parse('2026-01-31T10')).toBeUndefined()
  })

  it.each([
    // A day of a record ends with it: at its last moment it is the day of the limit.
    ['dueFrom', '2026-03-31', '2026-03-31', '2026-03-30T22:00:00.000Z', '2026-03-30T22:00:00.000Z'],
    ['dueTo', '2026-04-01', '2026-04-01', '2026-03-31T22:00:00.000Z', '2026-04-01'],
    ['dueFrom', '2026-03-31T23:30:00Z', '2026-04-01', '2026-03-31T23:30:00.000Z', '2026-03-31T23:30:00.000Z'],
    ['dueTo', '2026-03-31T12:00:00Z', '2026-03-31', '2026-03-31T12:00:00.000Z', '2026-03-31T12:00:00.000Z'],
  ])('compare with %s=%s days of records as days, and times as times', (name, value, day, time, outermost) => {
    const filter = byDateOrTime('due', 'Due')[name]
    const operator = name === 'dueTo' ? '<' : '>='
    const exactly = `t.c ${operator} case when length(t.c) = 10 then $1::text else $2::text end`
    expect(shown(filter, value, 'condition')).toEqual([exactly, day, time])
    expect(shown(filter, value, 'range')).toEqual([`t.c ${operator} $1::text collate "C"`, outermost])
  })
})
