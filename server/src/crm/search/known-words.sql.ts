import { type Resource, visibleIn, wordsOfNames } from '../../kernel/index.ts'
import type { Bind, Row, Statement } from '../../kernel/sql/index.ts'
import type { LikelyWord } from './similar-words.ts'
import type { SearchedKind } from './statement-parts.ts'

/** Words of which records of a kind have one at least, and that may have been meant by the word at this place of a search. */
export type KnownWords = Row & { readonly kind: string; readonly place: number; readonly words: readonly string[] }

// The index is asked for some words at a time. For each record that it finds it goes through all words of the question,
// so one long question about a frequent word would take as long as all the short ones together, many times over.
const wordsAtATime = 32

// The index lists all records that have a word, however few are wanted. A frequent word nearly always stands among the newest names,
// so words of this many newest names of each kind are known without asking the index.
const newestNames = 100

/**
 * Which of the words that may have been meant stand in the newest names of some kind, and for each kind which portions of the others
 * have one that is in its names: $1 organization. They are few, and PostgreSQL plans the search for records with the words
 * themselves: it knows how frequent each of them is.
 */
export function knownWordsStatement(
  kinds: readonly SearchedKind[],
  words: readonly LikelyWord[],
  bind: Bind,
): Statement {
  const asked = words.flatMap(({ similar }, place) =>
    similar.map((word, at) => ({ place, portion: Math.floor(at / wordsAtATime), word })),
  )
  const [places, portions] = [asked.map(({ place }) => place), asked.map(({ portion }) => portion)]
  const texts = asked.map(({ word }) => word)
  const arrays = `${bind(places)}::integer[], ${bind(portions)}::integer[], ${bind(texts)}::text[]`
  const text = `with newest as materialized (
  select distinct w.word
    from (${kinds.map(({ resource }) => newestWords(resource)).join('\n          union all ')}) as t
   cross join lateral unnest(t.words) as w(word)),
asked as materialized (
  select a.place, array_agg(a.word) filter (where n.word is not null) as newest,
         array_agg(a.word) filter (where n.word is null) as others
    from unnest(${arrays}) as a(place, portion, word)
    left join newest n on n.word = a.word
   group by a.place, a.portion)
${kinds.map(({ resource }) => knownWords(resource)).join('\nunion all\n')}`
  return { name: 'find_known_words', text: `-- name: find_known_words\n${text}` }
}

function newestWords(resource: Resource): string {
  return `(select ${wordsOfNames} as words from ${resource.table.name} t
            where ${visibleIn(resource).join(' and ')}
            order by t.created_at desc, t.id desc limit ${newestNames})`
}

function knownWords({ kind, table }: Resource): string {
  // Materialized, so that the index is asked, whatever the planner takes the words for; the first record is enough.
  return `select '${kind}' as kind, a.place, a.newest as words from asked a where a.newest is not null
union all
select '${kind}', a.place, a.others
  from asked a
 cross join lateral (
   with found as materialized (
     select from ${table.name} t where t.organization_id = $1 and ${wordsOfNames} && a.others)
   select from found limit 1) as one
 where a.others is not null`
}
