import { statement } from '../kernel/sql/index.ts'
import { peopleBounds } from './bounds.ts'

/** $1 id, $2 e-mail, $3 name, $4 locale, $5 now, $6 proven, $7 hash of the password or null. Inserts nothing if the installation is full. */
export const insertUser = statement(
  'insert_user',
  `insert into users (id, email, name, locale, created_at, updated_at, proven, password_hash)
   select $1, $2, $3, $4, $5, $5, $6, $7
    where (select count(*) from users) < ${peopleBounds.users.most}
   on conflict do nothing
   returning id`,
)

const shown = `u.id, u.email, u.name, u.locale, u.active, u.proven, u.password_hash is not null as "hasPassword",
          u.totp_secret is not null as "hasSecondFactor", u.created_at as "createdAt", u.updated_at as "updatedAt"`

export const selectUsers = statement(
  'select_users',
  `select ${shown},
          (select count(*)::integer from memberships m where m.user_id = u.id) as organizations
     from users u order by u.created_at, u.id`,
)

/** $1 id or e-mail address. */
export const selectUser = statement(
  'select_user',
  `select ${shown} from users u where u.id::text = lower($1) or lower(u.email) = lower($1)`,
)

/** $1 e-mail address, $2 id of a user whose own address it may be, or null. */
export const findUserWithEmail = statement(
  'find_user_with_email',
  'select u.id from users u where lower(u.email) = lower($1) and u.id is distinct from $2::uuid',
)

/** $1 id. Who changes a user takes this lock before those of links, codes and sessions. */
export const lockUserToChange = statement(
  'lock_user_to_change',
  'select u.email, u.name, u.locale, u.active, u.proven from users u where u.id = $1 for update',
)

/** $1 id, $2 e-mail, $3 name, $4 locale, $5 active, $6 proven, $7 now, $8 whether the second factor goes. */
export const updateUser = statement(
  'update_user',
  `update users u
      set email = $2, name = $3, locale = $4, active = $5, proven = $6, updated_at = $7,
          totp_secret = case when $8 then null else u.totp_secret end,
          totp_last_step = case when $8 then null else u.totp_last_step end
    where u.id = $1`,
)

/** $1 user. */
export const deleteRecoveryCodes = statement(
  'delete_recovery_codes',
  'delete from recovery_codes c where c.user_id = $1',
)

/** $1 user, whose memberships have ended. */
export const deleteUser = statement('delete_user', 'delete from users u where u.id = $1')

/** $1 user. A user belongs to the installation, so these look-ups cross organizations. */
export const selectMembershipsOfUser = statement(
  'select_memberships_of_user',
  `select m.organization_id as "organizationId", o.name as organization, m.id, m.role,
          not exists (select from memberships x join users u on u.id = x.user_id
                       where x.organization_id = m.organization_id and x.role = 'owner' and x.id <> m.id and u.active)
            as "isOnlyOwner"
     from memberships m
     join organizations o on o.organization_id = m.organization_id
    where m.user_id = $1
    order by o.name, m.organization_id`,
)

/** $1 user. */
export const selectSessionsOfUser = statement(
  'select_sessions_to_show',
  `select s.id, s.created_at as "createdAt", s.seen_at as "seenAt", s.expires_at as "expiresAt",
          s.address_class as "addressClass", s.browser
     from sessions s where s.user_id = $1 order by s.seen_at desc, s.id`,
)

/** $1 user, $2 e-mail address: links that let the user in or change the account. Invitations of organizations stay. */
export const deleteLinksOfUser = statement(
  'delete_links_of_user',
  `delete from user_links l
    where l.user_id = $1 or (lower(l.email) = lower($2) and l.kind in ('sign_in', 'reset'))`,
)
