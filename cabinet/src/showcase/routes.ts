import { createRoute } from '@tanstack/react-router'
import { rootRoute } from '../routes.tsx'
import { lazyPage } from '../shell/lazy-page.tsx'

/** The page of all components. */
const componentsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/components',
  component: lazyPage(async () => (await import('./components-page.tsx')).ComponentsPage),
})

/** Builds for the product do not have it. */
export const showcaseRoutes = withComponents ? [componentsRoute] : []
