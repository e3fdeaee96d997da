import { beforeAllIds } from '../schema/index.ts'
import { type Database, type Row, statement } from '../sql/index.ts'

/** Gives the ids of organizations, in their order, until the signal is aborted. */
export type Organizations = (database: Database, signal: AbortSignal) => AsyncGenerator<string>

/** The organizations that have rows in a table, 500 with each statement. */
export function organizationsWith(table: string): Organizations {
  // $1 is the id behind which they are looked for.
  const selectOrganizations = statement(
    `select_organizations_with_${table}`,
    `select o.id from organizations o
      where o.id > $1 and exists (select 1 from ${table} x where x.organization_id = o.id)
      order by o.id limit 500`,
  )
  return async function* organizations(database, signal) {
    let last = beforeAllIds
    while (!signal.aborted) {
      const found: readonly Row[] = await database.query(selectOrganizations, [last])
      if (found.length === 0) return
      for (const { id } of found) {
        if (signal.aborted) return
        last = String(id)
        yield last
      }
    }
  }
}
