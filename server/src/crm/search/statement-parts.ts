import {
  beginsWord,
  bounds,
  columnOf,
  contains,
  countMissing,
  externalKey,
  isWhole,
  outerTerms,
  type RecordWithKey,
  type Resource,
  type SearchedTexts,
  type SearchTerm,
  visibleIn,
} from '../../kernel/index.ts'
import type { Bind } from '../../kernel/sql/index.ts'

/** One kind of records to search, the texts that the token may search in it, and the terms. */
export interface SearchedKind {
  readonly resource: Resource
  readonly texts: SearchedTexts
  readonly terms: readonly SearchTerm[]
  /** Words of a long search that only affect the order of the hits. */
  readonly others: readonly string[]
}

/**
 * How well a record matches; 0 if the whole search is its key. Similar records have further ranks: one more for each word that does not match exactly. Missing words that
 * only affect the order add a fraction: there are fewer than 128 of them. Records with some of the words come last: one more for each missing
 * word, and a fraction for how unlike the texts and the missing words are.
 */
export const ranks = { key: 0, exact: 1, prefix: 2, substring: 3, partial: 1000 } as const
const fractions = 128

/** Whether a record with this rank matched by similar words, or by some of the words. */
export const isOfSimilar = (rank: number) => Math.floor(rank) > ranks.substring

/** Whether a record with this rank has only some of the words, or has them in other texts than its own. */
export const isOfPartial = (rank: number) => rank >= ranks.partial

/** The position at which a page ended. */
export interface Position {
  readonly rank: number
  readonly updatedAt: string
  readonly id: string
}

/** A named part of the statement. */
export interface SearchStage {
  readonly name: string
  readonly text: string
  /** A scalar: whether there are more records than the stage returns. */
  readonly cut: string
  /** Scalars, one for each part: its name if an index has more matches than the part has taken, otherwise null. */
  readonly crowded: readonly string[]
}

export const whole = ({ terms, texts }: SearchedKind, bind: Bind) =>
  terms.map(term => isWhole(term, texts, bind)).join(' and ')

export const begins = ({ terms, texts }: SearchedKind, bind: Bind) =>
  terms.map(term => beginsWord(term, texts, bind)).join(' and ')

export const inParts = ({ terms, texts }: SearchedKind, bind: Bind) =>
  outerTerms(terms)
    .map(term => contains(term, texts, bind))
    .join(' and ')

/** The newest records of a kind under these conditions, as candidates; one more than are ranked shows that there are more. */
export function candidates(
  { resource: { kind }, texts, others }: Ranked,
  rank: string,
  conditions: readonly string[],
  from: string,
  bind: Bind,
): string {
  const columns = others.length === 0 ? 't.id, t.updated_at' : searchedColumns
  const newest = `(select '${kind}' as kind, ${columns}, ${rank} as rank from ${from} t
     where ${conditions.join('\n       and ')}
     order by t.created_at desc, t.id desc limit ${bounds.searchCandidates.most + 1})`
  if (others.length === 0) return newest
  return `(select t.kind, t.id, t.updated_at, t.rank + ${countMissing(others, texts, bind)} / ${fractions}::double precision as rank
     from ${newest} t)`
}

/** The input of the rank of a kind's records. */
export type Ranked = Pick<SearchedKind, 'resource' | 'texts' | 'others'>

/** A stage of candidates of several kinds. */
export function stageOf(name: string, selects: readonly string[]): SearchStage {
  const text = `${name} as materialized (\n  ${selects.join('\n  union all\n  ')})`
  const cut = `exists (select from ${name} c group by c.kind having count(*) > ${bounds.searchCandidates.most})`
  return { name, text, cut, crowded: [] }
}

/** A stage of the records of these kinds that the whole search names by their keys. */
export function keyedStage(kinds: readonly SearchedKind[], keyed: readonly RecordWithKey[], bind: Bind): SearchStage {
  const selects = kinds.flatMap(({ resource }) => {
    const ids = keyed.filter(({ kind }) => kind === resource.kind).map(({ id }) => id)
    if (ids.length === 0) return []
    const conditions = [...visibleIn(resource), `t.id = any (${bind(ids)}::uuid[])`].join(' and ')
    const columns = `'${resource.kind}' as kind, t.id, t.updated_at, ${ranks.key} as rank`
    return [`(select ${columns} from ${resource.table.name} t where ${conditions})`]
  })
  return { name: 'keyed', text: `keyed as materialized (${selects.join(' union all ')})`, cut: 'false', crowded: [] }
}

/** SQL that is true for a record `f` that was not found by its key. */
export const isNotKeyed = `(f.rank = ${ranks.key} or not exists (select from keyed k where k.id = f.id))`

/** A stage of the newest records of a kind, for words that no index knows. */
export function newestStage(resource: Resource, gate: string): SearchStage {
  const name = `newest_${resource.kind}`
  const text = `${name} as materialized (\n    ${newestRecords(resource, [gate])})`
  return { name, text, cut: `(select count(*) >= ${bounds.searchScan.most} from ${name})`, crowded: [] }
}

/** The columns that a search needs from a record. */
export const searchedColumns =
  't.id, t.created_at, t.updated_at, t.search_names, t.search_contact_data, t.search_custom_fields'

/** The newest records of a kind, whatever their names, with the searched columns. */
export function newestRecords(resource: Resource, gates: readonly string[]): string {
  return `select ${searchedColumns}
      from ${resource.table.name} t where ${[...visibleIn(resource), ...gates].join(' and ')}
     order by t.created_at desc, t.id desc limit ${bounds.searchScan.most}`
}

/** SQL that is true after the position in the order of the hits. */
export function isBehind(after: Position | null, bind: Bind): string {
  if (after === null) return 'true'
  const rank = `${bind(after.rank)}::double precision`
  const [updatedAt, id] = [`${bind(after.updatedAt)}::timestamptz`, `${bind(after.id)}::uuid`]
  return `(f.rank, ${updatedAt}) > (${rank}, f.updated_at) or (f.rank = ${rank} and f.updated_at = ${updatedAt} and f.id > ${id})`
}

/**
 * The text of a statement that returns one page of the results of the stages, best first: $1 organization, $2 application, $3 most rows.
 * `more` are further columns of the records of a kind, whose id is `p.id`.
 */
export function pageText(
  stages: readonly SearchStage[],
  found: readonly SearchStage[],
  resources: readonly Resource[],
  behind: string,
  more: (resource: Resource) => readonly string[] = () => [],
): string {
  const records = resources.map(
    resource => `when '${resource.kind}' then ${hitRecord(resource, 'p.id', more(resource))}`,
  )
  const crowded = stages.flatMap(stage => stage.crowded)
  return `with ${stages.map(({ text }) => text).join(',\n')},
page as materialized (
  select f.* from (${found.map(({ name }) => `select * from ${name}`).join(' union all ')}) as f
   where ${behind}
   order by f.rank, f.updated_at desc, f.id limit $3)
select p.kind, p.id, p.updated_at, p.rank, case p.kind ${records.join('\n  ')} end as record,
       array_remove(array[${crowded.join(', ')}]::text[], null) as crowded, ${stages.map(({ cut }) => cut).join(' or ')} as truncated
  from (select 1) as always left join page p on true
 order by p.rank, p.updated_at desc, p.id`
}

/** The record with this id as JSON, with the members that hits show and match: $1 organization, $2 application. */
function hitRecord({ kind, table, fields, roles, hit }: Resource, id: string, more: readonly string[]): string {
  const shown = Object.entries(fields).filter(
    ([name, { column, search }]) =>
      column !== undefined && (search !== undefined || [hit.title, hit.subtitle, roles.anonymizedAt].includes(name)),
  )
  const columns = shown.map(([name, field]) => `t.${columnOf(name, field)} as "${name}"`)
  return `(select to_json(r) from (
    select t.id, ${[...columns, externalKey(kind, 't.id'), ...more].join(', ')} from ${table.name} t
     where t.organization_id = $1 and t.id = ${id}) as r)`
}
