import { createRoute } from '@tanstack/react-router'
import { ListRoute } from '../lists/list-route.tsx'
import { lazyPage } from '../shell/lazy-page.tsx'
import { organizationRoute } from '../shell/routes.ts'

/** `/o/<organization>/contacts` and the like: the list of a kind. */
export const listRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: '$kind',
  component: ListRoute,
})

/** `/o/<organization>/contacts/<id>`: the page of a record. */
export const recordRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: '$kind/$id',
  component: lazyPage(async () => (await import('../record-page/record-route.tsx')).RecordRoute),
})
