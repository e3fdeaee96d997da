import { Big } from 'big.js'

/**
 * Exact decimal numbers. Quotients have 20 digits after the point; they are rounded to fewer digits before they are
 * stored.
 */
export { Big as Decimal } from 'big.js'

/** The form of decimal strings in requests: no exponent, plus sign, spaces or grouping. */
export const decimalPattern = '^-?(0|[1-9]\\d{0,14})(\\.\\d{1,6})?$'
const decimalForm = new RegExp(decimalPattern, 'u')

// ISO 4217 minor units other than 2. `Intl` cannot be used, because it follows common practice instead (HUF 0).
const minorUnits = new Map<string, number>([
  ...[
    'BIF',
    'CLP',
    'DJF',
    'GNF',
    'ISK',
    'JPY',
    'KMF',
    'KRW',
    'PYG',
    'RWF',
    'UGX',
    'UYI',
    'VND',
    'VUV',
    'XAF',
    'XOF',
    'XPF',
  ].map(code => [code, 0] as const),
  ...['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND'].map(code => [code, 3] as const),
  ...['CLF', 'UYW'].map(code => [code, 4] as const),
])

const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))

export function isCurrency(code: string): boolean {
  return currencies.has(code)
}

/** The number of digits after the decimal point in amounts of a currency. */
export function minorUnitsOf(currency: string): number {
  return minorUnits.get(currency) ?? 2
}

/** An amount with the digits of its currency: `"1500.00"` for USD, `"1500"` for JPY. The value must fit; it is never rounded here. */
export function formatMoney(value: string, currency: string): string {
  return new Big(value).toFixed(minorUnitsOf(currency))
}

/** A price, which may have more digits than its currency: `"10.00"` and `"0.335"` for USD. */
export function formatPrice(value: string, currency: string): string {
  return fitsCurrency(value, currency) ? formatMoney(value, currency) : minimalDecimal(value)
}

/** Whether all digits of a decimal string below the minor unit are zeros. */
export function fitsCurrency(value: string, currency: string): boolean {
  const amount = new Big(value)
  return amount.eq(amount.round(minorUnitsOf(currency), Big.roundDown))
}

/** The shortest form of a decimal: `"2"`, `"0.5"`. Zero has no sign. */
export function minimalDecimal(value: string): string {
  return new Big(value).toFixed()
}

/**
 * The decimal string of a JSON number; null if its shortest form is not a decimal string of at most 15 significant digits, because the
 * number may have lost digits when it was parsed.
 */
export function decimalOfNumber(value: number): string | null {
  const text = String(value)
  const digits = text.replace(/[-.]/gu, '')
  return decimalForm.test(text) && digits.length <= 15 ? text : null
}
