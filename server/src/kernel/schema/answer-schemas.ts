// JSON Schemas of what answers, and some requests, hold. An example is shown in the OpenAPI document.

const exampleOf = (example: unknown) => (example === undefined ? {} : { example })

/** A text. */
export const textSchema = (description: string, example?: string) => ({
  type: 'string',
  description,
  ...exampleOf(example),
})

/** A text or null. */
export const optionalTextSchema = (description: string, example?: string) => ({
  type: ['string', 'null'],
  description,
  ...exampleOf(example),
})

/** One of some words, as a named component. */
export const wordSchema = (component: string, words: readonly string[], description: string, example?: string) => ({
  component,
  type: 'string',
  enum: words,
  description,
  ...exampleOf(example),
})

/** A whole number from 0. */
export const countSchema = (description: string, example?: number) => ({
  type: 'integer',
  minimum: 0,
  description,
  ...exampleOf(example),
})

/** Yes or no. */
export const booleanSchema = (description: string, example?: boolean) => ({
  type: 'boolean',
  description,
  ...exampleOf(example),
})

/** A list. */
export const listSchema = (items: object, description?: string, example?: readonly unknown[]) => ({
  type: 'array',
  items,
  ...(description === undefined ? {} : { description }),
  ...exampleOf(example),
})

/** An object, as a named component. Members that are not `optional` are always present. */
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
