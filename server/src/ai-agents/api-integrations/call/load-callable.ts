import type { Secret } from '../../../kernel/index.ts'
import { type Refusal, violates } from '../../../kernel/schema/index.ts'
import { type Database, type Row, statement } from '../../../kernel/sql/index.ts'
import { apiIntegration } from '../api-integration.ts'
import { declaredAuth } from '../auth-field.ts'
import { listedHeaders } from '../headers-field.ts'
import { declaredParameters } from '../parameters-field.ts'
import type { Callable } from './fill-request.ts'

/** $1 organization, $2 id */
const selectCallable = statement(
  'select_api_integration_to_call',
  `select t.method, t.url, t.parameters, t.headers, t.auth, t.body_template, t.timeout_seconds, t.secret
     from api_integrations t
    where t.organization_id = $1 and t.id = $2`,
)

interface Place {
  readonly organizationId: string
  readonly id: string
}

/** A call that was not made, or got no response; the message is one line for people. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed'
  readonly refusal: Refusal

  constructor(message: string, refusal: Refusal = violates('', 'call', message)) {
    super(message)
    this.refusal = refusal
  }
}

/**
 * Loads an integration with its secret in plain text. The caller must not pass the secret on. Undefined if there is no such integration.
 * Throws a `CallFailed` if the secret cannot be decrypted.
 */
export async function loadCallable(
  { organizationId, id }: Place,
  { database, secret }: { readonly database: Database; readonly secret: Secret },
): Promise<Callable | undefined> {
  const [row] = await database.search(selectCallable, [organizationId, id])
  if (row === undefined) return undefined
  const stored = row.secret
  if (typeof stored !== 'string') return callableOf(row, null)
  const place = { organizationId, kind: apiIntegration.kind, recordId: id }
  const text = secret.keyring.decrypt(stored, place)
  if (text === null)
    throw new CallFailed(
      'the secret of the integration cannot be decrypted: it was encrypted with another CRM_SECRET, or for another integration',
    )
  return callableOf(row, text)
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

function callableOf(row: Row, secret: string | null): Callable {
  return {
    method: methods.find(method => method === row.method) ?? 'GET',
    url: String(row.url),
    parameters: declaredParameters(row.parameters),
    headers: listedHeaders(row.headers),
    auth: declaredAuth(row.auth),
    bodyTemplate: typeof row.body_template === 'string' ? row.body_template : null,
    timeoutSeconds: Number(row.timeout_seconds),
    secret,
  }
}
