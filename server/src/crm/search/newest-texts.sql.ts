import { type Resource, visibleIn } from '../../kernel/index.ts'
import { type Row, type Statement, statement } from '../../kernel/sql/index.ts'

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
