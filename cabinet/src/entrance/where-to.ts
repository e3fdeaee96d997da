/** What the address of the sign-in says: where to go on afterwards. */
export interface SignInSearch {
  readonly to: string | undefined
}

/**
 * Takes only paths of the cabinet. An address that leads to another site, or to a page that needs no session, becomes undefined: the router
 * would keep what is only left out. The text is compared as the browser would read it, so that no notation of another site looks like a path.
 */
export function searchOfSignIn(search: Readonly<Record<string, unknown>>): SignInSearch {
  const { to } = search
  if (typeof to !== 'string') return { to: undefined }
  const origin = 'http://cabinet.invalid'
  if (!URL.canParse(to, origin)) return { to: undefined }
  const { origin: meant, pathname, search: query } = new URL(to, origin)
  const isPage = meant === origin && /^\/(?:cabinet\/)?(?:o\/|account$)/u.test(pathname)
  return { to: isPage ? `${pathname.replace(/^\/cabinet/u, '')}${query}` : undefined }
}
