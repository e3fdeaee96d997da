import type { ErasePerson } from '../../kernel/index.ts'
import { statement } from '../../kernel/sql/index.ts'

const told = `exists (select from jsonb_path_query(v.definition, 'strict $.** ? (@.type() == "string")') as said where said #>> '{}' ~* $2)`

/** $1 organization, $2 regular expression for values of filters, $3 for names. Waits for changes of the views under way. */
const dropPerson = statement(
  'drop_person_of_views',
  `update views v
      set definition = case when ${told} then jsonb_set(v.definition, '{filters}', '{}') else v.definition end,
          name = case when v.name ~* $3 then 'View' else v.name end, version = v.version + 1
    where v.organization_id = $1 and (v.name ~* $3 or ${told})
   returning v.id`,
)

/** Erases a person from views: one whose filters mention the person loses all of them, and a name that does is replaced. */
export const eraseFromViews: ErasePerson = async (transaction, organizationId, { known }) => {
  const rows =
    known === null ? [] : await transaction.query(dropPerson, [organizationId, known.inCells, known.inTitles])
  return { reached: { views: rows.length }, files: [], ids: rows.map(({ id }) => String(id)) }
}
