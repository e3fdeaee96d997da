import { type Request, type Services, unattended } from '../../../kernel/index.ts'
import { isUuid } from '../../../kernel/schema/index.ts'
import { knowledgeBounds } from '../knowledge-bounds.ts'
import { languageOf, languages } from '../words/language.ts'
import { tokensOf } from '../words/tokens.ts'
import { type MeantWord, meantWords } from './meant-words.ts'
import { searchPassages, selectBaseSize, selectMeantWords } from './search.sql.ts'

/** A passage that answers a question, and its position in the file. A type, because rows need an index signature. */
export type FoundPassage = {
  readonly fileId: string
  readonly fileName: string
  readonly text: string
  /** The headings above it. */
  readonly heading: string
  /** Its page, or the row of a table; null if the file has neither. */
  readonly page: number | null
  readonly sheet: string | null
  readonly row: number | null
  /** Its number among the passages of the file, from 0. */
  readonly position: number
  /** The higher the better; comparable only among passages for one question. */
  readonly score: number
}

interface Question {
  readonly organizationId: string
  readonly baseId: string
  readonly question: string
  /** The most passages. */
  readonly limit: number
  /** Who reads; by default nobody who could leave. */
  readonly reader?: Request['reader']
}

/** The average length of a passage, in words. */
const usualLength = 60

/**
 * The passages of a knowledge base that match a question best, the best first; null if there is no such base. Words are stemmed by the
 * rules of English, German and Russian, so other inflections match; parts of words, and misspelled words, count less. A word counts more,
 * the fewer passages have it.
 */
export async function findPassages(
  { organizationId, baseId, question, limit, reader = unattended(organizationId) }: Question,
  { database }: Pick<Services, 'database'>,
): Promise<FoundPassage[] | null> {
  if (!isUuid(organizationId) || !isUuid(baseId)) return null
  const base = [organizationId, baseId]
  const [size] = await database.query(selectBaseSize, base, reader)
  if (size === undefined) return null
  const tokens = [...new Set(tokensOf(question))].slice(0, knowledgeBounds.knowledgeQuestion.most)
  const asked = [...base, JSON.stringify(askedWords(tokens)), languageOf(tokens), knowledgeBounds.knowledgeWords.most]
  const known = await database.search(selectMeantWords, asked, reader)
  const weighted = weightedWords(meantWords(known), Number(size.passages))
  if (weighted.length === 0) return []
  const looked = rarest(weighted).map(({ word }) => quoted(word))
  const values = [
    ...base,
    [...new Set(looked)].join(' | '),
    JSON.stringify(weighted.map(({ place, word, weight }) => ({ place, word: quoted(word), weight }))),
    knowledgeBounds.knowledgeCandidates.most,
    limit,
    usualLength,
  ]
  return database.search<FoundPassage>(searchPassages, values, reader)
}

/** The words of a question, in all languages that use their letters: a passage may be in another language than the question. */
function askedWords(tokens: readonly string[]) {
  return tokens.flatMap((word, place) => {
    const isCyrillic = /\p{Script=Cyrillic}/u.test(word)
    const possible = languages.filter(language => (language === 'russian') === isCyrillic)
    return possible.map(language => ({ place, word, language }))
  })
}

interface WeightedWord extends MeantWord {
  readonly weight: number
}

/** The inverse document frequency of each word: the rarer it is among the passages, the higher. */
function weightedWords(words: readonly MeantWord[], passages: number): WeightedWord[] {
  return words.map(word => {
    const rarity = Math.log(1 + (Math.max(passages, word.passages) - word.passages + 0.5) / (word.passages + 0.5))
    return { ...word, weight: word.likeness * rarity }
  })
}

/** The rarest words that occur in no more passages in all than are ranked; at least one. */
function rarest(words: readonly WeightedWord[]): WeightedWord[] {
  let passages = 0
  const sorted = words.toSorted((one, other) => one.passages - other.passages || other.weight - one.weight)
  return sorted.filter((word, index) => {
    passages += word.passages
    return index === 0 || passages <= knowledgeBounds.knowledgeCandidates.most
  })
}

/** A word as a query term: it contains only letters, digits and dots. */
function quoted(word: string): string {
  return `'${word.replaceAll(/['\\]/gu, '')}'`
}
