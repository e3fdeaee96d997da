import type { Config } from './config.ts'

/** Listening on these means listening on all addresses. None of them is an address to open. */
const everywhere = new Set(['0.0.0.0', '::', '[::]'])

/**
 * The address of the pages, for links: PUBLIC_BASE_URL, or where the server listens. Browsers on the machine of the server may sign in
 * without https, so where it listens everywhere, that is its loopback address.
 */
export function cabinetAddress(
  { publicBaseUrl, host, port }: Pick<Config, 'publicBaseUrl' | 'host' | 'port'>,
  listening?: string,
): string {
  if (publicBaseUrl !== undefined) return publicBaseUrl
  const url = new URL(listening ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`)
  if (everywhere.has(url.hostname)) url.hostname = '127.0.0.1'
  return url.origin
}
