import {
  isAddress,
  isIndexed,
  isNumber,
  type NewestTexts,
  type RecordWithKey,
  type Resource,
} from '../../kernel/index.ts'
import type { Bind, Row, Statement } from '../../kernel/sql/index.ts'
import { type FoundRow, findStatement } from './find.sql.ts'
import type { Source } from './indexed-stage.ts'
import { type KnownWords, knownWordsStatement } from './known-words.sql.ts'
import { partialStatement } from './partial.sql.ts'
import { partialWords, weightsOf } from './partial-words.ts'
import { similarStatement } from './similar.sql.ts'
import type { LikelyWord } from './similar-words.ts'
import { isOfPartial, isOfSimilar, type Position, type SearchedKind } from './statement-parts.ts'

/** One page of a search. */
export interface AskedPage {
  readonly q: string
  readonly kinds: readonly SearchedKind[]
  /** The records that have the whole search as their key. */
  readonly keyed: readonly RecordWithKey[]
  /** The words of the search, with similar words. */
  readonly words: readonly LikelyWord[]
  /** The kind of companies, if the token may read it. */
  readonly companies: Resource | null
  /** Where the page before ended; null for the first page. */
  readonly after: Position | null
  readonly limit: number
  /** The weights of the words on the pages before, if these used them. */
  readonly weights: readonly number[] | null
}

/** Runs a statement, whose first value is the organization, followed by `more`; null finds nothing. */
export type Find = <R extends Row>(make: (bind: Bind) => Statement | null, ...more: readonly unknown[]) => Promise<R[]>

interface Means {
  readonly find: Find
  readonly sample: () => Promise<readonly NewestTexts[]>
  /** The application whose external keys hits show. */
  readonly keysOf: unknown
}

/** The rows of a page. */
export interface FoundRows {
  /** The hits in order, one more than the limit if there are more, and rows without a hit. */
  readonly rows: readonly FoundRow[]
  /** The weights of the words, if they affect the order of this page or the next. */
  readonly weights: readonly number[] | null
}

/**
 * Finds the hits of a page, rank by rank: records with all words; if these do not fill the first page, also those with similar words, and
 * then those with some of the words, on this page and all further ones.
 */
export async function findRows(asked: AskedPage, { find, sample, keysOf }: Means): Promise<FoundRows> {
  const { kinds, keyed, words, companies, after, limit } = asked
  if (kinds.length === 0) return { rows: [], weights: null }
  // If an index has more matches than are taken, a second statement also scans the newest records.
  const page = async (most: number, make: (source: Source, bind: Bind) => Statement | null) => {
    const rows = await find<FoundRow>(bind => make('indexes', bind), keysOf, most)
    const crowded = rows[0]?.crowded ?? []
    if (crowded.length === 0) return rows
    const newest = await find<FoundRow>(bind => make(crowded, bind), keysOf, most)
    return bestOf([...rows, ...newest], most)
  }
  const rows: FoundRow[] = []
  const left = () => limit + 1 - rows.filter(isFound).length
  // What was found by its key has been shown.
  const others = (more: readonly FoundRow[]) =>
    more.filter(({ id }) => keyed.every(each => each.id !== id)).slice(0, left())
  if (after === null || !isOfSimilar(after.rank)) {
    const newest = kinds.every(isForOneTerm) ? [] : await sample()
    rows.push(...(await page(left(), (source, bind) => findStatement(kinds, source, newest, after, keyed, bind))))
    if (after !== null || left() <= 1) return { rows, weights: null }
  }
  const newest = await sample()
  const known = words.some(isLikely) ? await find<KnownWords>(bind => knownWordsStatement(kinds, words, bind)) : []
  if (words.some(isLikely) && (after === null || !isOfPartial(after.rank))) {
    const similar = await page(left() + keyed.length, (source, bind) =>
      similarStatement(kinds, source, newest, words, known, after, bind),
    )
    rows.push(...others(similar))
  }
  if (left() === 0 || words.length === 0 || isForAddress(asked)) return { rows, weights: null }
  const weights = asked.weights ?? weightsOf(words, kinds, newest)
  const search = { words: partialWords(words, weights), all: words, known, newest, companies }
  const most = left() + keyed.length
  rows.push(...others(await find<FoundRow>(bind => partialStatement(kinds, search, after, bind), keysOf, most)))
  return { rows, weights }
}

/** Whether the search is one term that an index supports. */
const isForOneTerm = ({ terms }: SearchedKind) => terms.length === 1 && isIndexed(terms)

/** Whether the search is for an address or a number, of which a part says nothing. */
const isForAddress = ({ q, kinds }: AskedPage) =>
  kinds.some(({ terms, texts }) => isAddress(terms, texts) || isNumber(q, texts))

export const isFound = ({ kind }: FoundRow) => kind !== null

const isLikely = ({ similar }: LikelyWord) => similar.length > 0

/**
 * Merges the best rows of two pages: each record once, marked as truncated. If both pages are empty, it returns the one row of an empty
 * page.
 */
function bestOf(rows: readonly FoundRow[], most: number): FoundRow[] {
  const marked = rows.map(row => ({ ...row, truncated: true }))
  if (!marked.some(isFound)) return marked.slice(0, 1)
  const once = new Map(marked.map(row => [row.id, row]))
  const inOrder = [...once.values()].filter(isFound).toSorted((one, other) => {
    if (one.rank !== other.rank) return one.rank - other.rank
    if (one.updated_at !== other.updated_at) return one.updated_at < other.updated_at ? 1 : -1
    return one.id < other.id ? -1 : 1
  })
  return inOrder.slice(0, most)
}
