/** Headers that belong to the connection, or that the URL and the body determine. Nobody else sets them. */
const ownHeaders = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** What is wrong with the name of a header (RFC 9110); null if it is valid. */
export function wrongHeaderName(name: string): string | null {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/u.test(name)) return 'A header is named with letters, digits and -'
  return ownHeaders.has(name.toLowerCase()) ? `The header ${name} is made by the server` : null
}

/** Whether the value of a header is valid: visible ASCII characters, with spaces and tabs between them. */
export function isHeaderValue(value: string): boolean {
  return /^(?:[!-~](?:[\t -~]*[!-~])?)?$/u.test(value)
}

export function isSameHeader(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}
