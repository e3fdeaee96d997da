/** The JSON Schema of a list in an answer. */
export const listSchema = (items: object, description?: string) => ({
  type: 'array',
  items,
  ...(description === undefined ? {} : { description }),
})

/** The JSON Schema of an object in an answer, as a named component. Members that are not `optional` are always present. */
export const objectSchema = (
  component: string,
  properties: Readonly<Record<string, object>>,
  optional: readonly string[] = [],
) => ({
  component,
  type: 'object',
  required: Object.keys(properties).filter(name => !optional.includes(name)),
  properties,
})
