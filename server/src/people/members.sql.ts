import { statement } from '../kernel/sql/index.ts'
import type { AccountEventName } from './account-events.ts'

/** $1 organization. The log of accounts, which tells the last sign-in, is kept for 90 days. */
export const selectMembers = statement(
  'select_members',
  `select m.id, m.version, m.user_id, m.role, m.created_at, u.email, u.name, u.active,
          u.totp_secret is not null as has_second_factor,
          (select e.occurred_at from account_events e
            where e.user_id = m.user_id and e.event = 'signed_in' and e.occurred_at >= m.created_at
            order by e.occurred_at desc limit 1) as last_sign_in_at
     from memberships m
     join users u on u.id = m.user_id
    where m.organization_id = $1
    order by m.created_at, m.id`,
)

/** What an organization is told of the accounts of its members: who came in, who tried to, and what lets them in. */
export const toldAccountEvents = [
  'signed_in',
  'sign_in_failed',
  'signed_out',
  'password_changed',
  'password_reset',
  'second_factor_added',
  'recovery_code_used',
] as const satisfies readonly AccountEventName[]

/**
 * $1 organization, $2 and $3 time and id of the event before which the page begins, $4 events, $5 most rows. What happened before somebody
 * became a member is nothing of the organization.
 */
export const selectSignIns = statement(
  'select_sign_ins_of_members',
  `select e.id, e.occurred_at, e.event, e.address_class, m.id as member, u.name
     from memberships m
     join users u on u.id = m.user_id
    cross join lateral (
      select a.id, a.occurred_at, a.event, a.address_class from account_events a
       where a.user_id = m.user_id and a.occurred_at >= m.created_at and a.event = any ($4::text[])
         and (a.occurred_at, a.id) < ($2::timestamptz, $3::uuid)
       order by a.occurred_at desc, a.id desc limit $5::integer) as e
    where m.organization_id = $1
    order by e.occurred_at desc, e.id desc limit $5::integer`,
)

/** $1 organization: makes changes of its members wait, and waits for one that is under way. */
export const lockOrganization = statement(
  'lock_organization_to_invite',
  'select o.id from organizations o where o.id = $1 for share',
)
