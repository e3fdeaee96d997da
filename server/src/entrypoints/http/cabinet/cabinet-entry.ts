import type { Member, SignedIn } from '../../../kernel/auth/index.ts'
import { type Caller, crmConventions, type Operation, Refusal, refuse, type Services } from '../../../kernel/index.ts'
import { isUuid } from '../../../kernel/schema/index.ts'
import { permissionsOf } from '../../../people/index.ts'
import { cabinetPrefix, type HttpEntry } from '../entries.ts'
import type { HttpRoute } from '../http-route.ts'
import { type Offer, offer } from '../offer.ts'
import { routeOf } from '../serve-operation.ts'
import { authenticateSession } from './authenticate-session.ts'
import { bucketOf, rateOf } from './user-rate.ts'

const ofOrganization = `${cabinetPrefix}/{organization}`

/**
 * The entry of the cabinet: the operations of the API and those of the cabinet alone, below the organization, for users who signed in. It
 * never looks at `Authorization` or `X-Api-Token`.
 */
const cabinetEntry: HttpEntry = {
  prefix: cabinetPrefix,
  conventions: crmConventions,
  parameters: ['organization'],
  pathOf: ({ path }) => (path.startsWith(ofOrganization) ? path : path.replace(/^\/api\/v1/u, ofOrganization)),
  rateBucket: bucketOf,
  headers: () => ({ 'Cache-Control': 'no-store' }),
  async authenticate(call, services, { body, isUnattended }, isAgain = false) {
    const isUse = !isAgain && !isUnattended
    const signedIn = await authenticateSession(call, services, body?.form === 'multipart', isUse)
    if (signedIn instanceof Refusal) return signedIn
    const { organization = '' } = call.path
    const { sessions } = services.authentication
    const member = isUuid(organization) ? await sessions.member(signedIn, organization.toLowerCase()) : null
    // Like a route that does not exist: nobody learns which organizations there are.
    if (member === null) return refuse('not_found')
    if (member.secondFactorRequired && !signedIn.user.hasSecondFactor) return refuse('second_factor_missing')
    return callerOf(signedIn, member)
  },
}

function callerOf(
  { session, user }: SignedIn,
  { operatorId, role, switches, organization, applicationId }: Member,
): Caller {
  return {
    entry: 'cabinet',
    organization,
    scopes: permissionsOf(role, switches),
    author: { type: 'user', uuid: operatorId, jobId: null },
    keysOf: applicationId,
    rate: rateOf(user),
    idempotency: { applicationId, prefix: `${user.id}:` },
    credential: { application: { id: applicationId, name: 'Cabinet' }, operatorId, session, user },
  }
}

/** What the cabinet offers of these operations, below an organization. */
export function organizationOffers(operations: readonly Operation[]): Offer[] {
  return operations.map(operation => offer(operation, cabinetEntry))
}

/** The same, served by a process. */
export function organizationRoutes(operations: readonly Operation[], services: Services): HttpRoute[] {
  return organizationOffers(operations).map(offered => routeOf(offered, services))
}
