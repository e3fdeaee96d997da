import {
  contains,
  isIndexed,
  type NewestTexts,
  namedWords,
  spacedNames,
  standsIn,
  termOf,
  wordsOfNames,
} from '../../kernel/index.ts'
import type { Bind, Statement } from '../../kernel/sql/index.ts'
import { askFor, newestOf, type SearchCondition, withMore } from './frequency.ts'
import { indexedStage, kindsIn, type Source, type Wanted } from './indexed-stage.ts'
import type { KnownWords } from './known-words.sql.ts'
import type { LikelyWord } from './similar-words.ts'
import {
  inParts,
  isBehind,
  type Position,
  pageText,
  ranks,
  type SearchedKind,
  type SearchStage,
} from './statement-parts.ts'

/**
 * The statement that finds similar records: those whose names contain each word of the search or one of its similar words, and those that
 * contain the typed words with other punctuation between them. $1 organization, $2 application, $3 most rows. Null if the search has no
 * similar words. `newest` are texts of the newest records, which show which words are frequent.
 */
export function similarStatement(
  kinds: readonly SearchedKind[],
  source: Source,
  newest: readonly NewestTexts[],
  words: readonly LikelyWord[],
  known: readonly KnownWords[],
  after: Position | null,
  bind: Bind,
): Statement | null {
  const stages: SearchStage[] = []
  const add = (name: string, some: readonly SearchedKind[], want: (likely: Likely) => Omit<Wanted, 'kind'>) => {
    const searched = kindsIn(source, name, some)
    if (searched.length === 0) return
    const wanted = searched.map(kind => {
      const here = known.filter(isOf(kind))
      return { kind, ...want({ kind, words, known: here, newest: newestOf(newest, kind), bind }) }
    })
    stages.push(indexedStage(name, wanted, source, bind))
  }
  const meant = kinds.filter(kind => known.some(isOf(kind)))
  add(
    'likely',
    kinds.filter(kind => meant.includes(kind) || hasOtherMarks(kind, words)),
    inWholeWords,
  )
  if (words.length > 1) add('likely_part', meant, besideParts)
  if (stages.length === 0) return null
  const resources = kinds.map(({ resource }) => resource)
  const text = pageText(stages, stages, resources, isBehind(after, bind))
  const name = source === 'indexes' ? 'find_similar_records' : 'find_similar_newest_records'
  return { name, text: `-- name: ${name}\n${text}` }
}

/** The conditions for similar records of a kind. */
interface Likely {
  readonly kind: SearchedKind
  readonly words: readonly LikelyWord[]
  readonly known: readonly KnownWords[]
  readonly newest: readonly NewestTexts[]
  readonly bind: Bind
}

/**
 * Records whose names contain each word, or one of its similar words, as a whole word. The index of whole words intersects these conditions
 * itself, so it returns none of the many records that have only one frequent word.
 */
function inWholeWords({ kind, words, known, newest, bind }: Likely): Omit<Wanted, 'kind'> {
  const conditions = words.map(({ word }, at) => hasOneOf([word, ...meantAt(at, known)], bind))
  const all = conditions.map(({ text }) => text).join(' and ')
  const one = { text: all, isIndexed: true, holds: (texts: NewestTexts) => conditions.every(each => each.holds(texts)) }
  const asked = askFor([one], newest)
  return {
    rank: likelyRank(kind, words, known, bind),
    asked: {
      ...asked,
      lead: [all, isNotReal(kind, bind)],
      scanned: withMore(askFor(conditions, newest).scanned, [isNotReal(kind, bind)]),
    },
    gates: [],
  }
}

/**
 * Records whose names contain a similar word as a whole word, while other words of the search are only parts of words there or occur in
 * other texts. PostgreSQL uses only one of two indexes that both begin with the organization, so it reads all records that this one
 * returns, and filters them by the remaining conditions.
 */
function besideParts({ kind, words, known, newest, bind }: Likely): Omit<Wanted, 'kind'> {
  const wholly = words.map(({ word }, at) => hasOneOf([word, ...meantAt(at, known)], bind))
  const conditions = words.map(({ word }, at): SearchCondition => {
    const term = termOf(word)
    const right = {
      text: contains(term, kind.texts, bind),
      isIndexed: isIndexed([term]),
      holds: standsIn(term, kind.texts),
    }
    const meant = meantAt(at, known)
    if (meant.length === 0) return right
    const mistaken = hasOneOf(meant, bind)
    return {
      text: `(${right.text} or ${isNamed(meant, bind)})`,
      ...(mistaken.quick === undefined ? {} : { quick: `(${right.text} or ${mistaken.quick})` }),
      isIndexed: right.isIndexed,
      holds: texts => right.holds(texts) || mistaken.holds(texts),
    }
  })
  const mistaken = hasOneOf(
    known.flatMap(({ words: meant }) => meant),
    bind,
  )
  const asked = askFor([mistaken, ...conditions], newest)
  const others = [`not (${wholly.map(({ text }) => text).join(' and ')})`, isNotReal(kind, bind)]
  return {
    rank: likelyRank(kind, words, known, bind),
    asked: { ...asked, checked: withMore(asked.checked, others), scanned: withMore(asked.scanned, others) },
    gates: [],
    // If each word is frequent, an index would return too many records that have only one of them.
    isRecent: asked.isCommon,
  }
}

/** A word of the names equals one of these words. */
export function hasOneOf(words: readonly string[], bind: Bind): SearchCondition {
  return {
    text: `${wordsOfNames} && ${bind(words)}::text[]`,
    ...(words.length > mostWordsFirst ? {} : { quick: hasPartsOf(words, bind) }),
    isIndexed: true,
    holds: texts => namedWords(texts.names).some(word => words.includes(word)),
  }
}

/**
 * SQL of the rank: after all records that contain the typed words; the more words are exact, the better. A word with a mistake adds a
 * fraction, so that among the names for `zhanna` Жанна comes before Анна.
 */
function likelyRank({ texts }: SearchedKind, words: readonly LikelyWord[], known: readonly KnownWords[], bind: Bind) {
  const wrong = words.map(({ word }) => `(not ${contains(termOf(word), texts, bind)})::integer`)
  const mistaken = words.flatMap(({ word, written }, at) => {
    const forms = written.filter(form => meantAt(at, known).includes(form))
    if (forms.length === 0) return []
    const stands = [word, ...forms].map(form => `strpos(x.named, ${bind(` ${form} `)}) > 0`).join(' or ')
    return [`(not (${stands}))::integer`]
  })
  const rank = `${ranks.substring} + greatest(1, ${wrong.join(' + ')})`
  if (mistaken.length === 0) return rank
  const count = `(select ${mistaken.join(' + ')} from (select ' ' || ${spacedNames} || ' ' as named offset 0) as x)`
  return `${rank} + ${count} / ${mistakes}::double precision`
}

// The fractions of a few words together are less than one of those for other words.
const mistakes = 1024

const isNotReal = (kind: SearchedKind, bind: Bind) => `not (${inParts(kind, bind)})`

const isOf =
  ({ resource }: SearchedKind) =>
  ({ kind }: KnownWords) =>
    kind === resource.kind

/** Whether the search has words with punctuation, whose parts may occur separately. */
function hasOtherMarks({ terms }: SearchedKind, words: readonly LikelyWord[]): boolean {
  return terms.some(term => term.words.some(typed => words.every(({ word }) => word !== typed)))
}

// Dividing a name into words takes ten times as long as checking that it contains none of these words. So up to this many words are first
// searched in the undivided name.
const mostWordsFirst = 8

/** SQL that uses no index: a word of the names equals one of these words. */
export function isNamed(meant: readonly string[], bind: Bind): string {
  const { text, quick } = hasOneOf(meant, bind)
  return quick === undefined ? text : `(${quick} and ${text})`
}

const hasPartsOf = (words: readonly string[], bind: Bind) =>
  `(${words.map((_, at) => `strpos(t.search_names, (${bind(words)}::text[])[${at + 1}]) > 0`).join(' or ')})`

export const meantAt = (at: number, known: readonly KnownWords[]) =>
  known.filter(({ place }) => place === at).flatMap(({ words }) => words)
