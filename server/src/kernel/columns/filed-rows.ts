import {
  columnOf,
  columnsNamed,
  type LinkField,
  type RecordFilter,
  type Resource,
  recordStatements,
} from '../record/index.ts'
import type { ColumnContext, FilterContext, OrganizationSettings, Projection } from '../schema/index.ts'
import { binding, type Statement } from '../sql/index.ts'
import { type FiledLinks, filedLinksOf, filedNestedLinks } from './link-columns.ts'
import { fileColumnsOf, type RecordColumn } from './record-columns.ts'

/** A condition on a record: it has one of these values of a filter. */
export interface Condition {
  readonly filter: RecordFilter
  readonly values: readonly unknown[]
}

/** SQL of a condition on the record `t`; $1 is the organization. */
export function conditionText({ filter, values }: Condition, context: FilterContext): string {
  return filter.condition(filter.column, values, context)
}

/** The rows of one type of file, as an export selects them all in one statement. */
export interface FiledRows {
  /** The kind of the records, or of the records that have the links. Conditions apply to these. */
  readonly owner: Resource
  /** The protected parts of the rows. */
  readonly projections: readonly Projection[]
  /** Whether rows contain personal data, which can be erased. */
  readonly tellsOfPersons: boolean
  columns(context: Omit<ColumnContext, 'kind'>): readonly RecordColumn[]
  /**
   * Selects the rows with the values of these columns. Records are in the order of their ids. Links are in the order of their owners, the
   * primary link of each owner first.
   */
  select(columns: readonly RecordColumn[], selection: Selection): BoundStatement
  /** How many rows there are, as `count`. */
  count(selection: Selection): BoundStatement
}

/** Which rows are selected, and for whom. */
export interface Selection {
  readonly organization: Pick<OrganizationSettings, 'id' | 'country' | 'timeZone'>
  /** The application whose external keys the records have in the file. */
  readonly applicationId: string
  /** Conditions that the record, or the record that has the links, must all meet. */
  readonly conditions: readonly Condition[]
}

interface BoundStatement {
  readonly statement: Statement
  readonly values: readonly unknown[]
}

/** The two parts of a statement: the select list and the from clause. They may use $1, the organization, and $2, the application. */
interface Parts {
  selected(columns: readonly RecordColumn[]): string
  from(conditions: readonly string[]): string
  readonly order: string
}

function statementsOf(name: string, { selected, from, order }: Parts): Pick<FiledRows, 'select' | 'count'> {
  const bound = ({ organization, applicationId, conditions }: Selection, text: (source: string) => string) => {
    const values: unknown[] = [organization.id, applicationId]
    const bind = binding(values)
    const texts = conditions.map(condition => conditionText(condition, { organization, bind }))
    // A parameter needs a type, even if nothing else uses it.
    const source = `${from(texts)} and $2::uuid is not null`
    return { statement: { name: '', text: `-- name: export_${name}\n${text(source)}` }, values }
  }
  return {
    select: (columns, selection) =>
      bound(selection, source => `select ${selected(columns)} ${source} order by ${order}`),
    count: selection => bound(selection, source => `select count(*) as count ${source}`),
  }
}

/** Rows of the records of a kind. Anonymized persons are left out. */
export function filedRecords(owner: Resource): FiledRows {
  const { visible } = recordStatements(owner)
  return {
    owner,
    projections: [...new Set(Object.values(owner.fields).flatMap(({ projection }) => projection ?? []))],
    tellsOfPersons: owner.personal,
    columns: context => fileColumnsOf(owner, context),
    ...statementsOf(owner.plural, {
      selected: columns => columnsNamed(owner, [...new Set(columns.map(({ field }) => field))]),
      from: conditions =>
        `from ${owner.table.name} t where ${['t.organization_id = $1', visible, ...conditions].join(' and ')}`,
      order: 't.id',
    }),
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
    ownerColumn: links.ownerColumn,
    targetColumn: links.targetColumn,
    anonymized: links.anonymized?.table,
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
  /** The order of the links of one owner. */
  readonly order: string
  readonly ownerColumn: string
  readonly targetColumn: string
  /** SQL of the links' own fields, by their names. */
  readonly own: Readonly<Record<string, string>>
  /** The table of the linked records, if they can be anonymized. */
  readonly anonymized: string | undefined
}

function linkRows({ owner, targetKind, columns }: FiledLinks, link: LinkTable): FiledRows {
  const { table, order, ownerColumn, targetColumn, own, anonymized } = link
  const columnNames: Readonly<Record<string, string>> = { ...own, ownerId: ownerColumn, targetId: targetColumn }
  const owners = `join ${owner.table.name} t on t.organization_id = $1 and t.id = l.${ownerColumn}`
  const person = `(select p.anonymized_at is null from ${anonymized} p
      where p.organization_id = $1 and p.id = l.${targetColumn})`
  return {
    owner,
    projections: [],
    tellsOfPersons: anonymized !== undefined,
    columns: () => columns,
    ...statementsOf(`${owner.kind}_${targetKind}_links`, {
      selected: chosen => chosen.map(({ field }) => `l.${columnNames[field] ?? `"${field}"`} as "${field}"`).join(', '),
      from(conditions) {
        const where = [...conditions, anonymized === undefined ? 'true' : person]
        return `from ${table} l ${conditions.length === 0 ? '' : owners} where ${where.join(' and ')}`
      },
      order: `l.${ownerColumn}, ${order}`,
    }),
  }
}
