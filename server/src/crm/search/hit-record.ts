import { columnOf, externalKey, type Resource } from '../../kernel/index.ts'

/** The record of this id as JSON, with what hits show and are matched by: $1 organization, $2 application. */
export function hitRecord({ kind, table, fields, roles, hit }: Resource, id: string): string {
  const shown = Object.entries(fields).filter(
    ([name, { column, search }]) =>
      column !== undefined && (search !== undefined || [hit.title, hit.subtitle, roles.anonymizedAt].includes(name)),
  )
  const columns = shown.map(([name, field]) => `t.${columnOf(name, field)} as "${name}"`)
  return `(select to_json(r) from (
    select t.id, ${[...columns, externalKey(kind, 't.id')].join(', ')} from ${table.name} t
     where t.organization_id = $1 and t.id = ${id}) as r)`
}
