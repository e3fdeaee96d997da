import { createRoute, redirect } from '@tanstack/react-router'
import { meQuery } from '../api/index.ts'
import { signedInRoute } from '../routes.tsx'
import { OrganizationPage } from './organization-page.tsx'
import { rememberOrganization } from './organizations.ts'

/** The pages of one organization. An organization that the user does not belong to is like one that is not there. */
export const organizationRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/o/$organization',
  async beforeLoad({ context, params }) {
    const me = await context.client.query({ ...meQuery, staleTime: 'static' })
    if (me?.organizations.some(({ id }) => id === params.organization) === true)
      rememberOrganization(params.organization)
  },
  component: OrganizationPage,
})

export const organizationHomeRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/',
  beforeLoad({ params }) {
    return redirect({ throw: true, href: `/cabinet/o/${params.organization}/contacts` })
  },
})
