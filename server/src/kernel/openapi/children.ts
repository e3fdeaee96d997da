import { isObject, type JsonSchema } from '../schema/index.ts'

const single = ['items', 'additionalProperties', 'contains', 'not', 'if', 'then']
const lists = ['anyOf', 'oneOf', 'allOf', 'prefixItems']
const maps = ['properties', 'patternProperties']

/** A schema with each schema directly inside it replaced. */
export function mapChildren(schema: JsonSchema, replace: (child: JsonSchema) => JsonSchema): JsonSchema {
  const replaced = (value: unknown) => (isObject(value) ? replace(value) : value)
  const entries = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    if (single.includes(keyword)) return [keyword, replaced(value)]
    if (lists.includes(keyword) && Array.isArray(value)) return [keyword, value.map(replaced)]
    if (!maps.includes(keyword) || !isObject(value)) return [keyword, value]
    return [keyword, Object.fromEntries(Object.entries(value).map(([name, child]) => [name, replaced(child)]))]
  })
  return Object.fromEntries(entries)
}

/** The schemas of the properties that a schema declares. */
export function propertiesOf({ properties }: JsonSchema): Record<string, JsonSchema> {
  if (!isObject(properties)) return {}
  const isSchema = (entry: [string, unknown]): entry is [string, JsonSchema] => isObject(entry[1])
  return Object.fromEntries(Object.entries(properties).filter(isSchema))
}
