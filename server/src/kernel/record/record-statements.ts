import type { Field, Links } from '../schema/index.ts'
import { claimedStatement, type Statement, statement } from '../sql/index.ts'
import { columnOf } from './codec.ts'
import { keyLookup } from './key-lookup.ts'
import { headColumn, headOf } from './record-head.ts'
import type { Resource } from './resource.ts'
import { tenantColumn } from './table.ts'

/** The statements of one resource, compiled from its declaration. */
export interface RecordStatements {
  /** $1 organization, $2 application, $3 id; if applications have no keys for the records, $2 id */
  readonly get: Statement
  /**
   * $1 organization, $2 and $3 applications and ids, $4 and $5 applications and keys: locks rows in order to change them, and returns the
   * ids of those that exist
   */
  readonly lockToChange: Statement
  /** The same with a lock that only prevents removal. */
  readonly lockToRefer: Statement
  /** The same without waiting: skips rows that are locked elsewhere. */
  readonly tryToChange: Statement
  readonly tryToRefer: Statement
  /** The same parameters: whole records, each with the application `of` which it is loaded and whose key it shows */
  readonly load: Statement
  /** The same parameters: returns `id`, and `gone` for an anonymized record */
  readonly loadReferred: Statement
  /** For lists: the selected columns, and the condition under which a record is visible. */
  readonly columns: string
  readonly visible: string
}

const compiled = new Map<string, RecordStatements>()

/** The statements of a resource. They are compiled once, on first use. */
export function recordStatements(resource: Resource): RecordStatements {
  const made = compiled.get(resource.kind) ?? compileStatements(resource)
  compiled.set(resource.kind, made)
  return made
}

function compileStatements(resource: Resource): RecordStatements {
  const { kind, fields, roles } = resource
  const table = resource.table.name
  const owner = tenantColumn(resource.table)
  const columns = selectedColumns(resource)
  const { anonymizedAt = '' } = roles
  const goneSince = fields[anonymizedAt]
  const visible = goneSince === undefined ? 'true' : `t.${columnOf(anonymizedAt, goneSince)} is null`
  // Each id is looked up by the whole primary key. With `= any`, a plan made while the table is empty could walk through all rows of the
  // organization.
  const found = (ids: string, selected: string, end: string) => `(${ids}) as wanted
    cross join lateral (
      select ${selected} from ${table} x where x.${owner} = $1 and x.id = wanted.id ${end}) as t`
  const wanted = wantedByApplications(kind)
  // Rows are locked one after another, in the order of their ids.
  const lock = (strength: string) => `select t.id from ${found(`${wanted} order by id`, 'x.id', `for ${strength}`)}`
  return {
    get: statement(
      `get_${kind}`,
      `select ${columns} from ${table} t where t.${owner} = $1 and t.id = ${resource.isSynchronized ? '$3' : '$2'}`,
    ),
    lockToChange: claimedStatement(`lock_${kind}_to_change`, lock('no key update')),
    lockToRefer: claimedStatement(`lock_${kind}_to_refer`, lock('share')),
    tryToChange: claimedStatement(`try_${kind}_to_change`, lock('no key update skip locked')),
    tryToRefer: claimedStatement(`try_${kind}_to_refer`, lock('share skip locked')),
    load: claimedStatement(
      `load_${kind}`,
      `select wanted.application_id as "of", ${selectedColumns(resource, 'wanted.application_id')} from ${found(wanted, 'x.*', 'offset 0')}`,
    ),
    loadReferred: claimedStatement(
      `load_referred_${kind}`,
      `select t.id, not (${visible}) as gone from ${found(wanted, 'x.*', 'offset 0')}`,
    ),
    columns,
    visible,
  }
}

/** SQL of the ids in $3, and of the ids of the records that have the keys in $4 of application $2. */
export function wantedIds(kind: string): string {
  return `select unnest($3::uuid[]) as id union all
      select k.resource_id
        from unnest($4::text[]) as named(key)
       cross join lateral ${keyLookup({ columns: ['resource_id'], kind: `'${kind}'`, key: 'named.key', gone: false })} as k`
}

/** The same for several applications: the ids in $3 for those in $2, and the ids of the records with the keys in $5 of those in $4. */
function wantedByApplications(kind: string): string {
  const lookup = {
    columns: ['resource_id'],
    kind: `'${kind}'`,
    key: 'w.key',
    gone: false,
    application: 'w.application_id',
  }
  return `select w.application_id, w.id from unnest($2::uuid[], $3::uuid[]) as w(application_id, id) union all
      select w.application_id, k.resource_id
        from unnest($4::uuid[], $5::text[]) as w(application_id, key)
       cross join lateral ${keyLookup(lookup)} as k`
}

/** The columns of a record, named like its fields. `application` is SQL of the application whose key it shows. */
export function selectedColumns(resource: Resource, application = '$2'): string {
  const { kind, fields } = resource
  const own = Object.entries(fields).filter(([, field]) => field.column !== undefined || field.select !== undefined)
  const linked = Object.entries(fields).flatMap(([name, { links }]) =>
    links === undefined ? [] : [linkedIds(name, links), ...anonymizedIds(links)],
  )
  const head = Object.keys(headOf(resource)).map(name => `t.${headColumn(resource, name)} as "${name}"`)
  const columns = own.map(([name, field]) => `${selected(name, field)} as "${name}"`)
  const persons = own.flatMap(([name, field]) => isAnonymized(name, field))
  const key = resource.isSynchronized ? [externalKey(kind, 't.id', application)] : []
  return [...head, ...columns, ...persons, ...key, ...linked].join(', ')
}

/** Some members of a record, under their names: members that every record has, the key, and fields with a column. */
export function columnsNamed(resource: Resource, names: readonly string[]): string {
  const columns = names.map(name => {
    const field = resource.fields[name]
    if (field !== undefined) return `${selected(name, field)} as "${name}"`
    if (name === 'externalId') return externalKey(resource.kind, 't.id')
    return `t.${headColumn(resource, name)} as "${name}"`
  })
  return columns.join(', ')
}

/** Bytes are read in the same form in which they are written, because rows are sent as JSON. */
function selected(name: string, field: Field): string {
  if (field.select !== undefined) return field.select
  const column = `t.${columnOf(name, field)}`
  return field.column === 'bytea' ? `'\\x' || encode(${column}, 'hex')` : column
}

function isAnonymized(name: string, field: Field): string[] {
  const { anonymized } = field
  if (anonymized === undefined) return []
  return [
    `(select p.anonymized_at is not null from ${anonymized.table} p
        where p.organization_id = $1 and p.id = t.${columnOf(name, field)}) as "${anonymized.member}"`,
  ]
}

/**
 * SQL of the key that an application has for a record or tag. The inner select finds the few keys of the record, the outer one picks the
 * application's. With all conditions in one select, a plan could use the primary key and read all keys of the application.
 */
export function externalKey(kind: string, id: string, application = '$2'): string {
  return `(select k.key from (
          select e.application_id, e.kind, e.gone, e.key from external_keys e
           where e.organization_id = $1 and e.resource_id = ${id}
          offset 0) as k
        where k.application_id = ${application} and k.kind = '${kind}' and not k.gone
        limit 1) as "externalId"`
}

function linkedIds(name: string, links: Links): string {
  return `array(select l.${links.targetColumn} from ${links.table} l
        where l.organization_id = $1 and l.${links.ownerColumn} = t.id
        order by l.position, l.${links.targetColumn}) as "${name}"`
}

// Each link is looked up by the whole primary key, even if the plan is made while the tables are empty.
function anonymizedIds({ table, ownerColumn, targetColumn, anonymized }: Links): string[] {
  if (anonymized === undefined) return []
  return [
    `array(select l.${targetColumn} from ${table} l
        where l.organization_id = $1 and l.${ownerColumn} = t.id
          and (select p.anonymized_at is not null from ${anonymized.table} p
                where p.organization_id = $1 and p.id = l.${targetColumn})) as "${anonymized.member}"`,
  ]
}

/** The conditions that every list has. */
export function visibleIn(resource: Resource): string[] {
  return ['t.organization_id = $1', recordStatements(resource).visible]
}
