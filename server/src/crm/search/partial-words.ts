import { bounds, type NewestTexts, standsIn, termOf } from '../../kernel/index.ts'
import { newestOf } from './frequency.ts'
import type { LikelyWord } from './similar-words.ts'
import type { SearchedKind } from './statement-parts.ts'

/** A word of a search for records that have only some of its words. */
export interface PartialWord extends LikelyWord {
  /** Its position in the search. */
  readonly place: number
  /** How much a record without the word loses: from 1, if every sampled record contains it, to 10, if none does. */
  readonly weight: number
}

const heaviest = 10

/**
 * The words that are searched, each with its weight: the rarer among the newest records, the heavier. If there are too many, the search
 * uses the heaviest, and the first among equals. All pages of a search must use the same `weights`, because they affect the rank.
 */
export function partialWords(words: readonly LikelyWord[], weights: readonly number[]): PartialWord[] {
  const all = words.map((word, place) => ({ ...word, place, weight: weights[place] ?? heaviest }))
  const used = all.toSorted((one, other) => other.weight - one.weight).slice(0, bounds.searchWords.most)
  return all.filter(word => used.includes(word))
}

/** The weight of each word, by the texts of the newest records of these kinds. */
export function weightsOf(
  words: readonly LikelyWord[],
  kinds: readonly Pick<SearchedKind, 'resource' | 'texts'>[],
  newest: readonly NewestTexts[],
): number[] {
  const ofKinds = kinds.map(kind => ({ texts: kind.texts, records: newestOf(newest, kind) }))
  const all = Math.log(1 + ofKinds.reduce((sum, { records }) => sum + records.length, 0))
  return words.map(({ word }) => {
    const counts = ofKinds.map(({ texts, records }) => records.filter(standsIn(termOf(word), texts)).length)
    const count = counts.reduce((sum, each) => sum + each, 0)
    return all === 0 ? heaviest : Math.max(1, Math.round(heaviest * (1 - Math.log(1 + count) / all)))
  })
}

/** How many of so many words a record may lack: it has at least half of them, rounded down, and at least one. */
export function mostMissing(words: number): number {
  return words - Math.max(1, Math.floor(words / 2))
}
