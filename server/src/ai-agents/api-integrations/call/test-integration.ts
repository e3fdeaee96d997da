import { notFound, type Secret } from '../../../kernel/index.ts'
import { type Outbound, OutboundFailure } from '../../../kernel/outbound/index.ts'
import { Refusal } from '../../../kernel/schema/index.ts'
import type { Database } from '../../../kernel/sql/index.ts'
import { fillRequest } from './fill-request.ts'
import { CallFailed, loadCallable } from './load-callable.ts'
import { Masking } from './masking.ts'

interface Test {
  readonly organizationId: string
  readonly id: string
  /** The values of the parameters, by name. */
  readonly parameters: unknown
}

interface Parts {
  readonly database: Database
  readonly secret: Secret
  readonly outbound: Outbound
}

/** The result of a test. It never contains the secret, even if the other system echoes it. */
export interface TestedIntegration {
  readonly method: string
  readonly url: string
  readonly status: number
  readonly milliseconds: number
  readonly headers: Readonly<Record<string, string>>
  /** The beginning of the response. */
  readonly body: string
  /** Whether the response was longer. */
  readonly isCut: boolean
}

/** Headers that explain a response. */
const tellingHeaders = [
  'content-type',
  'content-length',
  'location',
  'retry-after',
  'www-authenticate',
  'allow',
  'x-request-id',
]

const mostShown = 4000

/**
 * Calls the other system once, as an agent would, whether the integration is enabled or not. Throws a `CallFailed` for an unknown
 * integration, for invalid parameters, and if there is no response.
 */
export async function testIntegration(test: Test, { outbound, ...stored }: Parts): Promise<TestedIntegration> {
  const callable = await loadCallable(test, stored)
  if (callable === undefined) throw new CallFailed(`no such integration: ${test.id}`, notFound())
  const request = fillRequest(callable, test.parameters)
  if (request instanceof Refusal) throw new CallFailed(reasonOf(request), request)
  const answer = await outbound.call(request)
  const masking = new Masking(callable.secret, callable.auth.username)
  if (answer instanceof OutboundFailure) throw new CallFailed(`${answer.reason}: ${masking.mask(answer.message)}`)
  const text = masking.maskBytes(answer.body, answer.isCut)
  return {
    method: request.method,
    url: masking.mask(request.url.href),
    status: answer.status,
    milliseconds: answer.milliseconds,
    headers: Object.fromEntries(
      tellingHeaders.flatMap(name => {
        const value = answer.headers[name]
        return value === undefined ? [] : [[name, masking.mask(value)]]
      }),
    ),
    body: text.slice(0, mostShown),
    isCut: answer.isCut || text.length > mostShown,
  }
}

/** All errors, in one line. */
function reasonOf({ message, details }: Refusal): string {
  const issues: readonly { readonly message: string }[] = Array.isArray(details.issues) ? details.issues : []
  return issues.length === 0 ? message : issues.map(issue => issue.message).join('; ')
}
