import type { Field, Links } from '../schema/index.ts'
import { columnName, type Statement, statement } from '../sql/index.ts'
import { headOf } from './head.ts'
import { columnOf } from './record.ts'
import type { Resource } from './resource.ts'

/** The statements of one resource, compiled from its declaration. */
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

// A request that did not get its idempotency key must lock nothing, and so wait for nothing.
export const guard = `current_setting('crm.claim') = 'held'`

const compiled = new Map<string, RecordStatements>()

/** Compiled once, on first use. */
export function recordStatements(resource: Resource): RecordStatements {
  const made = compiled.get(resource.kind) ?? compileStatements(resource)
  compiled.set(resource.kind, made)
  return made
}

function compileStatements(resource: Resource): RecordStatements {
  const {
    kind,
    table: { name: table },
    personal,
  } = resource
  const columns = columnsOf(resource)
  const visible = personal ? 't.anonymized_at is null' : 'true'
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

/** The columns of a record, named like its fields. */
export function columnsOf({ kind, fields, parent }: Resource): string {
  const own = Object.entries(fields).filter(([, field]) => field.column !== undefined)
  const linked = Object.entries(fields).flatMap(([name, { links }]) =>
    links === undefined ? [] : [linkedIds(name, links), ...anonymizedIds(links)],
  )
  const key = `(select k.key from external_keys k
        where k.organization_id = $1 and k.resource_id = t.id and k.application_id = $2 and k.kind = '${kind}'
          and not k.gone
        limit 1) as "externalId"`
  const head = Object.keys(headOf(parent)).map(name => `t.${columnName(name)} as "${name}"`)
  const columns = own.map(([name, field]) => `t.${columnOf(name, field)} as "${name}"`)
  const persons = own.flatMap(([name, field]) => isAnonymized(name, field))
  return [...head, ...columns, ...persons, ...(parent === null ? [key] : []), ...linked].join(', ')
}

function isAnonymized(name: string, field: Field): string[] {
  const { anonymized } = field
  if (anonymized === undefined) return []
  return [
    `(select p.anonymized_at is not null from ${anonymized.table} p
        where p.organization_id = $1 and p.id = t.${columnOf(name, field)}) as "${anonymized.member}"`,
  ]
}

function linkedIds(name: string, links: Links): string {
  return `array(select l.${links.targetColumn} from ${links.table} l
        where l.organization_id = $1 and l.${links.ownerColumn} = t.id
        order by l.position, l.${links.targetColumn}) as "${name}"`
}

// One look-up by the whole key for each link, also where the plan is made while the tables are empty.
function anonymizedIds({ table, ownerColumn, targetColumn, anonymized }: Links): string[] {
  if (anonymized === undefined) return []
  return [
    `array(select l.${targetColumn} from ${table} l
        where l.organization_id = $1 and l.${ownerColumn} = t.id
          and (select p.anonymized_at is not null from ${anonymized.table} p
                where p.organization_id = $1 and p.id = l.${targetColumn})) as "${anonymized.member}"`,
  ]
}
