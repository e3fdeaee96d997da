import { type Refusal, unprocessable, violates } from '../../../kernel/schema/index.ts'
import type { Auth, Header, Parameter } from '../api-integration.rules.ts'
import { isHeaderValue, isSameHeader } from '../headers.rules.ts'
import type { ParameterValues } from './parameter-values.ts'

/** The headers of a call, without the one that carries the secret. */
export function fillHeaders(
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
export function authHeaders({ type, headerName, username }: Auth, secret: string | null): readonly Header[] | Refusal {
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

export function headerIn(headers: readonly Header[], name: string): string | undefined {
  return headers.find(header => isSameHeader(header.name, name))?.value
}

function wrong(message: string): Refusal {
  return violates('/secret', 'secret', message)
}
