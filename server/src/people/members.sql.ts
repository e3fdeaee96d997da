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
