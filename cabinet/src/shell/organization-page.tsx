import { Outlet } from '@tanstack/react-router'
import { MissingPage } from './failed-page.tsx'
import { useOrganization } from './use-me.ts'

/** The frame of the pages of an organization. */
export function OrganizationPage() {
  return useOrganization() === undefined ? <MissingPage /> : <Outlet />
}
