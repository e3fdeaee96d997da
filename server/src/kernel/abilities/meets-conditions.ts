import { type Condition, conditionText } from '../columns/index.ts'
import { type Resource, recordStatements } from '../record/index.ts'
import type { OrganizationSettings } from '../schema/index.ts'
import type { Services } from '../services.ts'
import { binding, type Reader } from '../sql/index.ts'

/**
 * Whether a record meets all conditions as it is now, read by one statement; null if it is gone or anonymized. The scopes that the filters
 * need are not checked here.
 */
export async function meetsConditions(
  resource: Resource,
  id: string,
  conditions: readonly Condition[],
  { organization, reader }: { readonly organization: OrganizationSettings; readonly reader: Reader },
  { database }: Pick<Services, 'database'>,
): Promise<boolean | null> {
  const values: unknown[] = [organization.id, id]
  const bind = binding(values)
  const met = conditions.map(condition => `coalesce(${conditionText(condition, { organization, bind })}, false)`)
  const statement = {
    name: '',
    text: `-- name: judge_${resource.kind}
      select ${met.join(' and ')} as met
        from ${resource.table.name} t
       where t.organization_id = $1 and t.id = $2 and ${recordStatements(resource).visible}`,
  }
  const [row] = await database.query(statement, values, reader)
  return row === undefined ? null : row.met === true
}
