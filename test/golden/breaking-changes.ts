import { isObject, type JsonObject } from '../../server/src/kernel/schema/index.ts'
import { listed } from './breaking-keywords.ts'
import { resolve, SchemaComparison } from './breaking-schemas.ts'

const methods = ['get', 'post', 'put', 'patch', 'delete']

/**
 * What an OpenAPI document takes from clients that were made for an earlier one: routes, parameters, members and values that are
 * gone; requests that were accepted and are refused now; answers that hold less than was promised, or other types; names that
 * generated clients use. Empty when the document has only grown.
 */
export function breakingChanges(released: JsonObject, current: JsonObject): string[] {
  const schemas = Object.keys(objectAt(released, 'components', 'schemas') ?? {})
  return [
    ...schemas
      .filter(name => objectAt(current, 'components', 'schemas', name) === null)
      .map(name => `the schema ${name} is gone`),
    ...operationsOf(released).flatMap(({ name, path, method, operation }) => {
      const now = objectAt(current, 'paths', path, method)
      return now === null ? [`${name} is gone`] : operationChanges(name, [operation, released], [now, current])
    }),
  ]
}

/** An operation, or a part of one, with the document that it stands in. */
type Placed = readonly [node: JsonObject, document: JsonObject]

function operationChanges(name: string, before: Placed, after: Placed): string[] {
  const [known] = before
  const [now] = after
  return [
    ...(known.operationId === now.operationId ? [] : [`${name} is not called ${known.operationId} any more`]),
    ...scopesAdded(known, now).map(scope => `${name} needs ${scope}`),
    ...parameterChanges(name, before, after),
    ...bodyChanges(`${name} body`, before, after),
    ...Object.keys(objectAt(known, 'responses') ?? {})
      .filter(status => status.startsWith('2'))
      .flatMap(status => answerChanges(name, status, before, after)),
  ]
}

function parameterChanges(name: string, before: Placed, after: Placed): string[] {
  const now = new Map(parametersOf(after))
  const known = new Map(parametersOf(before))
  return [
    ...[...known.keys()].filter(parameter => !now.has(parameter)).map(parameter => `${name} ${parameter} is gone`),
    ...[...now]
      .filter(([parameter, { required }]) => required === true && known.get(parameter)?.required !== true)
      .map(([parameter]) => `${name} ${parameter} is required`),
    ...[...known].flatMap(([parameter, { schema }]) => {
      const present = now.get(parameter)
      if (present === undefined) return []
      const comparison = new SchemaComparison('request', before[1], after[1])
      return comparison.changes(schema, present.schema).map(text => `${name} ${parameter} ${text}`)
    }),
  ]
}

function bodyChanges(at: string, [before, released]: Placed, [after, current]: Placed): string[] {
  const now = resolve(after.requestBody, current)
  if (before.requestBody === undefined) return now.required === true ? [`${at} is required`] : []
  const known = resolve(before.requestBody, released)
  const required = now.required === true && known.required !== true ? [`${at} is required`] : []
  return [...required, ...contentChanges(at, new SchemaComparison('request', released, current), known, now)]
}

function answerChanges(name: string, status: string, [before, released]: Placed, [after, current]: Placed): string[] {
  const now = objectAt(after, 'responses', status)
  if (now === null) return [`${name} answers ${status} no more`]
  const known = objectAt(before, 'responses', status) ?? {}
  const comparison = new SchemaComparison('answer', released, current)
  return contentChanges(`${name} ${status}`, comparison, resolve(known, released), resolve(now, current))
}

function contentChanges(at: string, comparison: SchemaComparison, before: JsonObject, after: JsonObject): string[] {
  return Object.keys(objectAt(before, 'content') ?? {}).flatMap(media => {
    const now = objectAt(after, 'content', media)
    if (now === null) return [`${at} is not ${media} any more`]
    return comparison.changes(objectAt(before, 'content', media)?.schema, now.schema).map(text => `${at} ${text}`)
  })
}

function operationsOf(document: JsonObject) {
  const paths = isObject(document.paths) ? document.paths : {}
  return Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap(method => {
      const operation = objectAt(item, method)
      return operation === null ? [] : [{ name: `${method.toUpperCase()} ${path}`, path, method, operation }]
    }),
  )
}

function parametersOf([operation, document]: Placed): (readonly [string, JsonObject])[] {
  return listed(operation.parameters).map(each => {
    const parameter = resolve(each, document)
    return [`${parameter.in} parameter ${parameter.name}`, parameter] as const
  })
}

function scopesAdded(before: JsonObject, after: JsonObject): string[] {
  const scopesOf = ({ security }: JsonObject) =>
    listed(security).flatMap(each => (isObject(each) ? Object.values(each).flat() : []))
  const known = scopesOf(before)
  return scopesOf(after)
    .filter(scope => !known.includes(scope))
    .map(String)
}

function objectAt(node: unknown, ...names: string[]): JsonObject | null {
  const found = names.reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), node)
  return isObject(found) ? found : null
}
