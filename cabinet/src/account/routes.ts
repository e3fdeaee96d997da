import { createRoute } from '@tanstack/react-router'
import { signedInRoute } from '../routes.tsx'
import { lazyPage } from '../shell/lazy-page.tsx'

export const accountRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/account',
  component: lazyPage(async () => (await import('./account-page.tsx')).AccountPage),
})
