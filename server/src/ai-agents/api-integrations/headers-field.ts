import { type Field, isHeaderValue, isSameHeader, type JsonSchema, wrongHeaderName } from '../../kernel/schema/index.ts'
import type { Header } from './api-integration.rules.ts'

/** Headers that every call sends and that are not secret: at most 20, which PATCH replaces as a whole. */
export const headers: Field<readonly Header[]> = {
  column: 'jsonb',
  input: { ...listOf('ApiIntegrationHeaderInput', ['name', 'value']), maxItems: 20 },
  output: { '': listOf('ApiIntegrationHeader', []) },
  initial: [],
  description: 'Sent with every call, and shown to whoever may read the integration: a secret does not belong here.',
  example: [{ name: 'Accept', value: 'application/json' }],
  inspect: (value, path) => {
    const listed = listedHeaders(value)
    return listed.flatMap(({ name, value: text }, index) => {
      const isDoubled = listed.findIndex(other => isSameHeader(other.name, name)) < index
      const wrongName = wrongHeaderName(name) ?? (isDoubled ? 'Another header has this name' : null)
      return [
        ...(wrongName === null ? [] : [{ path: `${path}/${index}/name`, rule: 'header', message: wrongName }]),
        ...(isHeaderValue(text) ? [] : [{ path: `${path}/${index}/value`, rule: 'header', message: wrongValue }]),
      ]
    })
  },
}

/** The headers of a validated request. */
export function listedHeaders(value: unknown): readonly Header[] {
  return Array.isArray(value) ? value : []
}

const wrongValue = 'A header has visible ASCII characters, with spaces only between them'

function listOf(component: string, required: readonly string[]): JsonSchema {
  return {
    type: 'array',
    items: {
      component,
      type: 'object',
      required,
      properties: {
        name: {
          type: 'string',
          minLength: 1,
          maxLength: 100,
          description: 'The name of the header.',
          example: 'Accept',
        },
        value: { type: 'string', maxLength: 1000, description: 'Its value.', example: 'application/json' },
      },
      additionalProperties: false,
    },
  }
}
