import {
  bounds,
  columnOf,
  type NewestTexts,
  type Resource,
  spacedNames,
  termOf,
  visibleIn,
  wordsOfColumn,
} from '../../kernel/index.ts'
import { wordsOfContactData } from '../../kernel/schema/index.ts'
import type { Bind } from '../../kernel/sql/index.ts'
import { isFrequentAmong, newestOf } from './frequency.ts'
import type { KnownWords } from './known-words.sql.ts'
import { mostMissing, type PartialWord } from './partial-words.ts'
import { hasOneOf, meantAt } from './similar.sql.ts'
import type { LikelyWord } from './similar-words.ts'
import type { SearchedKind } from './statement-parts.ts'

/** What a search for records with some of its words knows. */
export interface PartialSearch {
  /** The words by which records are found and ranked. */
  readonly words: readonly PartialWord[]
  /** All words: a record that has each of them is found by other statements. */
  readonly all: readonly LikelyWord[]
  readonly known: readonly KnownWords[]
  readonly newest: readonly NewestTexts[]
  /** The kind of companies, if the token may read it. */
  readonly companies: Resource | null
}

/** A named part of the statement that gives ids of records. */
export interface PartialSource {
  readonly name: string
  readonly text: string
  /** SQL: whether there is more than is taken; by default, more than `searchPartial`. */
  readonly isCut?: string
}

const { most } = bounds.searchPartial

// A frequent word is in a tenth of the newest records, so these fill a page.
const mostNewest = 300

/** The part of the statement with the companies that have words of the search in their names. */
const partialCompanies = 'partial_companies'

/**
 * The parts of the statement that find the companies whose names contain words of the search, those with the most words first. There are
 * none if the token may not read companies. Frequent words, such as legal forms, are not looked for.
 */
export function companySources(search: PartialSearch, bind: Bind): PartialSource[] {
  const { companies: resource } = search
  if (resource === null) return []
  const kind = { resource, texts: { contactData: false, customFields: false } }
  const rare = search.words.filter(word => !isFrequent(word, kind, search))
  if (rare.length === 0) return []
  const counts = rare.map(word => `(${ownWords([word], kind, search, bind)})::integer`).join(' + ')
  const conditions = [...visibleIn(resource), ownWords(rare, kind, search, bind)].join(' and ')
  return [
    {
      name: 'named_companies',
      text: `select t.id, t.name, t.search_names from ${resource.table.name} t where ${conditions}`,
    },
    {
      name: partialCompanies,
      text: `select t.id, t.name, ${spacedNames} as words from ${takenFrom('named_companies')} as t
   order by ${counts} desc, t.id desc limit ${mostCompanies}`,
    },
  ]
}

/** SQL of the records that are taken from a part. PostgreSQL plans a part as if all of it were read, so the limit is outside. */
export const takenFrom = (part: string) => `(select f.* from ${part} f limit ${most})`

/** SQL of the links of a record with the companies that were found, as `l` and `c`; null if its kind has no companies. */
export function linksTo({ hit }: Resource, { companies }: PartialSearch, id: string): string | null {
  if (hit.companies === null || companies === null) return null
  const { table, column } = hit.companies
  return `${table} l join ${partialCompanies} c on c.id = l.company_id where l.organization_id = $1 and l.${column} = ${id}`
}

const mostCompanies = 50

/**
 * The parts that find records of a kind with some of the words. The index of whole words intersects all but one of the words, so it returns
 * few records; for fewer words it is searched for the rarest of them, of which each record must have one. Words that are too frequent for
 * this are searched in the newest records.
 */
export function partialSources(kind: SearchedKind, search: PartialSearch, bind: Bind): PartialSource[] {
  const { resource } = kind
  const { words } = search
  const { kind: name, hit } = resource
  const sources: PartialSource[] = []
  const add = (source: string, condition: string) =>
    sources.push({
      name: `${source}_${name}`,
      text: `select t.id from ${resource.table.name} t
     where ${[...visibleIn(resource), condition].join(' and ')}`,
    })
  const lead = rarest(kind, search)
  if (words.length > 2) {
    const allButOne = words
      .map(omitted => words.filter(word => word !== omitted))
      .filter(others => !others.every(word => isFrequent(word, kind, search)))
      .map(others => `(${others.map(word => ownWords([word], kind, search, bind)).join(' and ')})`)
    if (allButOne.length > 0) add('all_but_one', `(${allButOne.join(' or ')})`)
  }
  if (words.length > 1) {
    const rare = lead.filter(word => !isFrequent(word, kind, search))
    if (rare.length > 0) add('some', ownWords(rare, kind, search, bind))
    if (rare.length < lead.length)
      sources.push({
        name: `newest_${name}`,
        text: `select t.id from ${resource.table.name} t where ${visibleIn(resource).join(' and ')}
     order by t.created_at desc, t.id desc limit ${mostNewest}`,
        isCut: `exists (select from ${resource.table.name} t where ${visibleIn(resource).join(' and ')} offset ${mostNewest})`,
      })
  }
  const subtitle = subtitleColumn(resource)
  const isRare = words.length === 1 || !words.every(word => isFrequent(word, kind, search))
  if (subtitle !== null && isRare) add('subtitle', inSubtitle(subtitle, kind, search, bind))
  if (hit.companies !== null && search.companies !== null) {
    const { table, column } = hit.companies
    sources.push({
      name: `linked_${name}`,
      text: `select l.${column} as id from ${partialCompanies} c
      join ${table} l on l.organization_id = $1 and l.company_id = c.id`,
    })
  }
  return sources
}

/** SQL: the subtitle contains all words, or both the subtitle and the names contain some. The index has no records without a subtitle. */
function inSubtitle(column: string, kind: SearchedKind, search: PartialSearch, bind: Bind): string {
  const typed = bind(search.words.map(({ word }) => word))
  const subtitle = wordsOfColumn(column)
  const all = `${subtitle} @> ${typed}::text[]`
  if (search.words.length === 1) return `${column} is not null and ${all}`
  const some = `${ownWords(search.words, kind, search, bind)} and ${subtitle} && ${typed}::text[]`
  return `${column} is not null and (${all} or (${some}))`
}

/** The column of the subtitle, or null if it is not searched. */
export function subtitleColumn({ fields, hit }: Resource): string | null {
  const field = hit.subtitle === null ? undefined : fields[hit.subtitle]
  return hit.subtitle === null || field === undefined || !hit.isSubtitleSearched
    ? null
    : `t.${columnOf(hit.subtitle, field)}`
}

/** The rarest words: a record that has enough of all words has one of these. */
function rarest(kind: SearchedKind, search: PartialSearch): PartialWord[] {
  const counted = search.words.map(word => ({ word, count: countOf(word, kind, search) }))
  const inOrder = counted.toSorted((one, other) => one.count - other.count)
  return inOrder.slice(0, mostMissing(search.words.length) + 1).map(({ word }) => word)
}

type OwnTexts = Pick<SearchedKind, 'resource' | 'texts'>

function countOf(word: PartialWord, kind: OwnTexts, { known, newest }: PartialSearch): number {
  const { holds } = hasOneOf([word.word, ...meantIn(word, kind, known)], () => '')
  return newestOf(newest, kind).filter(holds).length
}

const isFrequent = (word: PartialWord, kind: OwnTexts, search: PartialSearch) =>
  isFrequentAmong(countOf(word, kind, search))

/** The similar words of a word that names of a kind contain. */
export const meantIn = (
  { place }: PartialWord,
  { resource }: Pick<OwnTexts, 'resource'>,
  known: readonly KnownWords[],
) =>
  meantAt(
    place,
    known.filter(({ kind }) => kind === resource.kind),
  )

/** SQL: one of these words, or of the words similar to them, is a whole word of the names, or a whole e-mail address or phone number. */
function ownWords(words: readonly PartialWord[], kind: OwnTexts, { known }: PartialSearch, bind: Bind): string {
  const named = words.flatMap(word => [word.word, ...meantIn(word, kind, known)])
  const reached = kind.texts.contactData ? words.filter(({ word }) => /[@\d]/u.test(word)) : []
  const inNames = hasOneOf(named, bind).text
  if (reached.length === 0) return inNames
  return `(${inNames} or ${wordsOfContactData} && ${bind(reached.map(({ word }) => termOf(word).reached))}::text[])`
}
