import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, createRoute, redirect } from '@tanstack/react-router'
import { meQuery } from './api/index.ts'
import { MissingPage } from './shell/failed-page.tsx'
import { homePath } from './shell/organizations.ts'
import { Root } from './shell/root.tsx'
import { Shell } from './shell/shell.tsx'
import { languageOf, speak } from './words/index.ts'

/** What loaders of routes get. */
interface RouterContext {
  readonly client: QueryClient
}

export const rootRoute = createRootRouteWithContext<RouterContext>()({
  component: Root,
  notFoundComponent: MissingPage,
})

/** The pages that need a session. Without one they lead to the sign-in, and from there back. */
export const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'signed-in',
  async beforeLoad({ context, location }) {
    const me = await context.client.query({ ...meQuery, staleTime: 'static' })
    if (me === null) return redirect({ to: '/sign-in', search: { to: location.href }, throw: true })
    await speak(languageOf(me.user.locale))
  },
  component: Shell,
})

/** `/cabinet/` leads to the organization that was used last. */
export const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  async beforeLoad({ context }) {
    const me = await context.client.query({ ...meQuery, staleTime: 'static' })
    return redirect({ throw: true, href: me === null ? '/cabinet/sign-in' : `/cabinet${homePath(me)}` })
  },
})
