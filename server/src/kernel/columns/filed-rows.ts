import { columnOf } from '../record/codec.ts'
import { columnsNamed, recordStatements } from '../record/record-statements.ts'
import type { LinkField, Resource } from '../record/resource.ts'
import type { ColumnContext } from '../schema/index.ts'
import { type FiledLinks, filedLinksOf, filedNestedLinks } from './link-columns.ts'
import { fileColumnsOf, type RecordColumn } from './record-columns.ts'

/** The rows of one type of file, as an export selects them all in one statement. */
export interface FiledRows {
  /** The kind of the records, or of those that have the links: conditions are about these. */
  readonly owner: Resource
  /** Whether rows are about persons, who can be erased. */
  readonly tellsOfPersons: boolean
  columns(context: Omit<ColumnContext, 'kind'>): readonly RecordColumn[]
  /**
   * SQL of the rows with the fields of these columns: $1 organization, $2 application, and what the conditions on `t`, the
   * record, have bound. Records come in the order of their ids, links in that of their owners, the primary one first.
   */
  select(columns: readonly RecordColumn[], conditions: readonly string[]): string
  /** SQL of how many rows there are, as `count`. */
  count(conditions: readonly string[]): string
}

/** Rows of the records of a kind. Anonymized persons are in no file. */
export function filedRecords(owner: Resource): FiledRows {
  const from = (conditions: readonly string[]) => {
    const where = ['t.organization_id = $1', recordStatements(owner).visible, ...conditions]
    return `from ${owner.table.name} t where ${where.join(' and ')}`
  }
  return {
    owner,
    tellsOfPersons: owner.personal,
    columns: context => fileColumnsOf(owner, context),
    select(columns, conditions) {
      const fields = [...new Set(columns.map(({ field }) => field))]
      return `select ${columnsNamed(owner, fields)} ${from(conditions)} order by t.id`
    },
    count: conditions => `select count(*) as count ${from(conditions)}`,
  }
}

/** Rows of the links in a field, such as `companies` of deals. */
export function filedLinks(owner: Resource, fieldName: string): FiledRows {
  const filed = filedLinksOf(owner, fieldName)
  const { links }: LinkField = filed.links
  const table = `(select l.*, l.position = 0 as "isPrimary" from ${links.table} l where l.organization_id = $1)`
  return linkRows(filed, {
    table,
    order: 'l.position',
    own: {},
    ...{ ownerColumn: links.ownerColumn, targetColumn: links.targetColumn, anonymized: links.anonymized?.table },
  })
}

/** Rows of links that are records of their own, such as those of companies to contacts. */
export function filedLinkRecords(nested: Resource): FiledRows {
  const filed = filedNestedLinks(nested)
  const { reference, links } = filed
  const ownerColumn = links.fields[links.parent.member]?.columnName ?? ''
  const first = `row_number() over (partition by l.${ownerColumn} order by l.rank, l.id) = 1`
  const table = `(select l.*, ${first} as "isPrimary" from ${links.table.name} l where l.organization_id = $1)`
  return linkRows(filed, {
    table,
    order: 'l.rank, l.id',
    own: Object.fromEntries(Object.entries(links.fields).map(([name, field]) => [name, columnOf(name, field)])),
    ownerColumn,
    targetColumn: reference.targetColumn,
    anonymized: links.fields[reference.name]?.anonymized?.table,
  })
}

interface LinkTable {
  /** SQL of the links of the organization, with `isPrimary`. */
  readonly table: string
  /** Of the links of one owner. */
  readonly order: string
  readonly ownerColumn: string
  readonly targetColumn: string
  /** Columns of what the links say, by the names of the fields. */
  readonly own: Readonly<Record<string, string>>
  /** The table of the linked records, if they can be anonymized. */
  readonly anonymized: string | undefined
}

function linkRows({ owner, columns }: FiledLinks, link: LinkTable): FiledRows {
  const { table, order, ownerColumn, targetColumn, own, anonymized } = link
  const from = (conditions: readonly string[]) => {
    const owners = `join ${owner.table.name} t on t.organization_id = $1 and t.id = l.${ownerColumn}`
    const person = `(select p.anonymized_at is null from ${anonymized} p
        where p.organization_id = $1 and p.id = l.${targetColumn})`
    const where = [...conditions, ...(anonymized === undefined ? [] : [person])]
    return `from ${table} l ${conditions.length === 0 ? '' : owners} where ${where.join(' and ') || 'true'}`
  }
  const columnNames: Readonly<Record<string, string>> = { ...own, ownerId: ownerColumn, targetId: targetColumn }
  return {
    owner,
    tellsOfPersons: anonymized !== undefined,
    columns: () => columns,
    select(selected, conditions) {
      const values = selected.map(({ field }) => `l.${columnNames[field] ?? `"${field}"`} as "${field}"`)
      return `select ${values.join(', ')} ${from(conditions)} order by l.${ownerColumn}, ${order}`
    },
    count: conditions => `select count(*) as count ${from(conditions)}`,
  }
}
