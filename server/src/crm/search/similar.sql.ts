import { type Bind, contains, termOf, visibleIn, wordsOfNames } from '../../kernel/index.ts'
import type { Statement } from '../../kernel/sql/index.ts'
import type { LikelyWord } from './similar-words.ts'
import {
  candidates,
  inParts,
  isBehind,
  type Position,
  pageText,
  ranks,
  type SearchedKind,
  type Stage,
  stageOf,
} from './statement-parts.ts'

// The index is asked for some words at a time. For each record that it finds it goes through all words of the question,
// so one long question about a frequent word would take as long as all the short ones together, many times over.
const wordsAtATime = 32

/**
 * The records in whose names each word stands, or one that may have been meant by it. $1 organization, $2 application, $3 most rows.
 * First the index of whole words is asked which of the similar words there are at all; with these few, records are
 * looked for.
 */
export function similarStatement(
  kinds: readonly SearchedKind[],
  words: readonly LikelyWord[],
  after: Position | null,
  bind: Bind,
): Statement {
  const chunks = words.flatMap(({ similar }, place) => inChunks(similar).map(chunk => ({ place, chunk })))
  const [places, texts] = [bind(chunks.map(({ place }) => place)), bind(chunks.map(({ chunk }) => chunk))]
  const known = kinds.map(({ resource: { kind, table } }): Stage => {
    const name = `known_${kind}`
    const text = `${name} as materialized (
      select c.place, string_to_array(string_agg(c.words, ' '), ' ') as words
        from unnest(${places}::integer[], ${texts}::text[]) as c(place, words)
       cross join lateral (
         with hit as materialized (
           select from ${table.name} t where t.organization_id = $1 and ${wordsOfNames} && string_to_array(c.words, ' '))
         select from hit limit 1) as h
       group by c.place)`
    return { name, text, cut: [] }
  })
  const found = stageOf(
    'likely',
    kinds.map(kind => {
      const asked = words.map(({ word }) => contains(termOf(word), kind.texts, bind))
      const likely = asked.map((contained, place) => {
        const known = `(select k.words from known_${kind.resource.kind} k where k.place = ${place})`
        return `(${contained} or ${wordsOfNames} && ${known})`
      })
      const rank = `${ranks.substring} + greatest(1, ${asked.map(contained => `(not ${contained})::integer`).join(' + ')})`
      const others = [...likely, `not (${inParts(kind, bind)})`]
      return candidates(kind.resource, rank, [...visibleIn(kind.resource), ...others])
    }),
  )
  const resources = kinds.map(({ resource }) => resource)
  const text = pageText([...known, found], [found], resources, isBehind(after, bind))
  return { name: 'find_similar_records', text: `-- name: find_similar_records\n${text}` }
}

function inChunks(words: readonly string[]): string[] {
  const chunks: string[] = []
  for (let from = 0; from < words.length; from += wordsAtATime) {
    chunks.push(words.slice(from, from + wordsAtATime).join(' '))
  }
  return chunks
}
