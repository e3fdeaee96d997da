import { wordsOfNames } from '../../kernel/index.ts'
import type { Bind, Row, Statement } from '../../kernel/sql/index.ts'
import type { LikelyWord } from './similar-words.ts'
import type { SearchedKind } from './statement-parts.ts'

/** Words of which records of a kind have one at least, and that may have been meant by the word at this place of a search. */
export type KnownWords = Row & { readonly kind: string; readonly place: number; readonly words: readonly string[] }

// The index is asked for some words at a time. For each record that it finds it goes through all words of the question,
// so one long question about a frequent word would take as long as all the short ones together, many times over.
const wordsAtATime = 32

/**
 * Which portions of the words that may have been meant have one that is in the names of a kind: $1 organization. They are
 * few, and PostgreSQL plans the search for records with the words themselves: it knows how frequent each of them is.
 */
export function knownWordsStatement(
  kinds: readonly SearchedKind[],
  words: readonly LikelyWord[],
  bind: Bind,
): Statement {
  const portions = words.flatMap(({ similar }, place) => inPortions(similar).map(portion => ({ place, portion })))
  const places = `${bind(portions.map(({ place }) => place))}::integer[]`
  const texts = `${bind(portions.map(({ portion }) => portion))}::text[]`
  const known = kinds.map(({ resource: { kind, table } }) => {
    // Materialized, so that the index is asked, whatever the planner takes the words for; the first record is enough.
    return `select '${kind}' as kind, portion.place, string_to_array(portion.words, ' ') as words
  from unnest(${places}, ${texts}) as portion(place, words)
 cross join lateral (
   with found as materialized (
     select from ${table.name} t
      where t.organization_id = $1 and ${wordsOfNames} && string_to_array(portion.words, ' '))
   select from found limit 1) as one`
  })
  return { name: 'find_known_words', text: `-- name: find_known_words\n${known.join('\nunion all\n')}` }
}

function inPortions(words: readonly string[]): string[] {
  const portions: string[] = []
  for (let from = 0; from < words.length; from += wordsAtATime) {
    portions.push(words.slice(from, from + wordsAtATime).join(' '))
  }
  return portions
}
