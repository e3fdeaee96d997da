import type { Resource } from '../abilities/index.ts'
import type { BodyDeclaration, FormDeclaration } from '../input/index.ts'
import type { Operation } from '../operation.ts'
import { isObject, type JsonObject } from '../schema/index.ts'
import { errorReferences } from './error-responses.ts'
import { requestExample } from './example.ts'
import { asFailure } from './failures.ts'
import { sentences } from './keywords.ts'
import { parametersOf } from './parameters.ts'
import { securitySchemeName } from './prose.ts'
import type { Schemas } from './schemas.ts'
import { successResponses } from './success-responses.ts'

/** One entry under `paths`. */
export function describeOperation(operation: Operation, resources: readonly Resource[], schemas: Schemas): JsonObject {
  const { id, summary, scopes, body, deprecation } = operation
  return {
    operationId: id,
    tags: [tagOf(operation)],
    summary,
    description: descriptionOf(operation),
    ...(deprecation === undefined ? {} : { deprecated: true }),
    security: [{ [securitySchemeName]: scopes }],
    parameters: parametersOf(operation, resources, schemas),
    ...(body === null ? {} : { requestBody: body.form === 'multipart' ? formBody(body) : requestBody(body, schemas) }),
    responses: { ...successResponses(operation, resources, schemas), ...errorReferences(operation) },
  }
}

/** The group of an operation, from the first part of its id: `Contacts`. */
export function tagOf({ id }: Operation): string {
  const words = id.replace(/\..*$/u, '').replaceAll(/[A-Z]/gu, letter => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function descriptionOf(operation: Operation): string {
  const { description, scopes, deprecation } = operation
  const followsFromQuery = operation.scopesOf !== undefined
  const listed = scopes.map(scope => `\`${scope}\``).join(' and ')
  const needed = listed === '' ? undefined : `Needs ${listed}.`
  const further = !followsFromQuery
    ? undefined
    : listed === ''
      ? 'Which scopes are needed follows from the query.'
      : 'Parameters that tell more need the scopes that they name.'
  const none = listed === '' && !followsFromQuery ? 'Needs a valid token only.' : undefined
  const leaves =
    deprecation === undefined
      ? undefined
      : `Deprecated since ${deprecation.since}, gone on ${deprecation.sunset}: use \`${deprecation.successor}\`.`
  return [sentences(leaves), sentences(description), sentences(needed, further, none), refusalsIn(operation)]
    .filter(text => text !== '')
    .join('\n\n')
}

/** The refusals of the operation itself, and when they occur: a line for each code. */
function refusalsIn({ refuses }: Operation): string {
  const lines = new Map<string, Set<string>>()
  for (const refusal of refuses) {
    const [status, code] = asFailure(refusal)
    const line = `${status} \`${code}\``
    lines.set(line, new Set([...(lines.get(line) ?? []), refusal[1]]))
  }
  const listed = [...lines]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([code, reasons]) => `- ${code}: ${[...reasons].join(' ')}`)
  return listed.length === 0 ? '' : ['Refuses with', '', ...listed].join('\n')
}

function requestBody(body: BodyDeclaration, schemas: Schemas): JsonObject {
  const schema = schemas.body(body.name, body.schema, body.itemName)
  const made = body.example ?? requestExample(schema, ref => schemas.resolve(ref), body.name)
  const example = body.itemName === undefined ? made : withTwoItems(made)
  return { required: body.required, content: { 'application/json': { schema, example } } }
}

/** The example of a batch has two elements, like that of its answer. */
function withTwoItems(example: unknown): unknown {
  if (!isObject(example) || !Array.isArray(example.items)) return example
  const [first] = example.items
  return { ...example, items: [first, { ...first, externalId: 'A-1043' }] }
}

/** The request body of an operation that takes files. */
function formBody({ files, texts }: FormDeclaration): JsonObject {
  const fileSchemas = Object.entries(files).map(([name, { description, most, maxBytes }]) => {
    const file = { type: 'string', contentMediaType: 'application/octet-stream', description, maxLength: maxBytes }
    const minItems = files[name]?.required ? 1 : 0
    return [name, most === 1 ? file : { type: 'array', minItems, maxItems: most, items: file }]
  })
  const textSchemas = Object.entries(texts).map(([name, { description, maxLength, words }]) => [
    name,
    { type: 'string', ...(words === undefined ? { maxLength } : { enum: words }), description },
  ])
  const required = [...Object.entries(files), ...Object.entries(texts)].flatMap(([name, field]) =>
    field.required ? name : [],
  )
  const schema = {
    type: 'object',
    additionalProperties: false,
    required,
    properties: Object.fromEntries([...fileSchemas, ...textSchemas]),
  }
  return { required: required.length > 0, content: { 'multipart/form-data': { schema } } }
}
