import { searchForm } from '../../../kernel/schema/index.ts'

/**
 * Whether a text of a file appears to contain an e-mail address, a messenger handle or a phone number, whatever surrounds it. In doubt the
 * answer is yes, also for a text of more than 500 characters; dates, amounts and ids that are recognizable as such do not count. Full-width
 * forms and the digits of all scripts are recognized.
 */
export function looksLikeContactData(text: string): boolean {
  if (text.length > longest) return true
  const plain = searchForm(text)
    .replace(/\p{Cf}/gu, '')
    .replace(uuids, ' ')
  if (address.test(plain) || shortened.test(plain)) return true
  return [...plain.matchAll(numbers)].some(({ 0: number, index }) => {
    const end = index + number.length
    return isPhone(number, plain.slice(Math.max(0, index - around), index), plain.slice(end, end + around))
  })
}

const longest = 500

// Matches a sign with text on both sides, as in anna@host, or before a word, as in "@anna", but not as in "3 @ 5.00".
const address = /[^\s@](?:@|%40|[([{]at[)\]}])[^\s@]|(?:@|[([{]at[)\]}])\s*\p{L}/u

/** A number of at least eleven digits in the scientific notation of a spreadsheet, with most of its digits. */
const shortened = /\d[.,]\d{5,}e\+?1\d/u

const uuids = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gu

/** Digits and the separators that people write within one phone number. */
const numbers = /[+(]?\p{Nd}(?:[^\p{L}\p{N}\p{Sc},;|%]{0,3}\p{Nd})*/gu

/** How many characters before and after a number decide what it is. */
const around = 12

const fewestDigits = 7
const mostDigits = 15

function isPhone(number: string, before: string, behind: string): boolean {
  const groups = number.match(/\p{Nd}+/gu) ?? []
  const digits = groups.join('').length
  if (digits < fewestDigits) return false
  if (/^\+|^00[1-9]/u.test(number) || phoneWord.test(before)) return true
  if (isPartOfId(number, before, behind) || moments.test(number) || isAmount(number, before, behind)) return false
  if (groups.length > 1) return true
  return digits >= 10 ? digits <= mostDigits && !number.startsWith('000') : /^0[1-9]\d{6}/u.test(number)
}

const phoneWord =
  /(?:tel|fon|phone|fax|mob|mobile|mobil|cell|handy|whatsapp|viber|тел|телефон|моб|факс)[^\p{L}\p{N}]{0,3}$/u

/** Digits directly after letters, as in INV-2024-00123, or directly before letters, as in 12345678901AB. */
function isPartOfId(number: string, before: string, behind: string): boolean {
  if (/[\s()]|\d\D+\d+\D+\d/u.test(number)) return false
  return /(?:\p{L}[-_]?|#)$/u.test(before) || (/^\d+$/u.test(number) && /^(?!x|ext|доб)\p{L}/u.test(behind))
}

const [month, dayOfMonth, year] = ['(?:0?[1-9]|1[0-2])', '(?:0?[1-9]|[12]\\d|3[01])', '(?:19|20)\\d\\d']
const day = `(?:${year}[-./]${month}[-./]${dayOfMonth}|${dayOfMonth}[-./]${dayOfMonth}[-./](?:${year}|\\d\\d))`
const time = '\\d\\d?:\\d\\d(?::\\d\\d(?:\\.\\d+)?)?(?: ?[-+]\\d\\d:?\\d\\d)?'
const moment = `(?:${day}(?: ${time})?|${time}|${year})`

/** Dates and times, ranges of them, timestamps without separators (20240131235959), and a sequence number within a year (2024-00123). */
const moments = new RegExp(`^(?:${moment}(?: ?[-/] ?${moment})*|${year}\\d{10}|${year}[-/]0\\d{2,5})$`, 'u')

/** Whether the digits are grouped or have a decimal point like an amount. One that is as long as a phone number also needs a currency. */
function isAmount(number: string, before: string, behind: string): boolean {
  const plain = number.replace(/^\(/u, '')
  const isOfMoney = moneyBefore.test(before) || moneyBehind.test(behind)
  if (/^\d+$/u.test(plain)) return isOfMoney
  const [whole = '', decimals] = plain.split('.')
  if (decimals !== undefined && /^(?:0|[1-9]\d*)\.\d+$/u.test(plain)) return isOfMoney || whole.length < 10
  const grouped = /^[1-9]\d{0,2}([ .'])\d{3}(?:\1\d{3})*(\.\d\d)?$/u.exec(plain)
  if (grouped === null) return false
  return isOfMoney || grouped[2] !== undefined || plain.length <= '12 345 678'.length || /^,\d\d?(?!\d)/u.test(behind)
}

const currencies = [
  ...Intl.supportedValuesOf('currency').map(code => code.toLowerCase()),
  'руб',
  'kr',
  'zł',
  'kc',
  'ft',
  'rp',
]
const money = `(?:\\p{Sc}|(?<!\\p{L})(?:${currencies.join('|')})(?!\\p{L}))`
const moneyBefore = new RegExp(`${money}[ .]?-?$`, 'u')
const moneyBehind = new RegExp(`^(?:[.,]\\d{1,2})? ?${money}`, 'u')
