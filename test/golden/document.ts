import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { fullFormats } from 'ajv-formats/dist/formats.js'
import type { Operation } from '../../server/src/kernel/index.ts'
import { isObject, type JsonObject } from '../../server/src/kernel/schema/index.ts'

/** Compiles the schema at a place of an OpenAPI document, strictly. */
export function schemasOf(document: JsonObject): (at: string) => ValidateFunction {
  // Most schemas are asked once or twice: to polish what they are compiled to costs more than it saves.
  const code = { optimize: false }
  const ajv = new Ajv2020({
    strict: true,
    allErrors: true,
    verbose: true,
    allowUnionTypes: true,
    strictRequired: false,
    code,
  })
  for (const name of ['uuid', 'date', 'date-time'] as const) ajv.addFormat(name, fullFormats[name])
  ajv.addFormat('int64', { type: 'number', validate: Number.isInteger })
  // The addresses in examples and tests are of the narrower form.
  ajv.addFormat('idn-email', fullFormats.email)
  // Which schema of several it is, the values themselves tell.
  for (const keyword of ['discriminator', 'externalDocs', 'x-extensible-enum']) ajv.addKeyword(keyword)
  // The document itself is no schema: its members are known, and checked by nothing.
  for (const keyword of Object.keys(document)) ajv.addKeyword(keyword)
  ajv.addSchema(document, 'document')
  return at => {
    // Remembered, with what it refers to.
    const validate = ajv.getSchema(`document#${at}`)
    if (validate === undefined) throw new Error(`the document has nothing at ${at}`)
    return validate
  }
}

/** The document with no room for members that it does not name, to find those that it forgot. */
export function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed)
  if (!isObject(node)) return node
  const members = Object.fromEntries(Object.entries(node).map(([name, child]) => [name, closed(child)]))
  const isOpen = node.type === 'object' && isObject(node.properties) && node.additionalProperties === undefined
  return isOpen ? { ...members, additionalProperties: false } : members
}

/** JSON pointer of an operation in the document. */
export function placeOf({ path, method }: Operation): string {
  return `/paths/${pointer(path)}/${method.toLowerCase()}`
}

/** The object at a JSON pointer of a document. */
export function nodeAt(document: JsonObject, at: string): JsonObject {
  const found = at
    .split('/')
    .slice(1)
    .reduce<unknown>((node, segment) => {
      const name = segment.replaceAll('~1', '/').replaceAll('~0', '~')
      return isObject(node) ? node[name] : undefined
    }, document)
  if (!isObject(found)) throw new Error(`the document has nothing at ${at}`)
  return found
}

/** JSON pointer from a response or a request body to its schema or example. */
export const jsonContent = '/content/application~1json'

export function pointer(segment: string): string {
  return segment.replaceAll('~', '~0').replaceAll('/', '~1')
}
