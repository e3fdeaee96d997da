import type { Fields, Links } from '../schema/index.ts'
import { columnName, type Statement, statement } from '../sql/index.ts'

/** The statements of one resource, compiled from its declaration once at start. */
export interface RecordStatements {
  /** $1 organization, $2 application, $3 id */
  readonly get: Statement
  /** $1 organization, $2 application, $3 ids, $4 keys: ids of existing rows, locked to change them */
  readonly lockToChange: Statement
  /** the same, locked only against removal */
  readonly lockToRefer: Statement
  /** $1 organization, $2 application, $3 ids, $4 keys: whole records */
  readonly load: Statement
  /** $1 organization, $2 application, $3 ids, $4 keys: `id`, and `gone` for an anonymized one */
  readonly loadReferred: Statement
  /** The selected columns, and the condition under which a record is visible; for lists. */
  readonly columns: string
  readonly visible: string
}

export const headColumns: Readonly<Record<string, string>> = {
  id: 'uuid',
  version: 'bigint',
  createdAt: 'timestamptz',
  updatedAt: 'timestamptz',
  createdByApplicationId: 'uuid',
  createdByUuid: 'uuid',
  updatedByUuid: 'uuid',
}

// A request that did not get its idempotency key must lock nothing, and so wait for nothing.
const guard = `current_setting('crm.claim') = 'held'`

export function recordStatements(kind: string, table: string, fields: Fields, anonymizable: boolean): RecordStatements {
  const columns = selectedColumns(kind, fields)
  const visible = anonymizable ? 't.anonymized_at is null' : 'true'
  const wanted = `t.id = any ($3::uuid[] || array(
          select k.resource_id from external_keys k
           where k.organization_id = $1 and k.application_id = $2 and k.kind = '${kind}' and not k.gone
             and k.key = any ($4::text[])))`
  const lock = (strength: string) =>
    `select t.id from ${table} t
      where ${guard} and t.organization_id = $1 and ${wanted}
      order by t.id for ${strength}`
  return {
    get: statement(`get_${kind}`, `select ${columns} from ${table} t where t.organization_id = $1 and t.id = $3`),
    lockToChange: statement(`lock_${kind}_to_change`, lock('no key update of t')),
    lockToRefer: statement(`lock_${kind}_to_refer`, lock('share of t')),
    load: statement(
      `load_${kind}`,
      `select ${columns} from ${table} t where ${guard} and t.organization_id = $1 and ${wanted}`,
    ),
    loadReferred: statement(
      `load_referred_${kind}`,
      `select t.id, not (${visible}) as gone from ${table} t where ${guard} and t.organization_id = $1 and ${wanted}`,
    ),
    columns,
    visible,
  }
}

function selectedColumns(kind: string, fields: Fields): string {
  const own = Object.entries(fields).filter(([, field]) => field.column !== undefined)
  const linked = Object.entries(fields).flatMap(([name, field]) => (field.links ? [linkedIds(name, field.links)] : []))
  const head = Object.keys(headColumns).map(name => `t.${columnName(name)} as "${name}"`)
  const columns = own.map(([name, field]) => `t.${field.columnName ?? columnName(name)} as "${name}"`)
  return [...head, ...columns, ownKey(kind, 't.id'), ...linked].join(', ')
}

/** The key that application $2 has for something of this kind. */
export function ownKey(kind: string, id: string): string {
  return `(select k.key from external_keys k
        where k.organization_id = $1 and k.resource_id = ${id} and k.application_id = $2 and k.kind = '${kind}'
          and not k.gone
        limit 1) as "externalId"`
}

function linkedIds(name: string, links: Links): string {
  return `array(select l.${links.targetColumn} from ${links.table} l
        where l.organization_id = $1 and l.${links.ownerColumn} = t.id
        order by l.position, l.${links.targetColumn}) as "${name}"`
}
