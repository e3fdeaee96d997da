import { readFile } from 'node:fs/promises'

/** An operation in `docs/api/operations.json`. Members that are absent do not hold. */
export interface OperationRow {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly body?: string
  readonly answer: string
  readonly keyed?: true
  readonly paged?: true
  readonly cas?: string
  readonly risk?: 'read' | 'change' | 'erase'
  /** The preview that tells what this operation would do. */
  readonly commitOf?: string
}

/** The part of `docs/api/openapi.json` that the generator reads. */
export interface ApiDocument {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

interface DocumentedOperation {
  readonly summary: string
  readonly description: string
  readonly deprecated?: boolean
  readonly parameters: readonly Parameter[]
}

interface Parameter {
  /** Absent in a reference to a header. */
  readonly in?: string
  readonly name: string
  readonly description: string
  readonly required?: boolean
  readonly explode?: boolean
  readonly schema: Schema
}

/** A JSON Schema, as far as its form matters here. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly additionalProperties?: Schema | boolean
  readonly default?: unknown
}

/** A method of the SDK: a row of the table, with what the document says of it. */
export interface Method {
  readonly row: OperationRow
  /** Which object has it: `deals.items`. */
  readonly resource: string
  readonly name: string
  readonly summary: string
  readonly description: string
  readonly isDeprecated: boolean
  readonly pathParameters: readonly Parameter[]
  readonly queryParameters: readonly Parameter[]
}

/** What the generator is given: all methods, in the order of the table, and the document. */
export interface Api {
  readonly document: ApiDocument
  readonly methods: readonly Method[]
}

/** Reads the document and the table from `docs/api`. */
export async function readApi(): Promise<Api> {
  const read = (name: string) => readFile(new URL(`../../../docs/api/${name}`, import.meta.url), 'utf8')
  const document: ApiDocument = JSON.parse(await read('openapi.json'))
  const rows: readonly OperationRow[] = JSON.parse(await read('operations.json'))
  return { document, methods: rows.map(row => methodOf(row, document)) }
}

/** Joins a row of the table with the document. Throws if the document does not have the operation. */
export function methodOf(row: OperationRow, { paths }: Pick<ApiDocument, 'paths'>): Method {
  const documented = paths[row.path]?.[row.method.toLowerCase()]
  if (documented === undefined) throw new Error(`The document does not have ${row.id}`)
  const { summary, description, deprecated = false, parameters } = documented
  const point = row.id.lastIndexOf('.')
  return {
    row,
    resource: row.id.slice(0, point),
    name: row.id.slice(point + 1),
    summary,
    description,
    isDeprecated: deprecated,
    pathParameters: parameters.filter(parameter => parameter.in === 'path'),
    queryParameters: parameters.filter(parameter => parameter.in === 'query'),
  }
}

/** The name of a type: `deals.items` and `list` give `DealsItemsList`. */
export function typeName(...parts: readonly string[]): string {
  return parts
    .flatMap(part => part.split('.'))
    .map(word => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
}

/** The name of the query of a method, for a method that has one. */
export const queryTypeOf = ({ resource, name }: Pick<Method, 'resource' | 'name'>): string =>
  `${typeName(resource, name)}Query`
