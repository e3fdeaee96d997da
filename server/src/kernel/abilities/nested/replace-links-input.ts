import type { BodyDeclaration } from '../../input/index.ts'
import { expectedVersionSchema, externalIdSchema, type Nested, tidy } from '../../record/index.ts'
import { compileSchema, duplicateLiterals, isObject, type JsonSchema, withoutReference } from '../../schema/index.ts'

const reference = {
  id: { type: 'string', format: 'uuid' },
  externalId: { ...externalIdSchema, type: 'string', description: 'Your own key for it.' },
}

/**
 * The body of a replacement: `{expectedVersion, <plural>: [{id | externalId, …}]}`, in the new order. Each element is a
 * reference together with the fields of the link.
 */
export function replaceInput(nested: Nested): BodyDeclaration {
  const { title, plural, most, fields } = nested
  const own = linkFields(nested)
  const element = { type: 'object', properties: { ...reference, ...own }, additionalProperties: false }
  const schemaWith = (items: JsonSchema): JsonSchema => ({
    type: 'object',
    required: ['expectedVersion', plural],
    properties: {
      expectedVersion: expectedVersionSchema,
      [plural]: {
        type: 'array',
        maxItems: most,
        items,
        description: 'All links that there are to be, in order; the first is primary. [] removes all.',
      },
    },
    additionalProperties: false,
  })
  const notBoth = { propertyNames: { type: 'string', not: { type: 'string', const: 'externalId' } } }
  const neither = { propertyNames: { type: 'string', enum: Object.keys(own) } }
  const check = compileSchema(schemaWith(element))
  const tidied = (value: unknown) => (isObject(value) ? tidy(value, fields) : value)
  return {
    name: `${title}Replace`,
    // The check reports an invalid reference as one issue, where these keywords would report several.
    schema: schemaWith({ component: `${title}Input`, ...element, dependentSchemas: { id: notBoth }, not: neither }),
    required: true,
    parse(body) {
      const given = isObject(body) ? body[plural] : undefined
      const value = isObject(body) && Array.isArray(given) ? { ...body, [plural]: given.map(tidied) } : body
      const elements = Array.isArray(given) ? given : []
      const unclear = elements.flatMap((element, index) => withoutReference(element, `/${plural}/${index}`))
      const issues = [...check(value, ''), ...unclear]
      return { value, issues: issues.length > 0 ? issues : duplicateLiterals(given, `/${plural}`) }
    },
  }
}

/** JSON Schemas of the fields of a link, without its reference. */
function linkFields({ input, parent }: Nested): JsonSchema {
  const { properties } = input.create.schema
  const entries = isObject(properties) ? Object.entries(properties) : []
  return Object.fromEntries(entries.filter(([name]) => name !== parent.uniqueReference))
}
