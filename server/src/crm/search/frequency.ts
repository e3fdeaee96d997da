import {
  type Holds,
  type NewestTexts,
  namedWords,
  type SearchedTexts,
  type SearchTerm,
  standsInSome,
  unmarked,
} from '../../kernel/index.ts'
import type { SearchedKind } from './statement-parts.ts'

/** A condition on the records of a kind. */
export interface SearchCondition {
  readonly text: string
  /** SQL that is true wherever the condition is, and takes less time; without it, the condition itself takes little time. */
  readonly quick?: string
  /** Whether an index supports it. */
  readonly isIndexed: boolean
  /** The same condition, for texts in memory. */
  readonly holds: Holds
}

/** How a statement searches for the records that meet some conditions, given the frequency of each condition. */
export interface SearchPlan {
  /** The conditions that are searched in indexes. */
  readonly lead: readonly string[]
  /** The conditions that are checked in the records that the indexes return. */
  readonly checked: Checks
  /** All conditions, as they are checked in records that no index returns. */
  readonly scanned: Checks
  /** Whether so many records meet all conditions that the newest records probably give enough candidates. */
  readonly isFrequent: boolean
  /** Whether many records meet each single condition. An index then lists many records, although few may meet all conditions. */
  readonly isCommon: boolean
}

/** SQL conditions on records that are read anyway. */
export interface Checks {
  /** Those that take little time. */
  readonly first: readonly string[]
  /** Those that take more time. */
  readonly last: readonly string[]
}

// Counts among the hundred newest records. A condition that at most one of them meets may be rare; one that ten of them meet is frequent.
const rare = 1
const frequent = 10

/**
 * Divides conditions into those that are searched in indexes and those that are checked in the records that the indexes return. Indexes are
 * searched for all rare conditions or, if none is rare, for the rarest one that an index supports. `newest` are the texts of the newest
 * records of the kind.
 */
export function askFor(conditions: readonly SearchCondition[], newest: readonly NewestTexts[]): SearchPlan {
  const isFrequent = newest.filter(texts => conditions.every(({ holds }) => holds(texts))).length >= frequent
  const counts = new Map(conditions.map(each => [each, newest.filter(each.holds).length]))
  const countOf = (condition: SearchCondition) => counts.get(condition) ?? 0
  const inOrder = conditions
    .filter(({ isIndexed }) => isIndexed)
    .toSorted((one, other) => countOf(one) - countOf(other))
  const seldom = inOrder.filter(condition => countOf(condition) <= rare)
  const lead = seldom.length > 0 ? seldom : inOrder.slice(0, 1)
  const isChecked = (condition: SearchCondition) => lead.length > 0 && !lead.includes(condition)
  return {
    lead: conditions.filter(condition => !isChecked(condition)).map(({ text }) => text),
    checked: checksOf(conditions.filter(isChecked)),
    scanned: checksOf(conditions),
    isFrequent,
    isCommon: conditions.every(condition => countOf(condition) >= frequent),
  }
}

const checksOf = (conditions: readonly SearchCondition[]): Checks => ({
  first: conditions.map(({ text, quick }) => quick ?? text),
  last: conditions.flatMap(({ text, quick }) => (quick === undefined ? [] : [text])),
})

/** Whether there are no checks. */
export const isUnchecked = ({ first, last }: Checks) => first.length + last.length === 0

/** The checks, with some more at the end. */
export const withMore = ({ first, last }: Checks, more: readonly string[]): Checks => ({
  first,
  last: [...last, ...more],
})

/** The plan with one more condition, which excludes few records and is checked after the others. */
export function alsoChecked(plan: SearchPlan, text: string): SearchPlan {
  const scanned = withMore(plan.scanned, [text])
  if (isUnchecked(plan.checked)) return { ...plan, lead: [...plan.lead, text], scanned }
  return { ...plan, checked: withMore(plan.checked, [text]), scanned }
}

/**
 * The texts in which an index is searched for words that begin with these terms. In contact data a word begins after every punctuation
 * mark, so nearly every address has a word that begins with `co`, and the index would list all records. If the newest records show this,
 * contact data is excluded here, and only the newest records are scanned for it.
 */
export function textsForBeginnings({ terms, texts }: SearchedKind, newest: readonly NewestTexts[]): SearchedTexts {
  const isAsked = ({ reached }: SearchTerm) => {
    const begins = newest.filter(({ contact_data: text }) =>
      text.split(/[^\p{L}\p{N}]/u).some(word => word.startsWith(reached)),
    )
    return begins.length < frequent
  }
  return { ...texts, contactData: texts.contactData && terms.every(isAsked) }
}

/** Whether the texts contain all parts of a term between its punctuation marks, in any order. */
export function partsStandIn(term: SearchTerm, looked: SearchedTexts): Holds {
  return standsInSome(term, looked, (text, wanted) => unmarked(wanted).every(part => text.includes(part)))
}

/** Whether a word of the texts begins with a term. */
export function beginsIn(term: SearchTerm, looked: SearchedTexts): Holds {
  return standsInSome(term, looked, (text, wanted) => ` ${text}`.includes(` ${wanted}`) || text.includes(`-${wanted}`))
}

/** Whether a term is a whole word of the names, or a whole e-mail address or phone number. */
export function isWholeIn({ words, reached }: SearchTerm, { contactData }: SearchedTexts): Holds {
  const named = words.flatMap(namedWords)
  return texts => {
    const names = namedWords(texts.names)
    const isNamed = named.length > 0 && named.every(word => names.includes(word))
    return isNamed || (contactData && texts.contact_data.split(' ').includes(reached))
  }
}

/** Whether a word that so many of the newest hundred records have is frequent. */
export const isFrequentAmong = (count: number) => count >= frequent

/** The newest records that are of this kind. */
export const newestOf = (newest: readonly NewestTexts[], { resource }: Pick<SearchedKind, 'resource'>) =>
  newest.filter(({ kind }) => kind === resource.kind)
