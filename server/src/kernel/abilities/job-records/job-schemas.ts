import type { JsonSchema } from '../../schema/index.ts'

/** JSON Schema of a time that is null until something has happened. */
export const jobTimeSchema = (description: string): JsonSchema => ({
  type: ['string', 'null'],
  format: 'date-time',
  description,
})

/** JSON Schema of why a record has failed. */
export const jobFailureSchema = (component: string, description: string, code: JsonSchema): JsonSchema => ({
  component,
  type: ['object', 'null'],
  required: ['code', 'message'],
  properties: {
    code: { type: 'string', description: 'What went wrong, for programs.', ...code },
    message: { type: 'string', description: 'The same for people.' },
  },
  description,
})
