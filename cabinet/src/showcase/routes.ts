import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../routes.tsx'

/** The page of all components. */
const componentsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/components',
  component: lazyRouteComponent(() => import('./components-page.tsx'), 'ComponentsPage'),
})

/** Builds for the product do not have it. */
export const showcaseRoutes = withComponents ? [componentsRoute] : []
