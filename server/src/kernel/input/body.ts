import type { Issue } from '../errors/index.ts'
import type { JsonSchema } from '../schema/index.ts'

/** The JSON body of an operation: its published schema, and the check that gives the value for execution. */
export interface BodyDeclaration {
  /** A body is JSON unless its declaration says something else. */
  readonly form?: 'json'
  /** Name and schema of the component in the OpenAPI document. */
  readonly name: string
  readonly schema: JsonSchema
  /** Whether a request without a body is wrong. */
  readonly required: boolean
  readonly example?: unknown
  /** Component name of the items of a batch. The schema refers to it. */
  readonly itemName?: string
  /** Checks `body`: any JSON value, or undefined if there is no body. */
  parse(body: unknown): CheckedBody
  /** The same in steps that each take little time, for bodies that may be large. */
  parseInSteps?(body: unknown): Generator<unknown, CheckedBody>
}

/** An issue for a `Content-Encoding`, because bodies are taken only without one. */
export function refuseEncoding(encoding = ''): Issue[] {
  if (/^(identity)?$/iu.test(encoding)) return []
  const message = 'Send the body as it is: no encoding is taken'
  return [{ path: 'header:Content-Encoding', rule: 'content_encoding', message }]
}

export interface CheckedBody {
  readonly value: unknown
  readonly issues: readonly Issue[]
}
