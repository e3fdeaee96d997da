/** What the address of the sign-in says: where to go on afterwards. */
export interface SignInSearch {
  readonly to?: string
}

/**
 * Takes only paths of the cabinet: an address that leads to another site, or to a page that needs no session, is left out. The text is
 * compared as the browser would read it, so that no notation of another site looks like a path.
 */
export function searchOfSignIn(search: Readonly<Record<string, unknown>>): SignInSearch {
  const { to } = search
  if (typeof to !== 'string') return {}
  const origin = 'http://cabinet.invalid'
  if (!URL.canParse(to, origin)) return {}
  const { origin: meant, pathname, search: query } = new URL(to, origin)
  return meant === origin && /^\/(?:cabinet\/)?(?:o\/|account$)/u.test(pathname)
    ? { to: `${pathname.replace(/^\/cabinet/u, '')}${query}` }
    : {}
}
