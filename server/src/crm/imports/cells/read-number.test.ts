import { describe, expect, it } from 'vitest'
import { type DecimalMark, NumberEvidence } from './decimal-mark.ts'
import { type ReadNumber, readDecimal, readInteger, writtenNumber } from './read-number.ts'

const plain = (read: ReadNumber) => (read === null || read === 'unclear' ? read : read.number)
const decimal = (text: string, mark: DecimalMark | null) => plain(readDecimal(text, mark))
const integer = (text: string, mark: DecimalMark | null) => plain(readInteger(text, mark))

/** The evidence of a column with these cells. */
function evidenceOf(...cells: readonly string[]): NumberEvidence {
  const evidence = new NumberEvidence(null)
  for (const cell of cells) evidence.add(writtenNumber(cell)?.readings ?? {})
  return evidence
}

it.each([
  [['1234.5', '1,234.50', '1 234.5', '1\u00a0234.5', '1\u2009234.5', '1\u202f234.5', "1'234.5", '1’234.50'], 1234.5],
  [
    ['1.234,5', '1 234,50', "1'234,5", '1234,5', '1234,50 €', '€1.234,5', 'EUR 1.234,50', '1234,5 USD', 'US$ 1234.5'],
    1234.5,
  ],
  [['-5.5', '−5,5', '5.5-', '(5.5)', '($5.50)', '$(5.50)', '-$5.50', '$ -5.50', '(5,50 €)', '-5.5 %'], -5.5],
  [['1234567', '1,234,567', '1.234.567', '12,34,567', '1 234 567', '0001234567', '+1234567'], 1234567],
])('the numbers %j are one', (texts, number) => {
  expect(texts.map(text => Number(decimal(text, null)))).toEqual(texts.map(() => number))
})

it('no number is read from other texts', () => {
  const texts = [
    '',
    '-',
    '1..2',
    '1,23,45',
    '1.23.4567',
    '12,34',
    '12 abc',
    '5 XXQ',
    '--5',
    '(-5)',
    '(5',
    '1e5',
    '1,2.3,4',
  ]
  const read = ['12,34', ...texts.filter(text => text !== '12,34')].map(text => decimal(text, null))
  expect(read).toEqual(['12.34', ...texts.slice(1).map(() => null)])
  expect(decimal('1'.repeat(61), null)).toBeNull()
})

describe('a mark before three digits', () => {
  it('is unclear unless the mark is given', () => {
    expect(['1.234', '1,234', '-12.345 €'].map(text => decimal(text, null))).toEqual(Array(3).fill('unclear'))
    expect(['1.234', '1,234'].map(text => decimal(text, '.'))).toEqual(['1.234', '1234'])
    expect(['1.234', '1,234'].map(text => decimal(text, ','))).toEqual(['1234', '1.234'])
    expect(decimal('1.5', ',')).toBeNull()
  })

  it.each([
    [['1.234', '1.234,50'], ',', false],
    [['1.234', '1.5'], '.', false],
    [['1.234', '0.234'], '.', false],
    [['1.234', '12'], null, true],
    [['1.234', '1.5', '1,5'], null, true],
    [['12', '1 234'], null, false],
  ] as const)('is decided by all numbers of the column %j: %s', (cells, mark, isDoubtful) => {
    const evidence = evidenceOf(...cells)
    expect([evidence.mark, evidence.isDoubtful]).toEqual([mark, isDoubtful])
  })

  it('is the usual one of the file where no number decides', () => {
    const evidence = new NumberEvidence('.')
    evidence.add(writtenNumber('1.234')?.readings ?? {})
    expect([evidence.mark, evidence.isDoubtful]).toEqual(['.', false])
  })
})

it('a whole number has no unit and no decimals but zeros', () => {
  const read = ['12', '1,234', '1.234', '12.0', '-5', '1 234', '12.000', '12.5', '12 %', '$12', 'many']
  expect(read.map(text => integer(text, null))).toEqual([
    ...['12', '1234', '1234', '12', '-5', '1234', 'unclear'],
    ...[null, null, null, null],
  ])
  expect([integer('1.234', '.'), integer('12.000', '.'), integer('12.000', ',')]).toEqual([null, '12', '12000'])
})
