import type { Nested } from '../../record/index.ts'
import { type JsonObject, objectSchema, wordSchema } from '../../schema/index.ts'

/** A file of a request that was not attached. */
export interface FailedFile {
  /** Its index among the files of the request, from 0. */
  readonly index: number
  readonly name: string
  readonly code: 'payload_too_large' | 'service_unavailable'
  readonly message: string
}

/** JSON Schema of `meta` after files were attached. */
export function attachMeta({ parent }: Nested): JsonObject {
  const { kind, title } = parent.resource
  return objectSchema(`${title}FilesMeta`, {
    version: { type: 'integer', minimum: 1, description: `The version of the ${kind} now.` },
    failed: { type: 'array', items: failedSchema, description: 'Files that were not attached.' },
  })
}

const failedSchema = objectSchema('FailedFile', {
  index: { type: 'integer', minimum: 0, description: 'Its place among the files of the request, from 0.' },
  name: { type: 'string', example: 'Film.mp4' },
  code: wordSchema(
    'FailedFileCode',
    ['payload_too_large', 'service_unavailable'],
    'After `service_unavailable` the file may be sent again.',
  ),
  message: { type: 'string', description: 'Why, for people.', example: 'A file has at most 10485760 bytes' },
})
