import type { OutboundRequest } from '../../../kernel/outbound/index.ts'
import { isHeaderValue, isSameHeader, Refusal, unprocessable, violates } from '../../../kernel/schema/index.ts'
import type { Auth, Header, Parameter } from '../api-integration.rules.ts'
import type { ApiIntegrationState } from '../api-integration-fields.ts'
import { fillPlaceholders, placeholdersIn, urlTemplate } from '../placeholders.rules.ts'
import { fillBody } from './fill-body.ts'
import { type ParameterValues, parameterValues } from './parameter-values.ts'

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

/** The headers of a call, without the one that carries the secret. */
function fillHeaders(
  headers: readonly Header[],
  parameters: readonly Parameter[],
  values: ParameterValues,
): readonly Header[] | Refusal {
  const filled = parameters.flatMap(({ name, in: place }) => {
    const value = values.get(name)
    return place === 'header' && value !== undefined ? [{ name, value: String(value) }] : []
  })
  const unsendable = filled.filter(({ value }) => !isHeaderValue(value))
  const message = 'A header takes visible ASCII characters, with spaces only between them'
  if (unsendable.length > 0)
    return unprocessable(
      unsendable.map(({ name }) => ({ path: `/${name}`, rule: 'header', message: `${name}: ${message}` })),
    )
  return [...headers, ...filled]
}

/** The header that carries the secret; empty if none is needed. The secret is null if none is set. */
function authHeaders({ type, headerName, username }: Auth, secret: string | null): readonly Header[] | Refusal {
  if (type === 'none') return []
  if (secret === null) return wrong(`There is no secret, which auth ${type} needs`)
  if (type === 'basic') return [{ name: 'Authorization', value: `Basic ${credentials(username, secret)}` }]
  if (!isHeaderValue(secret)) return wrong('The secret has characters that no header can have')
  if (type === 'bearer') return [{ name: 'Authorization', value: `Bearer ${secret}` }]
  return headerName === null ? wrong('auth has no headerName') : [{ name: headerName, value: secret }]
}

/** User name and password in the form of `Basic` authentication. */
function credentials(username: string | null, secret: string): string {
  return Buffer.from(`${username ?? ''}:${secret}`).toString('base64')
}

function headerIn(headers: readonly Header[], name: string): string | undefined {
  return headers.find(header => isSameHeader(header.name, name))?.value
}

function wrong(message: string): Refusal {
  return violates('/secret', 'secret', message)
}

const longest = 8192

/** The URL of a call. A value fills only its placeholder: it cannot add a segment, a parameter or a host. */
function fillUrl(url: string, parameters: readonly Parameter[], values: ParameterValues): URL | Refusal {
  const { origin, path, query } = urlTemplate(url)
  const segments = path.split('/').map(segment => ({ segment, filled: filledWith(segment, values) }))
  const dotted = segments.find(({ segment, filled }) => segment !== filled && isDots(filled))
  if (dotted !== undefined) return violates('/url', 'path', `${dotted.segment} would lead to another path`)
  const pairs = query.split('&').flatMap(pair => {
    // A pair whose parameter is absent is omitted.
    const isGiven = [...placeholdersIn(pair)].every(name => values.has(name))
    return pair === '' || !isGiven ? [] : [filledWith(pair, values)]
  })
  const placed = placeholdersIn(query)
  const added = parameters.flatMap(({ name, in: place }) => {
    const value = values.get(name)
    if (place !== 'query' || placed.has(name) || value === undefined) return []
    return [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`]
  })
  const search = [...pairs, ...added].join('&')
  const text = `${origin}${segments.map(({ filled }) => filled).join('/')}${search === '' ? '' : `?${search}`}`
  if (text.length > longest) return violates('/url', 'path', `The address would have more than ${longest} characters`)
  return new URL(text)
}

function filledWith(text: string, values: ParameterValues): string {
  return fillPlaceholders(text, name => encodeURIComponent(values.get(name) ?? ''))
}

/** Segments that mean the current folder or its parent. */
function isDots(segment: string): boolean {
  return /^(?:\.|%2e){1,2}$/iu.test(segment)
}
