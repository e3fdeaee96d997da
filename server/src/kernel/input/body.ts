import type { Issue } from '../errors/index.ts'
import type { JsonSchema } from '../schema/index.ts'

/** The JSON body of an operation: its published schema, and the check that gives the value execution sees. */
export interface BodyDeclaration {
  /** Bodies are JSON unless they say something else. */
  readonly form?: 'json'
  /** Name and schema of the component in the OpenAPI document. */
  readonly name: string
  readonly schema: JsonSchema
  /** Whether a request without body is wrong. */
  readonly required: boolean
  readonly example?: unknown
  /** Component name of a batch's items, which the schema then refers to. */
  readonly itemName?: string
  /** `body` is any JSON value, undefined without a body. */
  parse(body: unknown): CheckedBody
  /** The same in steps that each take little time, for bodies that may be large. */
  parseInSteps?(body: unknown): Generator<unknown, CheckedBody>
}

/** What is wrong with a `Content-Encoding`: a body is sent as it is. */
export function refuseEncoding(encoding = ''): Issue[] {
  if (/^(identity)?$/iu.test(encoding)) return []
  const message = 'Send the body as it is: no encoding is taken'
  return [{ path: 'header:Content-Encoding', rule: 'content_encoding', message }]
}

export interface CheckedBody {
  readonly value: unknown
  readonly issues: readonly Issue[]
}
