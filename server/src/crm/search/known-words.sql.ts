import { type Resource, visibleIn, wordsOfNames } from '../../kernel/index.ts'
import type { Bind, Row, Statement } from '../../kernel/sql/index.ts'
import type { LikelyWord } from './similar-words.ts'
import type { SearchedKind } from './statement-parts.ts'

/** Similar words for the word at this position of a search. At least one of them occurs in the names of this kind. */
export type KnownWords = Row & { readonly kind: string; readonly place: number; readonly words: readonly string[] }

// The index is searched for a limited number of words at a time. For each record that matches, it checks all words of the query, so one
// query for a thousand words, one of which is frequent, takes seconds.
const wordsAtATime = 32

// The index lists all records that have a word, however few are needed. A frequent word nearly always occurs among the newest names, so
// words in this many newest names of each kind are known without the index.
const newestNames = 100

/**
 * The statement that finds which similar words occur in any names: $1 organization. It returns the words that occur among the newest names
 * of any kind and, for each kind, every portion of the other words with at least one that occurs in its names. That leaves few words, and
 * PostgreSQL plans the search for records with them: it knows how frequent each of them is.
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
  // Materialized, so that the index is used even if the planner takes the words for frequent. The first record is enough.
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
