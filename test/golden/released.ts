import { isObject, type JsonObject } from '../../server/src/kernel/schema/index.ts'

/**
 * What clients of a release rely on, of its OpenAPI document: routes, scopes, parameters, bodies and answers, without prose. A line
 * for each operation and each schema.
 */
export function renderReleased(document: JsonObject): string {
  return `${rendered(released(document), 3)}\n`
}

/** A document without what says nothing of shapes, and without failures: one that no longer happens harms nobody. */
export function released({ paths, components }: JsonObject): JsonObject {
  const { parameters, schemas } = isObject(components) ? components : {}
  return { paths: withoutProse(paths), components: { parameters: eachOf(parameters), schemas: eachOf(schemas) } }
}

const prose = [
  'summary',
  'description',
  'externalDocs',
  'title',
  'example',
  'examples',
  'tags',
  'headers',
  'x-extensible-enum',
]
/** What stands below these has names of its own, which can be any words. */
const named = ['content', 'parameters', 'responses', 'properties', 'patternProperties', 'dependentSchemas']

/** A part of a document that is no name. */
export function withoutProse(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutProse)
  if (!isObject(node)) return node
  const kept = Object.entries(node).filter(([word]) => !prose.includes(word))
  return Object.fromEntries(
    kept.map(([word, child]) => [word, named.includes(word) ? eachOf(child) : withoutProse(child)]),
  )
}

function eachOf(node: unknown): unknown {
  if (!isObject(node)) return withoutProse(node)
  const kept = Object.entries(node).filter(([name]) => !/^[45]\d\d$/u.test(name))
  return Object.fromEntries(kept.map(([name, child]) => [name, withoutProse(child)]))
}

/** JSON with a line for each node that lies so deep. */
function rendered(node: unknown, depth: number): string {
  if (depth === 0 || !isObject(node)) return JSON.stringify(node)
  const members = Object.entries(node).map(([name, child]) => `${JSON.stringify(name)}: ${rendered(child, depth - 1)}`)
  return `{\n${members.join(',\n')}\n}`
}
