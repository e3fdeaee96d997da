/** The syntax of parameter names; a text may contain them as placeholders: `{orderId}`. */
export const parameterName = '[A-Za-z_][A-Za-z0-9_.-]{0,63}'

const placeholder = new RegExp(`\\{(${parameterName})\\}`, 'gu')

/** Replaces each placeholder of a text. */
export function fillPlaceholders(text: string, fill: (name: string, offset: number) => string): string {
  return text.replace(placeholder, (_whole, name: string, offset: number) => fill(name, offset))
}

/** The names of the placeholders in a text. */
export function placeholdersIn(text: string): ReadonlySet<string> {
  const names = new Set<string>()
  fillPlaceholders(text, name => {
    names.add(name)
    return ''
  })
  return names
}

/** A URL with placeholders in its path and query, split into parts. Both may be empty; the query has no `?`. */
export interface UrlTemplate {
  /** `https://api.example.com` */
  readonly origin: string
  readonly path: string
  readonly query: string
}

const parts = /^(https:\/\/[^/?#]+)([^?#]*)(?:\?([^#]*))?$/iu

/** Splits a URL that `wrongUrl` has accepted. */
export function urlTemplate(url: string): UrlTemplate {
  const [, origin = '', path = '', query = ''] = parts.exec(url) ?? []
  return { origin, path, query }
}

/** What is wrong with a URL with placeholders; null if it is valid. */
export function wrongUrl(url: string): string | null {
  if (!/^https:\/\//iu.test(url)) return 'An address that starts with https:// is expected'
  if (/[\s\p{Cc}\\]/u.test(url)) return 'An address has no spaces, control characters or backslashes'
  if (url.includes('#')) return 'An address that is called has no fragment'
  if (!parts.test(url)) return 'An address with a host is expected'
  const { origin } = urlTemplate(url)
  if (/[{}]/u.test(origin)) return 'A parameter stands in the path or the query: the host is always the same'
  if (origin.includes('@')) return 'User name and password do not stand in the address: see auth'
  const filled = fillPlaceholders(url, () => 'x')
  if (/[{}]/u.test(filled)) return `Braces stand around the name of a parameter: ${parameterName}`
  return URL.canParse(filled) ? null : 'A valid address is expected'
}

/** The host of a URL in normal form, with its port unless that is the default. */
export function hostOf(url: string): string {
  return new URL(urlTemplate(url).origin).host
}
