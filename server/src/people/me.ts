import { type MemberRole, type SignedIn, sessionTimes } from '../kernel/auth/index.ts'
import type { Services } from '../kernel/index.ts'
import { productVersion } from '../kernel/product/index.ts'
import { type Row, statement } from '../kernel/sql/index.ts'
import { permissionsOf, roleOf } from './roles.ts'

/** The most organizations of a user that are shown. */
const shownOrganizations = 200

const selectOrganizations = statement(
  'select_organizations_of_user',
  `select o.id, o.name, m.role, m.id as operator_id, o.time_zone, o.default_currency, o.currencies, o.locale, o.country,
          o.members_see_contact_data, o.members_see_amounts, o.managers_manage_integrations, o.second_factor_required
     from memberships m
     join organizations o on o.id = m.organization_id
    where m.user_id = $1
    order by o.name, o.id
    limit ${shownOrganizations}`,
)

/** What the pages know about who is signed in. */
export interface Me {
  readonly user: {
    readonly id: string
    readonly email: string
    readonly name: string
    readonly locale: string
    readonly hasSecondFactor: boolean
  }
  readonly organizations: readonly MyOrganization[]
  /** Until when the password counts as just entered; null if it does not. */
  readonly freshUntil: string | null
  readonly build: string
}

interface MyOrganization {
  readonly id: string
  readonly name: string
  readonly role: MemberRole
  readonly operatorUuid: string
  readonly permissions: readonly string[]
  readonly timeZone: string
  readonly defaultCurrency: string
  readonly currencies: readonly string[]
  readonly locale: string
  readonly country: string
  /** Whether the organization asks for a second factor, which this user does not have. */
  readonly needsSecondFactor: boolean
}

/** Describes a signed-in user: with what may be done where. */
export async function describeMe(
  { session, user }: SignedIn,
  { database, clock }: Pick<Services, 'database' | 'clock'>,
): Promise<Me> {
  const { id, email, name, locale, hasSecondFactor } = user
  const rows = await database.query(selectOrganizations, [id])
  return {
    user: { id, email, name, locale, hasSecondFactor },
    organizations: rows.map(row => toOrganization(row, hasSecondFactor)),
    freshUntil: freshUntil(session.freshAt, clock.now()),
    build: productVersion,
  }
}

/** Until when a session is fresh, as answers show it; null if it is not. */
export function freshUntil(freshAt: number, now: number): string | null {
  const until = freshAt + sessionTimes.fresh
  return now < until ? new Date(until).toISOString() : null
}

function toOrganization(row: Row, hasSecondFactor: boolean): MyOrganization {
  const text = (name: string) => String(row[name])
  const role = roleOf(row.role)
  const switches = {
    membersSeeContactData: row.members_see_contact_data === true,
    membersSeeAmounts: row.members_see_amounts === true,
    managersManageIntegrations: row.managers_manage_integrations === true,
  }
  return {
    id: text('id'),
    name: text('name'),
    role,
    operatorUuid: text('operator_id'),
    permissions: [...permissionsOf(role, switches)].toSorted(),
    timeZone: text('time_zone'),
    defaultCurrency: text('default_currency'),
    currencies: Array.isArray(row.currencies) ? row.currencies.map(String) : [],
    locale: text('locale'),
    country: text('country'),
    needsSecondFactor: row.second_factor_required === true && !hasSecondFactor,
  }
}
