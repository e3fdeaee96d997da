import { bounds } from '../limits/index.ts'
import { outerWords, phoneDigits, searchForm, searchWords, toE164, wordsOfContactData } from '../schema/index.ts'
import type { Bind } from '../sql/index.ts'

/** One thing that a search must find in a record. */
export interface SearchTerm {
  /** The words that must occur in a text; several for a phone number that is written with spaces. */
  readonly words: readonly string[]
  /** The text that must occur in contact data instead. */
  readonly reached: string
}

/** The texts of a record that a search may use besides its names. */
export interface SearchedTexts {
  readonly contactData: boolean
  readonly customFields: boolean
}

/** The words of a search: those to find records by, and those that are only checked in the found records. */
export interface DividedWords {
  readonly asked: readonly string[]
  readonly others: readonly string[]
}

/**
 * Divides the words of a search. If there are more than eight, it selects the eight with the lowest frequency, and the first among equals.
 */
export function divideWords(search: string, frequencyOf: (word: string) => number): DividedWords {
  const { most } = bounds.searchWords
  const words = searchWords(search)
  const outer = outerWords(words)
  // Words that are part of others come last: they affect only the rank, and the bound may leave some out.
  if (outer.length <= most) return { asked: [...new Set([...outer, ...words])].slice(0, most), others: [] }
  const frequencies = new Map(outer.map(word => [word, frequencyOf(word)]))
  const inOrder = outer.toSorted((one, other) => (frequencies.get(one) ?? 0) - (frequencies.get(other) ?? 0))
  const asked = inOrder.slice(0, most)
  return { asked, others: words.filter(word => !asked.includes(word)) }
}

/**
 * The terms for the selected words of a search. If contact data is searched, a phone number is one term however it is spaced, with all its
 * words, and also matches as dialled within this country (ISO 3166-1 alpha-2), which is that of the organization.
 */
export function searchTerms(
  search: string,
  asked: readonly string[],
  texts: SearchedTexts,
  country: string,
): SearchTerm[] {
  if (!isNumber(search, texts)) return asked.map(termOf)
  return [{ words: outerWords(searchWords(search)), reached: storedDigits(search, phoneDigits(search) ?? '', country) }]
}

/** Whether a search is for one phone number, because contact data is searched. */
export function isNumber(search: string, { contactData }: SearchedTexts): boolean {
  return contactData && phoneDigits(search) !== null
}

/** The digits of a number in their stored form: without a trunk prefix such as the 0 of `030 123456`, but then with the country code. */
function storedDigits(search: string, digits: string, country: string): string {
  const international = toE164(search, [country])?.slice(1) ?? digits
  return international.includes(digits) ? digits : international
}

/**
 * The terms of `outerWords`, which are enough to find records that contain all terms as parts. Finding whole words needs every term: both
 * for `Ivan Ivanov`.
 */
export function outerTerms(terms: readonly SearchTerm[]): SearchTerm[] {
  const wordOf = ({ words: [word = ''] }: SearchTerm) => word
  const outer = outerWords(terms.map(wordOf))
  return terms.filter(term => outer.includes(wordOf(term)))
}

/** The term of a single word; one that may be a phone number matches contact data by its digits. */
export function termOf(word: string): SearchTerm {
  return { words: [word], reached: phoneDigits(word) ?? word }
}

/** Whether a search is for one e-mail address or phone number, which is first searched for as a whole. */
export function isAddress(terms: readonly SearchTerm[], { contactData }: SearchedTexts): boolean {
  const [{ reached } = { reached: '' }, second] = terms
  return contactData && second === undefined && /^[^@]+@[^@]+\.[^@]+$|^\d{7,}$/u.test(reached)
}

// A trigram index finds a text by three characters in a row. It treats marks as word boundaries, and counts two spaces before each word
// and one after it.
const trigram = /[\p{L}\p{N}]{3}|[\p{L}\p{N}]{2}[^\p{L}\p{N}]|[^\p{L}\p{N}][\p{L}\p{N}]/u

/** Whether the search can use a trigram index: one of its terms is long enough. */
export function isIndexed(terms: readonly SearchTerm[]): boolean {
  return terms.some(({ words, reached }) => trigram.test(reached) && words.some(word => trigram.test(word)))
}

/** SQL condition: the term occurs anywhere in the texts of `t`. */
export function contains(term: SearchTerm, texts: SearchedTexts, bind: Bind): string {
  return inSomeText(term, texts, (column, text) => standsIn(column, text, bind))
}

/** The same condition in a form that uses no index. */
export function containsWithoutIndex(term: SearchTerm, texts: SearchedTexts, bind: Bind): string {
  return inSomeText(term, texts, (column, text) => `strpos(${column}, ${bind(text)}) > 0`)
}

/** SQL of the number of these words that occur nowhere in the texts of `t`. */
export function countMissing(
  words: readonly string[],
  { contactData, customFields }: SearchedTexts,
  bind: Bind,
): string {
  const columns = ['t.search_names']
  if (contactData) columns.push('t.search_contact_data')
  if (customFields) columns.push('t.search_custom_fields')
  return `(select count(*) from (select ${columns.join(` || ' ' || `)} as looked offset 0) as x
     cross join unnest(${bind(words)}::text[]) as other(word) where strpos(x.looked, other.word) = 0)`
}

/** SQL of the condition that a trigram index can check for a term with marks: its parts between the marks occur in the texts of `t`. */
export function containsParts(term: SearchTerm, texts: SearchedTexts, bind: Bind): string {
  return inSomeText(term, texts, (column, text) =>
    unmarked(text)
      .map(part => standsIn(column, part, bind))
      .join(' and '),
  )
}

function standsIn(column: string, text: string, bind: Bind): string {
  // Without a trigram, `like` would read the index to its end, through all organizations. `strpos` uses no index.
  if (!trigram.test(text)) return `strpos(${column}, ${bind(text)}) > 0`
  return `${column} like ${bind(`%${literal(text)}%`)}`
}

/** The parts of a text between its marks that a trigram index can find; the text itself if there are none. */
export function unmarked(text: string): string[] {
  const parts = text.split(/[^\p{L}\p{N}]+/u).filter(part => trigram.test(part))
  return parts.length === 0 ? [text] : parts
}

/**
 * The term is at the beginning of a word of the texts of `t`: at their start, after a space or after a hyphen. A trigram index can be used
 * from one letter on.
 */
export function beginsWord(term: SearchTerm, texts: SearchedTexts, bind: Bind): string {
  return inSomeText(term, texts, (column, text) => {
    // Without a leading letter the index would be read to its end.
    if (!/^[\p{L}\p{N}]/u.test(text)) return 'false'
    const patterns = ['', '% ', '%-'].map(before => `${column} like ${bind(`${before}${literal(text)}%`)}`)
    return `(${patterns.join(' or ')})`
  })
}

/** Escapes the text for a pattern of `like`. */
function literal(text: string): string {
  return text.replace(/[\\%_]/gu, character => `\\${character}`)
}

function inSomeText(
  { words, reached }: SearchTerm,
  { contactData, customFields }: SearchedTexts,
  condition: (column: string, text: string) => string,
): string {
  const all = (column: string) => {
    const conditions = words.map(word => condition(column, word))
    return conditions.length === 1 ? conditions.join() : `(${conditions.join(' and ')})`
  }
  const alternatives = [all('t.search_names')]
  if (contactData) alternatives.unshift(condition('t.search_contact_data', reached))
  if (customFields) alternatives.push(`(t.search_custom_fields <> '' and ${all('t.search_custom_fields')})`)
  return alternatives.length === 1 ? alternatives.join() : `(${alternatives.join(' or ')})`
}

const marks = `-.,;:/()&"'’`

/** The names with spaces for marks. */
export const spacedNames = `translate(t.search_names, '${marks.replace("'", "''")}', '${' '.repeat(marks.length)}')`

/** The words of names and titles, as in the indexes of whole words. */
export const wordsOfNames = `string_to_array(${spacedNames}, ' ')`

const spacing = `${marks.replace("'", "''")}«»‹›„“”‟‘‚‛‐‒–—―−`

/**
 * The text of a column in nearly the form in which searches compare texts, with spaces for marks. PostgreSQL computes it, so there is no
 * column to fill.
 */
export const searchFormOfColumn = (column: string) =>
  `translate(lower(regexp_replace(normalize(${column}, NFKD), '[\\u0300-\\u036f]+', '', 'g')), '${spacing}ς', '${' '.repeat(spacing.length - 1)}σ')`

/** The words of a column, as the index of the words of subtitles has them. */
export const wordsOfColumn = (column: string) => `string_to_array(${searchFormOfColumn(column)}, ' ')`

/** The words of a text as `wordsOfNames` has them. */
export function namedWords(text: string): string[] {
  const spaced = [...searchForm(text)].map(character => (marks.includes(character) ? ' ' : character)).join('')
  return spaced.split(' ').filter(word => word !== '')
}

/** The term is at the beginning of a word of the texts of `t`, as in `beginsWord`, or after a mark in the names, which no index covers. */
export function opensWord(term: SearchTerm, texts: SearchedTexts, bind: Bind): string {
  const begun = beginsWord(term, texts, bind)
  const named = term.words.map(word => namedWords(word).join(' '))
  if (named.includes('')) return begun
  const behindMarks = named.map(words => `strpos(' ' || ${spacedNames}, ${bind(` ${words}`)}) > 0`)
  return `(${begun} or ${behindMarks.join(' and ')}${asWritten(term, bind)})`
}

/** The term is a whole word of the names of `t`, or a whole e-mail address or phone number. */
export function isWhole(term: SearchTerm, texts: SearchedTexts, bind: Bind): string {
  return asWords(term, texts, asWritten(term, bind), bind)
}

/** A condition that is true wherever `isWhole` is, and takes less time. It uses no index, and no values but those of `isWhole`. */
export function mayBeWhole({ words, reached }: SearchTerm, { contactData }: SearchedTexts, bind: Bind): string {
  const named = words.flatMap(namedWords)
  const stands = (column: string, texts: readonly string[]) =>
    texts.map((_, at) => `strpos(${column}, (${bind(texts)}::text[])[${at + 1}]) > 0`).join(' and ')
  const inNames = named.length === 0 ? 'false' : stands('t.search_names', named)
  return contactData ? `(${inNames} or ${stands('t.search_contact_data', [reached])})` : `(${inNames})`
}

/** Words with marks occur in the names with these marks, in addition to other conditions. Marks alone are not words and bind nothing. */
function asWritten({ words }: SearchTerm, bind: Bind): string {
  const named = words.flatMap(namedWords)
  if (named.length === 0) return ''
  const marked = words.filter(word => named.every(part => part !== word))
  return marked.map(word => ` and strpos(t.search_names, ${bind(word)}) > 0`).join('')
}

/**
 * The condition that the index of whole words can check for a term with marks: its parts are words of the names of `t`; otherwise the same
 * as `isWhole`.
 */
export function hasParts(term: SearchTerm, texts: SearchedTexts, bind: Bind): string {
  return asWords(term, texts, '', bind)
}

function asWords({ words, reached }: SearchTerm, { contactData }: SearchedTexts, literal: string, bind: Bind): string {
  const named = words.flatMap(namedWords)
  const inNames = named.length === 0 ? 'false' : `(${wordsOfNames} @> ${bind(named)}::text[]${literal})`
  return contactData ? `(${inNames} or ${isReached(reached, bind)})` : inNames
}

/** The text is a whole e-mail address or phone number of `t`. */
export function isReached(text: string, bind: Bind): string {
  return `${wordsOfContactData} @> ${bind([text])}::text[]`
}
