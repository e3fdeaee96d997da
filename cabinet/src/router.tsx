import type { QueryClient } from '@tanstack/react-query'
import { createRouter } from '@tanstack/react-router'
import { accountRoute } from './account/routes.ts'
import { entranceRoutes } from './entrance/routes.ts'
import { jobRoutes } from './jobs/routes.ts'
import { listRoute, recordRoute } from './records/routes.ts'
import { homeRoute, rootRoute, signedInRoute } from './routes.tsx'
import { parseSearch, stringifySearch } from './search-text.ts'
import { settingsRoutes } from './settings/routes.tsx'
import { FailedPage } from './shell/failed-page.tsx'
import { organizationHomeRoute, organizationRoute } from './shell/routes.ts'
import { showcaseRoutes } from './showcase/routes.ts'

/** The folders of pages, each with its routes. */
const routeTree = rootRoute.addChildren([
  homeRoute,
  ...entranceRoutes,
  ...showcaseRoutes,
  signedInRoute.addChildren([
    accountRoute,
    organizationRoute.addChildren([organizationHomeRoute, ...jobRoutes, ...settingsRoutes, listRoute, recordRoute]),
  ]),
])

/** Makes the router of all pages. Their addresses stand below `/cabinet`. */
export function createCabinetRouter(client: QueryClient) {
  return createRouter({
    routeTree,
    basepath: '/cabinet',
    context: { client },
    // It stands in the place of the page that has failed; what is around it stays.
    defaultErrorComponent: FailedPage,
    parseSearch,
    stringifySearch,
  })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createCabinetRouter>
  }
}
