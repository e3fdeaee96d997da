import { editDistance } from '../../../kernel/schema/index.ts'
import type { Row } from '../../../kernel/sql/index.ts'

/** A word of a knowledge base that matches a word of the question. */
export interface MeantWord {
  /** The position of the word in the question. */
  readonly place: number
  readonly word: string
  /** How many passages contain it. */
  readonly passages: number
  /** The confidence of the match, from 0 to 1. */
  readonly likeness: number
}

/** The weight of a word that differs from the one in the question, by the kind of similarity. */
const longer = { beginning: 0.6, end: 0.6, inside: 0.3 }
const part = 0.6
const mistaken = { alone: 0.8, besides: 0.25 }
const related = { alone: 0.45, besides: 0.2 }

/** The matches of the words in a question, from the rows of `selectMeantWords`. */
export function meantWords(rows: readonly Row[]): MeantWord[] {
  const exact = new Set(rows.filter(({ how }) => how === 'same').map(({ place }) => place))
  const best = new Map<string, MeantWord>()
  for (const row of rows) {
    const [place, word, passages] = [Number(row.place), String(row.word), Number(row.passages)]
    const likeness = likenessOf(String(row.asked), word, String(row.how), exact.has(row.place))
    const key = `${place} ${word}`
    if (likeness > (best.get(key)?.likeness ?? 0)) best.set(key, { place, word, passages, likeness })
  }
  return [...best.values()]
}

function likenessOf(asked: string, word: string, how: string, isThere: boolean): number {
  if (how === 'same') return 1
  if (how === 'longer') {
    // The last part of a compound such as `Lieferzeit` says what it is about, and the first part distinguishes it from others. The middle
    // counts less.
    const share = 0.5 + (0.5 * asked.length) / word.length
    if (word.startsWith(asked)) return longer.beginning * share
    return (word.endsWith(asked) ? longer.end : longer.inside) * share
  }
  if (how === 'part') return (part * word.length) / asked.length
  // Numbers that differ in one digit are different numbers, not misspellings.
  if (/\d/u.test(asked) || /\d/u.test(word)) return 0
  const most = asked.length < 6 ? 1 : 2
  if (editDistance(asked, word, most) <= most) return isThere ? mistaken.besides : mistaken.alone
  const common = commonBeginning(asked, word)
  const isRelated = common >= 5 && common >= 0.6 * Math.min(asked.length, word.length)
  if (!isRelated) return 0
  return isThere ? related.besides : related.alone
}

function commonBeginning(one: string, other: string): number {
  let length = 0
  while (length < one.length && one[length] === other[length]) length += 1
  return length
}
