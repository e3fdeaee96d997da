import { type Bind, contains, termOf, visibleIn, wordsOfNames } from '../../kernel/index.ts'
import type { Statement } from '../../kernel/sql/index.ts'
import type { KnownWords } from './known-words.sql.ts'
import type { LikelyWord } from './similar-words.ts'
import {
  candidates,
  inParts,
  isBehind,
  type Position,
  pageText,
  ranks,
  type SearchedKind,
  stageOf,
} from './statement-parts.ts'

/**
 * The records in whose names each word stands, or one of those that may have been meant by it; or that have what was
 * typed with other marks between its words. $1 organization, $2 application, $3 most rows. Null where there are none.
 */
export function similarStatement(
  kinds: readonly SearchedKind[],
  words: readonly LikelyWord[],
  known: readonly KnownWords[],
  after: Position | null,
  bind: Bind,
): Statement | null {
  const likely = kinds.flatMap(kind => {
    const ways = waysToMean(kind, words, known, bind)
    return ways.length === 0 ? [] : [{ kind, ways }]
  })
  if (likely.length === 0) return null
  const found = stageOf(
    'likely',
    likely.map(({ kind, ways }) => {
      const mistaken = words.map(({ word }) => `(not ${contains(termOf(word), kind.texts, bind)})::integer`)
      const rank = `${ranks.substring} + greatest(1, ${mistaken.join(' + ')})`
      const conditions = [
        ...visibleIn(kind.resource),
        `(${ways.join('\n         or ')})`,
        `not (${inParts(kind, bind)})`,
      ]
      // In a subquery of its own: the planner takes the words for frequent together, and would walk through the newest records.
      const from = `(select t.* from ${kind.resource.table.name} t where ${conditions.join(' and ')} offset 0) as t`
      return candidates(kind.resource, rank, ['true'], from)
    }),
  )
  const resources = likely.map(({ kind: { resource } }) => resource)
  const text = pageText([found], [found], resources, isBehind(after, bind))
  return { name: 'find_similar_records', text: `-- name: find_similar_records\n${text}` }
}

/**
 * The conditions of which one has to hold: one for each choice of words that are mistaken. Written out like this, the
 * index of whole words answers each of them by itself, and gives none of the many records that have one frequent word.
 */
function waysToMean(
  { resource: { kind }, texts, terms }: SearchedKind,
  words: readonly LikelyWord[],
  known: readonly KnownWords[],
  bind: Bind,
): string[] {
  const ofKind = known.filter(each => each.kind === kind)
  const named = words.map(({ word }) => word)
  const hasMarks = terms.some(term => term.words.some(typed => !named.includes(typed)))
  const otherMarks = hasMarks ? [`${wordsOfNames} @> ${bind(named)}::text[]`] : []
  if (ofKind.length === 0) return otherMarks
  let ways: { readonly conditions: readonly string[]; readonly isMistaken: boolean }[] = [
    { conditions: [], isMistaken: false },
  ]
  for (const [at, word] of named.entries()) {
    const right = { condition: contains(termOf(word), texts, bind), isMistaken: false }
    const meant = ofKind.filter(({ place }) => place === at).flatMap(each => each.words)
    const mistaken = meant.length === 0 ? [] : [`${wordsOfNames} && ${bind(meant)}::text[]`]
    const choices = [right, ...mistaken.map(condition => ({ condition, isMistaken: true }))]
    ways = ways.flatMap(way =>
      choices.map(({ condition, isMistaken }) => ({
        conditions: [...way.conditions, condition],
        isMistaken: way.isMistaken || isMistaken,
      })),
    )
  }
  const mistaken = ways.filter(({ isMistaken }) => isMistaken)
  return [...mistaken.map(({ conditions }) => `(${conditions.join(' and ')})`), ...otherMarks]
}
