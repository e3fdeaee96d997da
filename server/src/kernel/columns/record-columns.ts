import type { Resource } from '../record/index.ts'
import {
  type Column,
  type ColumnContext,
  type ColumnType,
  type Field,
  labelOf,
  type Projection,
  parserOf,
  plainText,
} from '../schema/index.ts'
import { type Row, type Statement, statement } from '../sql/index.ts'

/** A column of a file with records of one kind: how to read it from a record, and where a request has its value. */
export interface RecordColumn extends Omit<Column, 'text' | 'path'> {
  /** The field that it shows, as a whole or in part; `id` or `externalId`. */
  readonly field: string
  /** Where a request has the value: `['contactData', 'phones', 0, 'value']`; null if no request sets it. */
  readonly path: Column['path'] | null
  /** Exports leave the column out unless the token has the read scope of this projection. */
  readonly projection?: Projection
  /** The scope that an import of the column requires. */
  readonly writeScope?: string
  text(record: Readonly<Record<string, unknown>>): string
}

/**
 * The columns of files with records of this kind, in their order: the id as `uuid`, the external key, and those of the fields. Exports
 * write all of them that the token may read. Imports read those with a `path`, and find records by `uuid`.
 */
export function fileColumnsOf(resource: Resource, context: Omit<ColumnContext, 'kind'>): RecordColumn[] {
  const whole = { ...context, kind: resource.kind }
  return [
    plain('uuid', 'id', 'uuid', null),
    plain('externalId', 'externalId', 'text', ['externalId']),
    ...Object.entries(resource.fields).flatMap(([name, field]) =>
      columnsOfField(name, field, whole).map(column => ofRecord(column, name, field)),
    ),
  ]
}

function plain(key: string, field: string, type: ColumnType, path: RecordColumn['path']): RecordColumn {
  return {
    key,
    label: labelOf(key),
    type,
    field,
    path,
    text: record => plainText(record[field]),
    parse: parserOf(type),
  }
}

function ofRecord(column: Column, name: string, { input, role, projection, writeScope }: Field): RecordColumn {
  const isWritable = input !== undefined || role === 'tags'
  return {
    ...column,
    field: name,
    path: isWritable ? [name, ...column.path] : null,
    ...(projection === undefined ? {} : { projection }),
    ...(writeScope === undefined ? {} : { writeScope }),
    text: record => column.text(record[name], record),
  }
}

function columnsOfField(name: string, field: Field, context: ColumnContext): readonly Column[] {
  if (field.columns !== undefined) return field.columns(name, context)
  const isPlain = field.column !== undefined && field.refersTo === undefined
  return isPlain && (field.input !== undefined || field.exported === true) ? [columnOfField(name, field)] : []
}

function columnOfField(name: string, { input, output, keepsSpace }: Field): Column {
  const schema = input ?? output?.[''] ?? {}
  const words = Array.isArray(schema.enum) ? schema.enum.filter(word => typeof word === 'string') : []
  const kept = keepsSpace === undefined ? {} : { keepsSpace }
  const common = { key: name, label: labelOf(name), path: [], text: plainText, ...kept }
  if (words.length === 0) return { ...common, type: typeOf(schema), parse: parserOf(typeOf(schema)) }
  const parse = (text: string) => words.find(word => word === text.trim().toLowerCase())
  return { ...common, type: 'choice', options: words.map(word => ({ key: word, label: labelOf(word) })), parse }
}

function typeOf(schema: Readonly<Record<string, unknown>>): ColumnType {
  if ([schema.type].flat().includes('integer')) return 'integer'
  if (schema.format === 'date') return 'date'
  if (schema.format === 'date-time') return 'datetime'
  return schema.format === 'uuid' ? 'uuid' : 'text'
}

const selectOperatorEmails = statement(
  'select_operator_emails',
  'select p.id, lower(p.email) as email from operators p where p.organization_id = $1 and p.active and p.email is not null',
)

/** The active operators of an organization by their e-mail addresses in lower case, for the columns of files. */
export async function operatorEmails(
  connection: { query(asked: Statement, values: readonly unknown[]): Promise<Row[]> },
  organizationId: string,
): Promise<ReadonlyMap<string, string>> {
  const rows = await connection.query(selectOperatorEmails, [organizationId])
  return new Map(rows.map(({ id, email }) => [String(email), String(id)]))
}

const selectTagNames = statement('select_tag_names', 'select g.id, g.name from tags g where g.organization_id = $1')

/** The names of all tags of an organization by their ids, for the columns of files. */
export async function tagNames(
  connection: { query(asked: Statement, values: readonly unknown[]): Promise<Row[]> },
  organizationId: string,
): Promise<ReadonlyMap<string, string>> {
  const rows = await connection.query(selectTagNames, [organizationId])
  return new Map(rows.map(({ id, name }) => [String(id), String(name)]))
}
