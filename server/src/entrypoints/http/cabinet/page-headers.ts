import type { IncomingMessage, ServerResponse } from 'node:http'
import { pagesBuild } from './page-files.ts'

/** The prefix of the pages, and of what they call. */
export const pagesPrefix = '/cabinet'

/**
 * What pages of the cabinet may do: run and show what the server has in files, and ask the server. Text never becomes code or markup
 * (Trusted Types), and no other page can frame or open them.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

/** On everything below `/cabinet`. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy': contentSecurityPolicy,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
}

/** Whether a path, with or without a query, is the cabinet's. */
function isCabinet(url = ''): boolean {
  return url.startsWith(pagesPrefix) && /^(?:[/?]|$)/u.test(url.slice(pagesPrefix.length))
}

/**
 * Adds these headers to whatever is answered below `/cabinet`, also to a refusal. `X-Crm-Build` names the build of the pages that this
 * server has: pages of another build tell the user to load the new ones.
 */
export function protectPages(request: IncomingMessage, response: ServerResponse): void {
  if (!isCabinet(request.url)) return
  for (const [name, value] of Object.entries(pageHeaders)) response.setHeader(name, value)
  const build = pagesBuild()
  if (build !== null) response.setHeader('X-Crm-Build', build)
}
