import type { Api, ApiDocument, Method, Schema } from '../../sdk/scripts/api.ts'
import { entryOf } from '../../sdk/scripts/print-operations.ts'
import type { DeclaredCommand, DeclaredOption } from '../src/resources/declared.ts'
import { answerName } from './print-answer-names.ts'

/** The resources that have commands of their own. All others are called with `crm api`. */
const resources = ['contacts', 'companies', 'deals', 'tasks']

/** Commands that are written by hand, because one command calls two operations. */
const byHand = new Set(['mergePreview', 'mergeCommit', 'deletePreview'])

/** The operations that commands of these resources call. */
export function commandMethods({ methods }: Api): Method[] {
  return methods.filter(({ resource }) => resources.includes(resource.split('.')[0] ?? ''))
}

/** A command for each operation of these resources. */
export function declaredCommands(api: Api): DeclaredCommand[] {
  const { document, methods } = api
  const byId = new Map(methods.map(method => [method.row.id, method]))
  return commandMethods(api)
    .filter(({ name }) => !byHand.has(name))
    .filter(({ resource, name }) => name !== 'remove' || !byId.has(`${resource}.deleteCommit`))
    .map(method => declaredCommand(method, byId, document))
}

function declaredCommand(method: Method, byId: ReadonlyMap<string, Method>, document: ApiDocument): DeclaredCommand {
  const { row, resource, name, summary, description, pathParameters } = method
  const read = readBefore(method, byId)
  const isErasing = row.risk === 'erase'
  return {
    words: [...resource.split('.').map(kebabCase), commandName(name)],
    summary: lowerFirst(summary),
    // What it refuses is said when it refuses.
    description: description.split('\n\nRefuses with')[0] ?? '',
    operation: entryOf(method),
    answer: answerName(method, document),
    parameters: pathParameters.map(parameter => ({ name: parameter.name, description: parameter.description })),
    options: [...queryOptions(method, document), ...bodyOptions(method, document)],
    ...(read !== undefined && { reads: entryOf(read) }),
    ...(isErasing && { erases: true }),
  }
}

/** Other words than those of the methods, where people expect them. */
function commandName(name: string): string {
  return name === 'remove' || name === 'deleteCommit' ? 'delete' : kebabCase(name)
}

/** What tells the version that an operation needs: its preview, or the record itself. Undefined if the caller has to name it. */
function readBefore({ row, resource, pathParameters }: Method, byId: ReadonlyMap<string, Method>): Method | undefined {
  if (row.commitOf !== undefined) return byId.get(row.commitOf)
  const needsVersion = (row.cas === 'body' || row.cas === 'query') && pathParameters.length === 1
  return needsVersion ? byId.get(`${resource.split('.')[0]}.get`) : undefined
}

function queryOptions({ row, queryParameters }: Method, document: ApiDocument): DeclaredOption[] {
  const shown = queryParameters.filter(({ name }) => row.paged !== true || (name !== 'cursor' && name !== 'limit'))
  return shown.map(({ name, description, schema, required }) => ({
    name,
    flag: kebabCase(name),
    in: 'query' as const,
    kind: kindOf(schema, document) ?? 'text',
    description,
    ...valuesOf(schema, document),
    ...(required && { required }),
  }))
}

/** An option for each member of the body that is no list and no object. `--data` has the others. */
function bodyOptions({ row }: Method, document: ApiDocument): DeclaredOption[] {
  const { properties = {}, required = [] } = document.components.schemas[row.body ?? ''] ?? {}
  return Object.entries(properties).flatMap(([name, schema]) => {
    const kind = kindOf(schema, document)
    if (kind === undefined || kind === 'list' || kind === 'pairs') return []
    const option = {
      name,
      flag: kebabCase(name),
      in: 'body' as const,
      kind,
      description: described(name, schema, document),
      ...valuesOf(schema, document),
      ...(required.includes(name) && { required: true as const }),
    }
    return [isNullable(schema, document) ? { ...option, nullable: true as const } : option]
  })
}

function kindOf(schema: Schema, document: ApiDocument): DeclaredOption['kind'] | undefined {
  const { type } = resolved(schema, document)
  const types = [type ?? []].flat().filter(each => each !== 'null')
  if (types.includes('integer') && types.length === 1) return 'integer'
  if (types.includes('boolean') && types.length === 1) return 'boolean'
  if (types.includes('string')) return 'text'
  if (types.includes('array')) return 'list'
  return types.includes('object')
    ? 'additionalProperties' in resolved(schema, document)
      ? 'pairs'
      : undefined
    : undefined
}

const isNullable = (schema: Schema, document: ApiDocument): boolean =>
  schema.anyOf?.some(({ type }) => type === 'null') ?? [resolved(schema, document).type].flat().includes('null')

/** The texts that the API takes. */
function valuesOf(schema: Schema, document: ApiDocument): { readonly values?: readonly string[] } {
  const values = resolved(schema, document).enum?.filter(value => typeof value === 'string')
  return values === undefined ? {} : { values }
}

function described(name: string, schema: Schema, document: ApiDocument): string {
  const values = resolved(schema, document).enum?.filter(value => value !== null)
  const words = kebabCase(name).replaceAll('-', ' ')
  const said = schema.description ?? `The ${words}.`
  return values === undefined ? said : `${said} One of ${values.join(', ')}.`
}

/** The schema that a reference leads to, or the one beside null. */
function resolved(schema: Schema, document: ApiDocument): Schema {
  const { $ref, anyOf } = schema
  if ($ref !== undefined) return resolved(document.components.schemas[$ref.split('/').at(-1) ?? ''] ?? {}, document)
  const other = anyOf?.find(({ type }) => type !== 'null')
  return other === undefined ? schema : resolved(other, document)
}

const kebabCase = (name: string): string => name.replaceAll(/[A-Z]/gu, letter => `-${letter.toLowerCase()}`)

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)
