import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  decimalOfNumber,
  decimalPattern,
  fitsCurrency,
  formatMoney,
  formatPrice,
  isCurrency,
  minimalDecimal,
  minorUnitsOf,
} from './money.ts'

const form = new RegExp(decimalPattern, 'u')

/** Decimal strings that requests may hold, each with its digits. */
const decimals = fc
  .record({
    negative: fc.boolean(),
    whole: fc.bigInt({ min: 0n, max: 10n ** 15n - 1n }),
    digits: fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength: 6 }),
  })
  .map(({ negative, whole, digits }) => ({
    text: `${negative ? '-' : ''}${whole}${digits === '' ? '' : `.${digits}`}`,
    millionths: (negative ? -1n : 1n) * (whole * 1_000_000n + BigInt(digits.padEnd(6, '0'))),
  }))

function millionthsOf(text: string): bigint {
  const [whole = '', digits = ''] = text.replace('-', '').split('.')
  return (text.startsWith('-') ? -1n : 1n) * (BigInt(whole) * 1_000_000n + BigInt(digits.padEnd(6, '0')))
}

describe('the pattern of decimal strings', () => {
  it('takes every decimal of 15 digits before and 6 after the point', () => {
    fc.assert(fc.property(decimals, ({ text }) => form.test(text)))
  })

  it.each([
    '',
    '-',
    '.',
    '1.',
    '.1',
    '+1',
    '01',
    '-01',
    '1e1',
    '1,0',
    ' 1',
    '1 ',
    '1\n',
    '1_0',
    '１',
    '1.0000000',
    '1'.repeat(16),
  ])('refuses %j', text => {
    expect(form.test(text)).toBe(false)
  })
})

describe('minimalDecimal', () => {
  it('keeps the value and leaves no zero that says nothing, nor a negative zero', () => {
    fc.assert(
      fc.property(decimals, ({ text, millionths }) => {
        const minimal = minimalDecimal(text)
        expect(millionthsOf(minimal)).toBe(millionths)
        expect(minimal).toMatch(/^(0|-?[1-9]\d*|-?(0|[1-9]\d*)\.\d*[1-9])$/u)
        expect(minimalDecimal(minimal)).toBe(minimal)
      }),
    )
  })

  it.each(['0', '-0', '-0.000000'])('of %j is 0', text => {
    expect(minimalDecimal(text)).toBe('0')
  })
})

describe('an amount', () => {
  const currencies = fc.constantFrom('USD', 'EUR', 'JPY', 'KRW', 'KWD', 'TND', 'CLF')

  it('fits a currency exactly when nothing but zeros stands below its minor unit', () => {
    fc.assert(
      fc.property(decimals, currencies, ({ text, millionths }, currency) => {
        const unit = 10n ** BigInt(6 - minorUnitsOf(currency))
        expect(fitsCurrency(text, currency)).toBe(millionths % unit === 0n)
      }),
    )
  })

  it('that fits is shown with exactly the digits of the currency, and its value', () => {
    fc.assert(
      fc.property(decimals, currencies, ({ text, millionths }, currency) => {
        fc.pre(fitsCurrency(text, currency))
        const shown = formatMoney(text, currency)
        expect(millionthsOf(shown)).toBe(millionths)
        expect((shown.split('.')[1] ?? '').length).toBe(minorUnitsOf(currency))
      }),
    )
  })

  it('is never rounded to fit: 0.1 + 0.2 stays as it was sent', () => {
    expect(fitsCurrency('0.30000000000000004', 'USD')).toBe(false)
    expect(fitsCurrency('1.004999', 'USD')).toBe(false)
    expect(formatMoney('999999999999999.99', 'USD')).toBe('999999999999999.99')
  })
})

describe('a price', () => {
  it.each([
    ['10', 'USD', '10.00'],
    ['0.335', 'USD', '0.335'],
    ['0.3350', 'USD', '0.335'],
    ['10.50', 'JPY', '10.5'],
  ])('of %s in %s is shown as %s: with at least the digits of the currency', (value, currency, shown) => {
    expect(formatPrice(value, currency)).toBe(shown)
  })
})

describe('decimalOfNumber', () => {
  it('gives a decimal string of the very number, with at most 15 significant digits, or null', () => {
    fc.assert(
      fc.property(fc.oneof(fc.double(), fc.integer(), fc.float(), fc.maxSafeInteger()), number => {
        const text = decimalOfNumber(number)
        if (text === null) return
        expect(form.test(text)).toBe(true)
        expect(Number(text)).toBe(number === 0 ? 0 : number)
        expect(text.replace(/[-.]/gu, '').replace(/^0+/u, '').length).toBeLessThanOrEqual(15)
      }),
    )
  })

  it('takes every amount of up to 13 digits and cents', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n - 1n }), cents => {
        const amount = `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`
        const text = decimalOfNumber(Number(amount))
        expect(text === null ? null : formatMoney(text, 'USD')).toBe(amount)
      }),
    )
  })

  it.each([
    [12345678901.1234, '12345678901.1234'],
    [-12345678901.1234, '-12345678901.1234'],
    [12345678901.12345, null],
    [0.000001, '0.000001'],
  ])('has 15 digits at most, not counting sign and point: of %d it is %j', (number, text) => {
    expect(decimalOfNumber(number)).toBe(text)
  })

  it.each([
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    1e21,
    1e15,
    1e-7,
    2 ** 53,
    0.1 + 0.2,
    1 / 3,
  ])('refuses %d', number => {
    expect(decimalOfNumber(number)).toBeNull()
  })
})

describe('currencies', () => {
  /** Currencies of ISO 4217, list one, whose minor unit is not 2. */
  const minorUnits = {
    0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
    3: 'BHD IQD JOD KWD LYD OMR TND',
    4: 'CLF UYW',
    2: 'USD EUR GBP CHF CNY RUB KZT UAH INR BRL HUF TWD MGA MRU IDR IRR LBP ALL AFN PKR YER ZMW',
  }

  it.each(
    Object.entries(minorUnits).flatMap(([digits, codes]) =>
      codes.split(' ').map(code => [code, Number(digits)] as const),
    ),
  )('%s has %i digits after the point', (code, digits) => {
    expect(minorUnitsOf(code)).toBe(digits)
  })

  it.each(['USD', 'EUR', 'JPY', 'KWD', 'KZT', 'XAF'])('%s is one', code => {
    expect(isCurrency(code)).toBe(true)
  })

  it.each(['usd', 'US', 'USDT', '', 'XXZ', 'ZZZ', '840', 'US$', 'constructor', '__proto__'])('%j is none', text => {
    expect(isCurrency(text)).toBe(false)
  })
})
