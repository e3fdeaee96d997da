import { nothingConfigured } from '../configuration/index.ts'
import {
  headColumn,
  isNested,
  type Resource,
  represent,
  selectedColumns,
  tenantColumn,
  toRecord,
} from '../record/index.ts'
import type { JsonObject } from '../schema/index.ts'
import { columnName, type Database, type Row, type Statement, statement } from '../sql/index.ts'

const compiled = new Map<string, Statement>()

/** The settings of one kind in an organization, in the order of the kind, in the form of audit entries: without secrets. */
export async function readSettings(
  kind: Resource,
  organizationId: string,
  database: Database,
): Promise<readonly JsonObject[]> {
  return shownRows(kind, await database.search(readStatement(kind), [organizationId]))
}

/**
 * All organizations of the installation, the oldest first. Only an operator who administers the whole installation may see them together.
 */
export async function readOrganizations(organization: Resource, database: Database): Promise<readonly JsonObject[]> {
  const { kind, table } = organization
  // Columns name their organization by $1; here it is that of the row.
  const columns = selectedColumns(organization).replaceAll('$1', 't.id')
  const text = `select ${columns} from ${table.name} t order by t.created_at, t.id`
  return shownRows(organization, await database.search(statement(`read_every_${kind}`, text), []))
}

function shownRows(kind: Resource, rows: readonly Row[]): JsonObject[] {
  const { organization } = nothingConfigured
  return rows.map(row => {
    const record = toRecord(row)
    return represent(kind, record, { organization, now: record.updatedAt })
  })
}

/** $1 organization */
function readStatement(resource: Resource): Statement {
  const known = compiled.get(resource.kind)
  if (known !== undefined) return known
  const { kind, table, listedWhen = 'true' } = resource
  const { field, direction } = isNested(resource) ? resource.order : { field: 'createdAt', direction: 'asc' }
  const made = statement(
    `read_settings_${kind}`,
    `select ${selectedColumns(resource)} from ${table.name} t where t.${tenantColumn(table)} = $1 and ${listedWhen}
      order by t.${columnName(field)} ${direction}, t.${headColumn(resource, 'id')} ${direction}`,
  )
  compiled.set(kind, made)
  return made
}
