import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { refuseRoundedAmounts } from './exact-amounts.ts'
import { decimalOfNumber } from './money.ts'

const parse = (json: string) => {
  const value: unknown = JSON.parse(json)
  refuseRoundedAmounts(value, json)
  return value
}
const rounded = (text: string) => ({ number: text })

/** The digits of a number without outer zeros, and the power of ten of the last one. Equal numbers have equal forms. */
function canonical(text: string): string {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/u.exec(text) ?? []
  const digits = (whole + fraction).replace(/^0+/u, '')
  const significant = digits.replace(/0+$/u, '')
  const power = Number(exponent) - fraction.length + digits.length - significant.length
  return significant === '' ? '0' : `${sign}${significant}e${power}`
}

const digits = (maxLength: number) => fc.stringMatching(new RegExp(`^\\d{1,${maxLength}}$`, 'u'))
const whole = digits(18).map(text => text.replace(/^0+(?=\d)/u, ''))
const fraction = fc.oneof(
  fc.constant(''),
  digits(20).map(text => `.${text}`),
)
const exponent = fc.oneof(
  { weight: 3, arbitrary: fc.constant('') },
  fc.integer({ min: -420, max: 20 }).map(power => `e${power}`),
)
const sign = fc.constantFrom('', '', '-')
const numbers = fc.tuple(sign, whole, fraction, exponent).map(parts => parts.join(''))

describe('an amount that is a JSON number', () => {
  it('has the value that is written, wherever it can be taken for an amount', () => {
    fc.assert(
      fc.property(numbers, text => {
        const number = Number(text)
        const decimal = decimalOfNumber(number)
        const isTaken = decimal === null || canonical(decimal) === canonical(text)
        const amount = isTaken ? number : rounded(text)
        expect(parse(`{"amount":${text}}`)).toEqual({ amount })
        expect(parse(`{"items":[{"amount" :\n ${text} }]}`)).toEqual({ items: [{ amount }] })
      }),
      { numRuns: 1000 },
    )
  })

  it.each([
    ['in an escaped name', '{"\\u0061mount":1e-400}', { amount: rounded('1e-400') }],
    ['the last time of several', '{"amount":1e-400,"amount":2e-400}', { amount: rounded('2e-400') }],
    ['unless an exact one follows', '{"amount":1e-400,"amount":2}', { amount: 2 }],
    ['behind an exact one', '{"amount":2,"\\u0061mount":1e-400}', { amount: rounded('1e-400') }],
    ['in any white space', '{\t"amount" :\n 1e-400 }', { amount: rounded('1e-400') }],
    ['behind an escaped quotation mark', '{"a":"\\"","amount":1e-400}', { a: '"', amount: rounded('1e-400') }],
    ['behind a backslash', '{"a":"\\\\","amount":1e-400}', { a: '\\', amount: rounded('1e-400') }],
    ['below zero', '{"amount":-1e-400}', { amount: rounded('-1e-400') }],
    ['where it begins with nine', '{"amount":9.10000000000000000001}', { amount: rounded('9.10000000000000000001') }],
    [
      'in the last of several lists',
      '{"items":[{"amount":1e-400}],"items":[{"amount":1e-401}]}',
      { items: [{ amount: rounded('1e-401') }] },
    ],
    [
      'beside exact ones',
      '{"items":[{"amount":1},{"amount":0.1e-400},{"x":{}},[]]}',
      { items: [{ amount: 1 }, { amount: rounded('0.1e-400') }, { x: {} }, []] },
    ],
    [
      'behind texts that look like it',
      '{"a":"\\"amount\\":1e-400,\\\\","b\\\\\\"":"\\\\\\"","amount":1e-400}',
      { a: '"amount":1e-400,\\', 'b\\"': '\\"', amount: rounded('1e-400') },
    ],
  ])('is replaced %s', (_, json, value) => {
    expect(parse(json)).toEqual(value)
  })

  it.each([
    '{"a":"\\"amount\\":1e-400","amount":5}',
    '{"amount":"1e-400"}',
    '{"a":":1e-400","amount":5}',
    '{"a":"\\":1e-400","amount":5}',
    '{"amount":1.1000000000000000000}',
    '{"amount":1e21}',
    '{"amount":1e2}',
    '{"amount":{"amount":1e-400}}',
    '{"deal":{"amount":1e-400},"amount":5}',
    '{"price":1e-400,"amount":5,"items":{"amount":1e-400}}',
    '{"amount":5,"items":[[{"amount":1e-400}],1e-400,"amount"]}',
    '[{"amount":1e-400}]',
    '1e-400',
    'null',
  ])('elsewhere is left alone: %s', json => {
    expect(parse(json)).toEqual(JSON.parse(json))
  })
})
