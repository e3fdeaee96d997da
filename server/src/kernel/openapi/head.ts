import { isObject, type JsonObject } from '../schema/index.ts'

/** The HEAD of a GET: the same request, and of each answer the headers alone (contract section 0). */
export function headOf(get: JsonObject): JsonObject {
  const { operationId, summary, responses } = get
  return {
    ...get,
    operationId: `${String(operationId)}.head`,
    summary: `${String(summary)}: the headers alone`,
    responses: isObject(responses) ? withoutContent(responses) : {},
  }
}

function withoutContent(responses: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(responses).flatMap(([status, response]) => {
      if (!isObject(response)) return []
      const { $ref, content: _, ...rest } = response
      return [[status, typeof $ref === 'string' ? { $ref: withoutBody($ref) } : rest]]
    }),
  )
}

/** Name of the response of a failure where a HEAD has it. */
export function withoutBody(name: string): string {
  return `${name}WithoutBody`
}
