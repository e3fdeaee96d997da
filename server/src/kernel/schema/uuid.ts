import type { JsonSchema } from './json.ts'

/** JSON Schemas of ids, in requests and answers. */
export const uuidSchema: JsonSchema = { type: 'string', format: 'uuid' }
export const optionalUuidSchema: JsonSchema = { type: ['string', 'null'], format: 'uuid' }
