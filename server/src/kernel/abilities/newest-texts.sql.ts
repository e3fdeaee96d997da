import { bounds } from '../limits/index.ts'
import { type Resource, visibleIn } from '../record/index.ts'
import { type Row, type Statement, statement } from '../sql/index.ts'
import type { SearchedTexts, SearchTerm } from './search-conditions.ts'

/** The searched texts of one record in a sample. */
export type NewestTexts = Row & {
  readonly kind: string
  readonly names: string
  readonly contact_data: string
  readonly custom_fields: string
}

// Enough of each kind to distinguish a word that one record in a hundred has from one that a tenth of them have.
const sampled = 100

/** The texts of the newest records of these kinds: $1 organization. The statement is prepared, and names no table of another kind. */
export function newestTextsStatement(resources: readonly Resource[]): Statement {
  const kinds = resources.map(({ kind }) => kind)
  const selects = resources.map(resource => textsOf(resource, 'true', 'desc'))
  return statement(`newest_searched_texts_of_${kinds.join('_')}`, selects.join('\nunion all\n'))
}

/**
 * The texts of some four hundred records of a kind: the newest hundred, the oldest hundred, a hundred after the newest 10,000, and one at
 * each position in the planner's statistics. $1 organization. These positions divide the table into a hundred parts of equal size, so the
 * sample shows an import that is neither new nor old. In a small organization, records may appear twice.
 */
export function sampledTextsStatement(resource: Resource): Statement {
  const position = `select t.created_at, t.id from ${resource.table.name} t where ${visibleIn(resource).join(' and ')}
     order by t.created_at desc, t.id desc offset ${bounds.searchScan.most} limit 1`
  const behind = `(t.created_at, t.id) < (${position})`
  const selects = [
    textsOf(resource, 'true', 'desc'),
    textsOf(resource, behind, 'desc'),
    textsOf(resource, 'true', 'asc'),
    textsAtEqualDistances(resource),
  ]
  return statement(`sampled_searched_texts_of_${resource.kind}`, selects.join('\nunion all\n'))
}

function textsAtEqualDistances(resource: Resource): string {
  const conditions = [...visibleIn(resource), 't.id >= p.id'].join(' and ')
  return `(select one.* from (
    select unnest(s.histogram_bounds::text::uuid[]) as id from pg_stats s
     where s.schemaname = current_schema() and s.tablename = '${resource.table.name}' and s.attname = 'id') as p
   cross join lateral (select ${textColumns(resource)} from ${resource.table.name} t
     where ${conditions} order by t.id limit 1) as one)`
}

function textsOf(resource: Resource, condition: string, order: 'asc' | 'desc'): string {
  return `(select ${textColumns(resource)} from ${resource.table.name} t
   where ${[...visibleIn(resource), condition].join(' and ')}
   order by t.created_at ${order}, t.id ${order} limit ${sampled})`
}

const textColumns = ({ kind }: Resource) =>
  `'${kind}' as kind, t.search_names as names, t.search_contact_data as contact_data, t.search_custom_fields as custom_fields`

/** Tests whether a condition is true for the texts of a record. */
export type Holds = (texts: NewestTexts) => boolean

/** Whether a term occurs anywhere in the texts. */
export function standsIn(term: SearchTerm, looked: SearchedTexts): Holds {
  return standsInSome(term, looked, (text, wanted) => text.includes(wanted))
}

/** Whether a term occurs in one of the texts, as `stands` tests. */
export function standsInSome(
  { words, reached }: SearchTerm,
  looked: SearchedTexts,
  stands: (text: string, wanted: string) => boolean,
): Holds {
  return texts =>
    words.every(word => stands(texts.names, word)) ||
    (looked.contactData && stands(texts.contact_data, reached)) ||
    (looked.customFields && words.every(word => stands(texts.custom_fields, word)))
}
