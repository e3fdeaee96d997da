import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../shell/lazy-page.tsx'
import { organizationRoute } from '../shell/routes.ts'
import { loadLaterTexts } from '../words/index.ts'

/** What is loaded, when the texts of what is loaded later are there too. */
async function withTexts<Page>(page: Promise<Page>): Promise<Page> {
  const [loaded] = await Promise.all([page, loadLaterTexts()])
  return loaded
}

/** `/o/<organization>/jobs`. */
const jobsRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'jobs',
  component: lazyPage(async () => (await withTexts(import('./jobs-page.tsx'))).JobsPage),
})

/** `/o/<organization>/imports/new`, with `?kind=` for what the rows are about. */
const newImportRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'imports/new',
  component: lazyPage(async () => (await withTexts(import('../imports/new-import-page.tsx'))).NewImportPage),
})

/** `/o/<organization>/imports/<id>`: an import at the step that it has come to. */
const importRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'imports/$id',
  component: lazyPage(async () => (await withTexts(import('../imports/import-page.tsx'))).ImportPage),
})

export const jobRoutes = [jobsRoute, newImportRoute, importRoute]
