import { visibleIn } from '../record/record-statements.ts'
import type { Resource } from '../record/resource.ts'
import { type Row, type Statement, statement } from '../sql/index.ts'
import type { SearchedTexts, SearchTerm } from './search-conditions.ts'

/** What a search looks at in one of the newest records of a kind. */
export type NewestTexts = Row & {
  readonly kind: string
  readonly names: string
  readonly contact_data: string
  readonly custom_fields: string
}

// As many of each kind as tell apart what one record of a hundred has from what a tenth of them have.
const sampled = 100

/** The texts of the newest records of these kinds: $1 organization. It is prepared, and names no table of another kind. */
export function newestTextsStatement(resources: readonly Resource[]): Statement {
  const selects = resources.map(
    resource => `(select '${resource.kind}' as kind, t.search_names as names, t.search_contact_data as contact_data,
         t.search_custom_fields as custom_fields
    from ${resource.table.name} t
   where ${visibleIn(resource).join(' and ')}
   order by t.created_at desc, t.id desc limit ${sampled})`,
  )
  const kinds = resources.map(({ kind }) => kind)
  return statement(`newest_searched_texts_of_${kinds.join('_')}`, selects.join('\nunion all\n'))
}

/** Tells from the texts of a record whether a condition is true of it. */
export type Holds = (texts: NewestTexts) => boolean

/** Whether a term stands somewhere in the texts. */
export function standsIn(term: SearchTerm, looked: SearchedTexts): Holds {
  return standsInSome(term, looked, (text, wanted) => text.includes(wanted))
}

/** Whether a term stands in one of the texts, in a way that `stands` tells. */
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
