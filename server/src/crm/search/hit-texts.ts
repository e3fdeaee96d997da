import { namedWords, type Resource, type SearchedTexts, type SearchTerm } from '../../kernel/index.ts'
import { isObject, phoneWords, searchForm } from '../../kernel/schema/index.ts'
import type { LikelyWord } from './similar-words.ts'

/** A text of a record that a search covers. */
export interface HitText {
  /** The name in `matchedFields`: `lastName`, `contactData.emails`, `customFields.region`. */
  readonly field: string
  readonly part: 'names' | 'subtitle' | 'contactData' | 'customFields'
  readonly text: string
  /** Normalized for comparison. */
  readonly forms: readonly string[]
}

/** The texts of a record that a search covers, in the order of its fields. */
export function hitTextsOf(
  { fields, hit }: Resource,
  searched: SearchedTexts,
  record: Readonly<Record<string, unknown>>,
): HitText[] {
  const own = Object.entries(fields).flatMap(([name, { search }]): HitText[] => {
    const value = record[name]
    if (name === hit.subtitle && hit.isSubtitleSearched && typeof value === 'string')
      return [plain(name, 'subtitle', value)]
    if (search === 'names' && typeof value === 'string') return [plain(name, 'names', value)]
    if (search === undefined || search === 'names' || !searched[search] || !isObject(value)) return []
    if (search === 'contactData') return contactTexts(name, value)
    return Object.entries(value).flatMap(([key, stored]) =>
      [stored].flat().flatMap(text => (typeof text === 'string' ? [plain(`${name}.${key}`, search, text)] : [])),
    )
  })
  const linked: readonly unknown[] = Array.isArray(record.linked) ? record.linked : []
  return [...own, ...linked.map(name => plain('companies', 'names', String(name)))]
}

/** Whether a text contains a term, or a word that the user may have meant. */
export function isMatched(text: HitText, terms: readonly SearchTerm[], words: readonly LikelyWord[]): boolean {
  const stands = (wanted: string) => text.forms.some(form => form.includes(wanted))
  if (text.part === 'contactData') return terms.some(({ reached }) => stands(reached))
  if (terms.some(term => term.words.some(stands))) return true
  if (text.part !== 'names') return false
  const named = new Set(namedWords(text.text))
  return words.some(({ word, similar }) => named.has(word) || similar.some(other => named.has(other)))
}

function plain(field: string, part: HitText['part'], text: string): HitText {
  return { field, part, text, forms: [searchForm(text)] }
}

function contactTexts(name: string, { phones, emails }: Readonly<Record<string, unknown>>): HitText[] {
  const items = (list: unknown) => (Array.isArray(list) ? list.filter(isObject) : [])
  return [
    ...items(phones).map(({ value, e164 }): HitText => {
      const forms = phoneWords(String(value), typeof e164 === 'string' ? e164 : null)
      return { field: `${name}.phones`, part: 'contactData', text: String(value), forms }
    }),
    ...items(emails).map(({ value }) => plain(`${name}.emails`, 'contactData', String(value))),
  ]
}
