import { contains, termOf, wordsOfNames } from '../../kernel/index.ts'
import type { Bind, Statement } from '../../kernel/sql/index.ts'
import { indexedStage, kindsIn, type Source } from './indexed-stage.ts'
import type { KnownWords } from './known-words.sql.ts'
import type { LikelyWord } from './similar-words.ts'
import { inParts, isBehind, type Position, pageText, ranks, type SearchedKind } from './statement-parts.ts'

/**
 * The records in whose names each word stands, or one of those that may have been meant by it; or that have what was
 * typed with other marks between its words. $1 organization, $2 application, $3 most rows. Null where there are none.
 */
export function similarStatement(
  kinds: readonly SearchedKind[],
  source: Source,
  words: readonly LikelyWord[],
  known: readonly KnownWords[],
  after: Position | null,
  bind: Bind,
): Statement | null {
  const searched = kindsIn(source, 'likely', kinds)
  const likely = searched.filter(kind => hasOtherMarks(kind, words) || known.some(isOf(kind)))
  if (likely.length === 0) return null
  const wanted = likely.map(kind => {
    const right = words.map(({ word }) => contains(termOf(word), kind.texts, bind))
    const knownHere = known.filter(isOf(kind))
    const ways = waysToMean(right, knownHere, bind)
    if (hasOtherMarks(kind, words)) ways.push(`${wordsOfNames} @> ${bind(words.map(({ word }) => word))}::text[]`)
    const rank = `${ranks.substring} + greatest(1, ${right.map(stands => `(not ${stands})::integer`).join(' + ')})`
    const conditions = [
      `(${ways.join('\n         or ')})`,
      `not (${inParts(kind, bind)})`,
      ...cheapSigns(right, knownHere, bind),
    ]
    return { resource: kind.resource, rank, conditions, gates: [] }
  })
  const found = indexedStage('likely', wanted, source)
  const resources = likely.map(({ resource }) => resource)
  const text = pageText([found], [found], resources, isBehind(after, bind))
  const name = source === 'indexes' ? 'find_similar_records' : 'find_similar_newest_records'
  return { name, text: `-- name: ${name}\n${text}` }
}

const isOf =
  ({ resource }: SearchedKind) =>
  ({ kind }: KnownWords) =>
    kind === resource.kind

/** Whether the search has words with marks in them, whose parts may stand apart. */
function hasOtherMarks({ terms }: SearchedKind, words: readonly LikelyWord[]): boolean {
  return terms.some(term => term.words.some(typed => words.every(({ word }) => word !== typed)))
}

// Of two indexes that begin with the organization PostgreSQL asks one, so records of one frequent word are read to look for the
// others. To take a name apart for each choice of words takes ten times as long as to see that none of them stands in it.
const mostSigns = 8

/** What has to be so for each word if any choice holds: the word stands there, or one that may have been meant, be it as a part. */
function cheapSigns(right: readonly string[], known: readonly KnownWords[], bind: Bind): string[] {
  return right.flatMap((stands, at) => {
    const meant = meantAt(at, known)
    if (meant.length === 0 || meant.length > mostSigns) return []
    return [`(${[stands, ...meant.map(word => `strpos(t.search_names, ${bind(word)}) > 0`)].join(' or ')})`]
  })
}

const meantAt = (at: number, known: readonly KnownWords[]) =>
  known.filter(({ place }) => place === at).flatMap(({ words }) => words)

/**
 * The conditions of which one has to hold: one for each choice of words that are mistaken, where `right` says of each
 * word that it stands there. Written out like this, the index of whole words answers each of them by itself, and gives
 * none of the many records that have one frequent word.
 */
function waysToMean(right: readonly string[], known: readonly KnownWords[], bind: Bind): string[] {
  let ways: { readonly conditions: readonly string[]; readonly isMistaken: boolean }[] = [
    { conditions: [], isMistaken: false },
  ]
  for (const [at, stands] of right.entries()) {
    const meant = meantAt(at, known)
    const choices = [{ condition: stands, isMistaken: false }]
    if (meant.length > 0) choices.push({ condition: `${wordsOfNames} && ${bind(meant)}::text[]`, isMistaken: true })
    ways = ways.flatMap(way =>
      choices.map(({ condition, isMistaken }) => ({
        conditions: [...way.conditions, condition],
        isMistaken: way.isMistaken || isMistaken,
      })),
    )
  }
  return ways.filter(({ isMistaken }) => isMistaken).map(({ conditions }) => `(${conditions.join(' and ')})`)
}
