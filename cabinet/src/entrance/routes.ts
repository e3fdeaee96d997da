import { createRoute } from '@tanstack/react-router'
import { rootRoute } from '../routes.tsx'
import { lazyPage } from '../shell/lazy-page.tsx'
import { SignInPage } from './sign-in-page.tsx'
import { searchOfSignIn } from './where-to.ts'

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: searchOfSignIn,
  component: SignInPage,
})

const forgottenRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/forgotten',
  component: lazyPage(async () => (await import('./forgotten-page.tsx')).ForgottenPage),
})

const linkPage = lazyPage(async () => (await import('./link-page.tsx')).LinkPage)

/** Links that a command, a mail or an owner hands out. What a link is for, the server says. */
const linkRoutes = [
  createRoute({ getParentRoute: () => rootRoute, path: '/enter', component: linkPage }),
  createRoute({ getParentRoute: () => rootRoute, path: '/join', component: linkPage }),
  createRoute({ getParentRoute: () => rootRoute, path: '/reset', component: linkPage }),
] as const

export const entranceRoutes = [signInRoute, forgottenRoute, ...linkRoutes] as const
