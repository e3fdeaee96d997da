import { namedWords, type SearchedTexts, type SearchTerm, unmarked } from '../../kernel/index.ts'
import type { NewestTexts } from './newest-texts.sql.ts'
import type { SearchedKind } from './statement-parts.ts'

/** Whether something is so for a record, told from its texts. */
export type Holds = (texts: NewestTexts) => boolean

/** A condition on the records of a kind. */
export interface Condition {
  readonly text: string
  /** Whether an index answers it. */
  readonly isIndexed: boolean
  /** The same, of a record's texts. */
  readonly holds: Holds
}

/** How conditions are asked for, given how many records each is true of. */
export interface Asked {
  /** What indexes are asked. */
  readonly lead: readonly string[]
  /** What is checked in the records that they give. */
  readonly checked: readonly string[]
  /** Whether all of it is true of so many that the newest records are probably enough. */
  readonly isFrequent: boolean
  /** Whether each condition alone is true of many: an index lists these, and few of them may be looked for. */
  readonly isCommon: boolean
}

// Of a hundred. What one of them has may be as rare as it seems; what a tenth of them have is not.
const rare = 1
const frequent = 10

/**
 * Divides conditions into those that indexes are asked for and those that are checked in the records that these find. Indexes are asked
 * for rare ones, or, where none is rare, for the rarest that one answers. `newest` are the texts of the newest records of the kind.
 */
export function askFor(conditions: readonly Condition[], newest: readonly NewestTexts[]): Asked {
  const isFrequent = newest.filter(texts => conditions.every(({ holds }) => holds(texts))).length >= frequent
  const counts = new Map(conditions.map(each => [each, newest.filter(each.holds).length]))
  const countOf = (condition: Condition) => counts.get(condition) ?? 0
  const inOrder = conditions
    .filter(({ isIndexed }) => isIndexed)
    .toSorted((one, other) => countOf(one) - countOf(other))
  const seldom = inOrder.filter(condition => countOf(condition) <= rare)
  const lead = seldom.length > 0 ? seldom : inOrder.slice(0, 1)
  const isChecked = (condition: Condition) => lead.length > 0 && !lead.includes(condition)
  return {
    lead: conditions.filter(condition => !isChecked(condition)).map(({ text }) => text),
    checked: conditions.filter(isChecked).map(({ text }) => text),
    isFrequent,
    isCommon: conditions.every(condition => countOf(condition) >= frequent),
  }
}

/**
 * The texts that an index is asked for the beginnings of these terms. For an index of trigrams a word of an address begins behind each
 * mark: there every record may begin with `co`. Then addresses are left to what is looked for in the newest records.
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

/** Whether a term stands somewhere in the texts. */
export function standsIn(term: SearchTerm, looked: SearchedTexts): Holds {
  return inSomeText(term, looked, (text, wanted) => text.includes(wanted))
}

/** Whether what is between its marks stands there, in any order. */
export function partsStandIn(term: SearchTerm, looked: SearchedTexts): Holds {
  return inSomeText(term, looked, (text, wanted) => unmarked(wanted).every(part => text.includes(part)))
}

/** Whether it stands at the beginning of a word. */
export function beginsIn(term: SearchTerm, looked: SearchedTexts): Holds {
  return inSomeText(term, looked, (text, wanted) => ` ${text}`.includes(` ${wanted}`) || text.includes(`-${wanted}`))
}

/** Whether it is a whole word of the names, or a whole e-mail address or phone number. */
export function isWholeIn({ words, reached }: SearchTerm, { contactData }: SearchedTexts): Holds {
  const named = words.flatMap(namedWords)
  return texts => {
    const names = namedWords(texts.names)
    const isNamed = named.length > 0 && named.every(word => names.includes(word))
    return isNamed || (contactData && texts.contact_data.split(' ').includes(reached))
  }
}

function inSomeText({ words, reached }: SearchTerm, looked: SearchedTexts, stands: Stands): Holds {
  return texts =>
    words.every(word => stands(texts.names, word)) ||
    (looked.contactData && stands(texts.contact_data, reached)) ||
    (looked.customFields && words.every(word => stands(texts.custom_fields, word)))
}

type Stands = (text: string, wanted: string) => boolean

/** Those of the newest records that are of this kind. */
export const newestOf = (newest: readonly NewestTexts[], { resource }: SearchedKind) =>
  newest.filter(({ kind }) => kind === resource.kind)
