import {
  bounds,
  contains,
  isIndexed,
  opensWord,
  type Resource,
  searchFormOfColumn,
  termOf,
  visibleIn,
} from '../../kernel/index.ts'
import type { Bind, Statement } from '../../kernel/sql/index.ts'
import {
  companySources,
  linksTo,
  meantIn,
  type PartialSearch,
  type PartialSource,
  partialSources,
  subtitleColumn,
  takenFrom,
} from './partial-sources.sql.ts'
import { mostMissing, type PartialWord } from './partial-words.ts'
import { isNamed, meantAt } from './similar.sql.ts'
import {
  inParts,
  isBehind,
  type Position,
  pageText,
  ranks,
  type SearchedKind,
  type SearchStage,
  searchedColumns,
  stageOf,
} from './statement-parts.ts'

/**
 * The statement that finds records which have at least half of the words of a search, in their own texts, in the subtitle of a hit, or in the
 * names of their companies. Records that the other statements find are excluded. $1 organization, $2 application, $3 most rows. Null if no
 * kind has such texts.
 */
export function partialStatement(
  kinds: readonly SearchedKind[],
  asked: PartialSearch,
  after: Position | null,
  bind: Bind,
): Statement | null {
  const ofCompanies = companySources(asked, bind)
  const search = ofCompanies.length === 0 ? { ...asked, companies: null } : asked
  const parts = kinds.map(kind => ({ kind, sources: partialSources(kind, search, bind) }))
  const searched = parts.filter(({ sources }) => sources.length > 0)
  if (searched.length === 0) return null
  const sources = [...ofCompanies, ...searched.flatMap(each => each.sources)].map(stageAs)
  const ranked = searched.map(({ kind, sources: from }) => {
    const ids = from.map(({ name }) => `select s.id from ${takenFrom(name)} s`)
    return rankedOf(kind, search, ids.join(' union '), bind)
  })
  const partial = stageOf('partial', ranked)
  const resources = searched.map(({ kind }) => kind.resource)
  const text = pageText([...sources, partial], [partial], resources, isBehind(after, bind), resource => {
    const links = linksTo(resource, search, 'p.id')
    return links === null ? [] : [`(select array_agg(c.name order by c.name) from ${links}) as "linked"`]
  })
  return { name: 'find_partial_records', text: `-- name: find_partial_records\n${text}` }
}

const stageAs = ({ name, text, isCut }: PartialSource): SearchStage => ({
  name,
  text: `${name} as materialized (\n  ${text})`,
  cut: isCut ?? `exists (select from ${name} offset ${bounds.searchPartial.most})`,
  crowded: [],
})

/** The records with these ids, as candidates with their ranks. */
function rankedOf(kind: SearchedKind, search: PartialSearch, ids: string, bind: Bind): string {
  const { resource } = kind
  const { words } = search
  const beside = besideOf(resource, search)
  const own = words.map((word, at) => `${isOwn(word, kind, search, bind)} as own_${at}`)
  const also = words.map((word, at) => `${isBeside(word, search, bind)} as also_${at}`)
  const missing = words.map((_, at) => `(not (w.own_${at} or w.also_${at}))::integer`).join(' + ')
  const all = words.reduce((sum, { weight }) => sum + weight, 0)
  const loss = words.map((word, at) => lossOf(word, at, bind)).join(' + ')
  return `(select '${resource.kind}' as kind, t.id, t.updated_at,
          ${ranks.partial} + ${missing} + least(999, (1000 * (${loss}) / ${all})::integer) / 1000::double precision as rank
     from (${ids}) as s
    cross join lateral (select ${searchedColumns}, ${beside} as beside from ${resource.table.name} t
      where ${visibleIn(resource).join(' and ')} and t.id = s.id limit 1) as t
    cross join lateral (select ${[...own, ...also].join(',\n      ')} offset 0) as w
    where ${missing} <= ${mostMissing(words.length)}
      and not (${hasEveryWord(kind, search, bind)})
      and not (${inParts(kind, bind)})
    order by rank, t.created_at desc, t.id desc limit ${bounds.searchCandidates.most + 1})`
}

/** SQL of what a record loses by a word: a quarter of its weight outside its own texts, and up to all of it where it has no such word. */
function lossOf({ word, weight }: PartialWord, at: number, bind: Bind): string {
  return `case when w.own_${at} then 0 when w.also_${at} then ${weight / 4}
    else ${weight} * (1 - word_similarity(${bind(word)}, t.search_names)) end`
}

/** SQL of the words beside a record's own texts, each behind a space: those of its subtitle and of its companies. */
function besideOf(resource: Resource, search: PartialSearch): string {
  const subtitle = subtitleColumn(resource)
  const links = linksTo(resource, search, 't.id')
  return [
    `''`,
    ...(subtitle === null ? [] : [`coalesce(' ' || ${searchFormOfColumn(subtitle)}, '')`]),
    ...(links === null ? [] : [`coalesce((select string_agg(' ' || c.words, '') from ${links}), '')`]),
  ].join(' || ')
}

/** SQL: a word beside the own texts begins with this word, or equals one that is similar to it and in the names of companies. */
function isBeside(word: PartialWord, { companies, known }: PartialSearch, bind: Bind): string {
  const typed = `strpos(t.beside, ${bind(` ${word.word}`)}) > 0`
  const meant = companies === null ? [] : meantIn(word, { resource: companies }, known)
  return meant.length === 0 ? typed : `(${typed} or string_to_array(t.beside, ' ') && ${bind(meant)}::text[])`
}

/** SQL: the own texts contain a word or one that is similar to it. A word of one or two letters must begin a word. */
function isOwn(word: PartialWord, kind: SearchedKind, { known }: PartialSearch, bind: Bind): string {
  const term = termOf(word.word)
  const typed = isIndexed([term]) ? contains(term, kind.texts, bind) : opensWord(term, kind.texts, bind)
  return orNamed(typed, meantIn(word, kind, known), bind)
}

/** SQL: the record has every word in its own texts, so other statements have found it. */
function hasEveryWord(kind: SearchedKind, { all, known }: PartialSearch, bind: Bind): string {
  const here = known.filter(({ kind: name }) => name === kind.resource.kind)
  const conditions = all.map(({ word }, at) =>
    orNamed(contains(termOf(word), kind.texts, bind), meantAt(at, here), bind),
  )
  return conditions.join(' and ')
}

const orNamed = (typed: string, meant: readonly string[], bind: Bind) =>
  meant.length === 0 ? typed : `(${typed} or ${isNamed(meant, bind)})`
