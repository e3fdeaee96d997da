import { statement } from '../kernel/sql/index.ts'

/** $1 organization. */
export const selectMembers = statement(
  'select_members',
  `select m.id, m.user_id, m.role, m.created_at, u.email, u.name, u.active
     from memberships m
     join users u on u.id = m.user_id
    where m.organization_id = $1
    order by m.created_at, m.id`,
)

/** $1 organization: makes changes of its members wait, and waits for one that is under way. */
export const lockOrganization = statement(
  'lock_organization_to_invite',
  'select o.id from organizations o where o.id = $1 for share',
)
