import { type Condition, conditionText } from '../columns/index.ts'
import { type Resource, recordStatements } from '../record/index.ts'
import type { OrganizationSettings } from '../schema/index.ts'
import type { Services } from '../services.ts'
import { binding, type Reader } from '../sql/index.ts'

/**
 * By id, whether each of these records meets all conditions as it is now, read by one statement; those that are gone or anonymized are left
 * out. The scopes that the filters need are not checked here.
 */
export async function meetConditions(
  resource: Resource,
  ids: readonly string[],
  conditions: readonly Condition[],
  { organization, reader }: { readonly organization: OrganizationSettings; readonly reader: Reader },
  { database }: Pick<Services, 'database'>,
): Promise<ReadonlyMap<string, boolean>> {
  const values: unknown[] = [organization.id, ids]
  const bind = binding(values)
  const met = conditions.map(condition => `coalesce(${conditionText(condition, { organization, bind })}, false)`)
  const statement = {
    name: '',
    text: `-- name: judge_${resource.kind}
      select t.id, ${met.join(' and ')} as met
        from unnest($2::uuid[]) as wanted(id)
       cross join lateral (
         select x.* from ${resource.table.name} x where x.organization_id = $1 and x.id = wanted.id offset 0) as t
       where ${recordStatements(resource).visible}`,
  }
  const rows = await database.query(statement, values, reader)
  return new Map(rows.map(({ id, met: isMet }) => [String(id), isMet === true]))
}
