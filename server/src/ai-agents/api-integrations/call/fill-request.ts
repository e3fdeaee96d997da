import type { OutboundRequest } from '../../../kernel/outbound/index.ts'
import { Refusal } from '../../../kernel/schema/index.ts'
import type { Parameter } from '../api-integration.rules.ts'
import type { ApiIntegrationState } from '../api-integration-fields.ts'
import { isSameHeader } from '../headers.rules.ts'
import { fillBody } from './fill-body.ts'
import { authHeaders, fillHeaders, headerIn } from './fill-headers.ts'
import { fillUrl } from './fill-url.ts'
import { parameterValues } from './parameter-values.ts'

/** The input of a call. The secret is decrypted. */
export type Callable = Pick<
  ApiIntegrationState,
  'method' | 'url' | 'parameters' | 'headers' | 'auth' | 'bodyTemplate' | 'timeoutSeconds' | 'secret'
>

/** The request of a call with these values, or a refusal of the values. Pure: nothing is sent. */
export function fillRequest(integration: Callable, given: unknown): OutboundRequest | Refusal {
  const { method, parameters, bodyTemplate, timeoutSeconds } = integration
  const values = parameterValues(parameters, given)
  if (values instanceof Refusal) return values
  const url = fillUrl(integration.url, parameters, values)
  if (url instanceof Refusal) return url
  const plain = fillHeaders(integration.headers, parameters, values)
  if (plain instanceof Refusal) return plain
  const auth = authHeaders(integration.auth, integration.secret)
  if (auth instanceof Refusal) return auth
  const told = headerIn(plain, 'Content-Type')
  const body = fillBody(bodyTemplate, parameters, values, told === undefined ? json : writtenType(parameters, told))
  if (body instanceof Refusal) return body
  const ofBody = body === null || told !== undefined ? [] : [{ name: 'Content-Type', value: json }]
  const headers = [...plain, ...ofBody, ...auth].map(({ name, value }) => [name, value])
  return { method, url, headers: Object.fromEntries(headers), body, timeoutSeconds }
}

const json = 'application/json'

/**
 * The content type by which the body is escaped: the one that is sent, unless a parameter without an `enum` determines it. In that case it
 * counts as unknown, because a value must not choose how other values are quoted.
 */
function writtenType(parameters: readonly Parameter[], told: string): string {
  const isChosen = parameters.some(
    ({ name, in: place, enum: allowed }) =>
      place === 'header' && allowed === null && isSameHeader(name, 'Content-Type'),
  )
  return isChosen ? '' : told
}
