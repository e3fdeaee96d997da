/** A visible character: not a space, control or format character, filler, or lone combining mark. */
const visible = /[^\s\p{Cc}\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u

/** For the OpenAPI document: the part of the rule that regular expressions of every language support, not only spaces. */
export const visiblePattern = '^[^\\x00]*[^\\s\\x00][^\\x00]*$'

/** Whether a text has no visible character. Such a text counts as empty. */
export function isBlank(text: string): boolean {
  return !visible.test(text)
}

/**
 * A text as names and titles are stored: NFC, without outer white space. A blank text becomes empty. Other invisible characters stay,
 * because emoji and words of many languages need them.
 */
export function tidyText(text: string): string {
  return isBlank(text) ? '' : text.normalize('NFC').trim()
}

const marks = /\p{M}+/gu
const spaces = /\s+/gu

/** Characters that searches treat as equal, each with its representative: quotes, apostrophes, dashes, sigmas. */
const alike = new Map(
  ['"«»‹›„“”‟', "'‘’‚‛", '-‐‒–—―−', 'σς'].flatMap(([one = '', ...others]) =>
    others.map(other => [other, one] as const),
  ),
)
const anyAlike = new RegExp(`[${[...alike.keys()].join('')}]`, 'gu')

/**
 * The form in which searches compare texts: lower case, no diacritics, ё as е, one kind of quotes, apostrophes and dashes, single spaces.
 * Records store it, so changing it needs a migration.
 */
export function searchForm(text: string): string {
  const plain = text.normalize('NFKD').replace(marks, '').toLowerCase()
  return plain
    .replace(anyAlike, one => alike.get(one) ?? one)
    .replace(spaces, ' ')
    .trim()
}

/** The words of a search, each once, in the form in which searches compare texts. */
export function searchWords(text: string): string[] {
  return [...new Set(searchForm(text).split(' '))]
}

/** The words that are not part of another word in the list. A text that contains these contains all words. */
export function outerWords(words: readonly string[]): string[] {
  return words.filter(word => !words.some(other => other !== word && other.includes(word)))
}

/** The digits of a possible phone number; null if the text contains anything else or fewer than three digits. */
export function phoneDigits(text: string): string | null {
  if (!/^[\d\s()+.\-/]+$/u.test(text)) return null
  const digits = text.replace(/\D/gu, '')
  return digits.length >= 3 ? digits : null
}

/**
 * A phone number as one word, in the form in which searches compare texts: its digits, or the whole text without spaces if it contains
 * letters or other characters. Records store it, so changing it needs a migration.
 */
export function phoneWord(text: string): string {
  const word = searchForm(text).replaceAll(' ', '')
  return phoneDigits(word) ?? word
}

/** The words by which a phone number is found: its digits as written and in E.164 form, or the result of `phoneWord`. */
export function phoneWords(text: string, e164: string | null): string[] {
  if (e164 === null) return [phoneWord(text)]
  return [...new Set([text, e164].flatMap(number => phoneDigits(number) ?? []))]
}

/** The length in Unicode code points, the unit of every length limit of the API. */
export function codePoints(text: string): number {
  let length = 0
  for (const _ of text) length += 1
  return length
}
