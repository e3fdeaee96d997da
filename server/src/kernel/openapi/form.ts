import type { FormDeclaration } from '../input/index.ts'
import type { JsonObject } from '../schema/index.ts'

/** The request body of an operation that takes files. */
export function formBody({ files, texts }: FormDeclaration): JsonObject {
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
