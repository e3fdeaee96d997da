import { createRoute } from '@tanstack/react-router'
import { Suspense } from 'react'
import { lazyPart } from '../components/index.ts'
import { organizationRoute } from '../shell/routes.ts'

const SettingsPage = lazyPart(async () => (await import('./settings-page.tsx')).SettingsPage)

function SettingsRoute() {
  return (
    <Suspense>
      <SettingsPage />
    </Suspense>
  )
}

/** `/o/<organization>/settings`, and below it a page for each kind and for some settings a page of their own. */
export const settingsRoutes = [
  createRoute({ getParentRoute: () => organizationRoute, path: 'settings', component: SettingsRoute }),
  createRoute({ getParentRoute: () => organizationRoute, path: 'settings/$page', component: SettingsRoute }),
  createRoute({ getParentRoute: () => organizationRoute, path: 'settings/$page/$id', component: SettingsRoute }),
] as const
