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
  /** Whether an index answers it. */
  readonly isIndexed: boolean
  /** The same condition, for texts in memory. */
  readonly holds: Holds
}

/** How a statement asks for the records that meet some conditions, given how frequent each condition is. */
export interface SearchPlan {
  /** The conditions that indexes are asked for. */
  readonly lead: readonly string[]
  /** The conditions that are checked in the records that the indexes give. */
  readonly checked: readonly string[]
  /** Whether so many records meet all conditions that the newest records probably give enough candidates. */
  readonly isFrequent: boolean
  /** Whether many records meet each condition by itself. An index then lists many records, of which few may meet all conditions. */
  readonly isCommon: boolean
}

// Numbers among the hundred newest records. What one of them has may be rare; what ten of them have is frequent.
const rare = 1
const frequent = 10

/**
 * Divides conditions into those that indexes are asked for and those that are checked in the records that the indexes give. Indexes
 * are asked for all rare conditions; where none is rare, for the rarest that an index can answer. `newest` are the texts of the
 * newest records of the kind.
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
    checked: conditions.filter(isChecked).map(({ text }) => text),
    isFrequent,
    isCommon: conditions.every(condition => countOf(condition) >= frequent),
  }
}

/**
 * The texts in which an index is asked for words that begin with these terms. In contact data a word begins behind every mark, so
 * nearly every address has one that begins with `co`, and the index would list all records. Where the newest records show that,
 * contact data is left out here: only the newest records are looked through for it.
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

/** Whether the parts of a term between its marks stand somewhere in the texts, in any order. */
export function partsStandIn(term: SearchTerm, looked: SearchedTexts): Holds {
  return standsInSome(term, looked, (text, wanted) => unmarked(wanted).every(part => text.includes(part)))
}

/** Whether a term stands at the beginning of a word of the texts. */
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

/** Those of the newest records that are of this kind. */
export const newestOf = (newest: readonly NewestTexts[], { resource }: Pick<SearchedKind, 'resource'>) =>
  newest.filter(({ kind }) => kind === resource.kind)
