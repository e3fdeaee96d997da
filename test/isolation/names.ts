import type { Part } from '../conformance/support/parts.ts'
import type { Kind } from '../conformance/support/requests.ts'
import type { Answer, CallOptions } from '../support/client.ts'
import type { TestOrganization } from '../support/organization.ts'

/** Everything of one organization that a request can name; or things of the same form that exist nowhere. */
export interface Names {
  readonly ids: Readonly<Record<Kind, string>>
  readonly keys: Readonly<Record<Kind, string>>
  readonly parts: Readonly<Record<Part, string>>
  readonly stage: string
  readonly pipeline: string
  readonly reason: string
  readonly operator: string
}

export type Call = (organization: TestOrganization, names: Names, options?: CallOptions) => Promise<Answer>
export type Case = readonly [operation: string, what: string, expected: string, call: Call]
