import type { SignedIn } from '../../../kernel/auth/index.ts'
import type { ErrorCode } from '../../../kernel/errors/index.ts'
import type { BodyDeclaration, Call, Operation, Refusal } from '../../../kernel/index.ts'
import { compileSchema, type JsonObject, type JsonSchema } from '../../../kernel/schema/index.ts'
import type { SignInServices } from '../../../people/index.ts'
import type { Cookies } from './cookies.ts'

/** A route of the cabinet that is about who signs in, and no operation of an organization. */
export interface CabinetRoute extends Pick<Operation, 'id' | 'method' | 'path' | 'summary'> {
  /** Whether anybody may call it, or only who is signed in. */
  readonly access: 'open' | 'signed in'
  readonly body: BodyDeclaration | null
  /** The schema of `data`; null for an answer without a body. */
  readonly answer: JsonSchema | null
  readonly status: number
  /** The codes of its own refusals. */
  readonly refuses: readonly ErrorCode[]
  run(visit: Visit): Promise<VisitAnswer | Refusal>
}

/** A request of such a route that has passed the checks before it. */
export interface Visit {
  readonly call: Call
  readonly cookies: Cookies
  /** Who is signed in; null if nobody is, which only an open route sees. */
  readonly signedIn: SignedIn | null
  readonly body: JsonObject
  readonly services: SignInServices
}

export interface VisitAnswer {
  readonly data: unknown
  /** `Set-Cookie` headers. */
  readonly cookies?: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
}

/** Declares a JSON object as the body of a route. `required` are the members that have to be there. */
export function visitBody(
  name: string,
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = Object.keys(properties),
): BodyDeclaration {
  const schema = { type: 'object', additionalProperties: false, required: [...required], properties }
  const check = compileSchema(schema)
  return { name, schema, required: true, parse: value => ({ value, issues: check(value ?? {}, '') }) }
}
