import { columnOf, parentColumn, type Resource } from '../../../record/index.ts'
import { type Statement, statement } from '../../../sql/index.ts'

/** The most mentions that an answer lists. */
export const mostMentions = 100
/** How much of each kind is searched: at most this many of the newest records, and this many megabytes of text. */
export const mostRecords = 10_000
export const mostMegabytes = 10
const mostBytes = mostMegabytes * 1024 * 1024

/** The result for one kind. */
export type MentionsRow = {
  /** How many records mention the person. */
  readonly records: number
  /** Whether all records of the kind were searched. */
  readonly complete: boolean
  /** The newest records that mention the person, each with the id of the record at the top that it belongs to. */
  readonly found: readonly { readonly id: string; readonly within: string | null; readonly fields: readonly string[] }[]
}

/**
 * $1 organization, $2 id of the person, $3 a regular expression. Finds the records of a kind that match the expression in one of these
 * fields. No index covers these texts, so the newest records are read in the order of the primary key. With one expression for all names,
 * e-mails and phones, each text is read only once.
 */
export function mentionsStatement(kind: Resource, names: readonly string[]): Statement {
  const own = kind.references.find(({ name }) => name === kind.parent?.uniqueReference)?.targetColumn ?? 'id'
  const fields = names.map(name => textIn(kind, name))
  const above = kind.parent === null ? [] : [parentColumn(kind)]
  // What belongs to the person goes with the person.
  const isOfOthers = kind.parent?.resource.personal ? ` and n.${parentColumn(kind)} <> $2` : ''
  const columns = [...new Set(['id', own, ...above, ...fields.map(({ column }) => column)])]
  // `offset 0` keeps the planner from evaluating the expression once for each use of the matching fields.
  return statement(
    `mentions_in_${kind.kind}_${names.join('_').toLowerCase()}`,
    `select count(*) filter (where f.fields <> '{}')::integer as records,
            coalesce(bool_and(f.looked), true) as complete,
            to_json(coalesce((array_agg(
              json_build_object('id', f.${own}, 'within', ${topId(kind, 'f')}, 'fields', f.fields) order by f.id desc
            ) filter (where f.fields <> '{}'))[1:${mostMentions}], '{}')) as found
       from (
         select n.*, case when n.looked${isOfOthers} then array_remove(array[${fields.map(({ mention }) => mention).join(', ')}], null)
                          else '{}' end as fields
           from (
             select ${columns.map(column => `t.${column}`).join(', ')},
                    row_number() over newest <= ${mostRecords}
                      and sum(${fields.map(({ octets }) => octets).join(' + ')}) over newest <= ${mostBytes} as looked
               from ${kind.table.name} t
              where t.organization_id = $1 and t.${own} <> $2
             window newest as (order by t.id desc)
              order by t.id desc
              limit ${mostRecords + 1}) as n
         offset 0) as f`,
  )
}

/** SQL for one field: its column, its size in bytes without reading the text, and its name if it mentions the person. */
function textIn({ fields }: Resource, name: string): { column: string; octets: string; mention: string } {
  const field = fields[name]
  if (field === undefined) throw new Error(`there is no field ${name}`)
  const column = columnOf(name, field)
  if (field.column === 'text') {
    const octets = `coalesce(octet_length(t.${column}), 0)`
    return { column, octets, mention: `case when n.${column} ~* $3 then '${name}' end` }
  }
  const texts = `jsonb_path_query(n.${column}, 'strict $.** ? (@.type() == "string")')`
  return {
    column,
    octets: `coalesce(pg_column_size(t.${column}), 0)`,
    mention: `case when exists (select from ${texts} as v where v #>> '{}' ~* $3) then '${name}' end`,
  }
}

/** SQL of the id of the record at the top that a nested record belongs to; null for a record that stands alone. */
function topId(kind: Resource, below: string): string {
  if (kind.parent === null) return 'null'
  const id = `${below}.${parentColumn(kind)}`
  const { resource } = kind.parent
  if (resource.parent === null) return id
  const above = `above_${below}`
  return `(select ${topId(resource, above)} from ${resource.table.name} ${above}
            where ${above}.organization_id = $1 and ${above}.id = ${id})`
}
