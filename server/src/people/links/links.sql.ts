import { statement } from '../../kernel/sql/index.ts'

/** Makes links of one person wait for each other. $1 a lock number. */
export const lockLinks = statement('lock_links', 'select pg_advisory_xact_lock($1::bigint)')

/** $1 kind, $2 e-mail address or null, $3 organization or null, $4 whether the new one is mailed: the unused links that it replaces. */
export const deleteReplacedLinks = statement(
  'delete_replaced_links',
  `delete from user_links l
    where l.kind = $1 and lower(l.email) is not distinct from lower($2::text)
      and l.organization_id is not distinct from $3::uuid and l.used_at is null
      and (l.kind <> 'reset' or (l.mailed_hash is not null) = $4::boolean)`,
)

/** $1 hash, $2 kind, $3 e-mail, $4 name, $5 user, $6 organization, $7 role, $8 operator who invited, $9 now, $10 end, $11 the hash again if a mail has it. */
export const insertLink = statement(
  'insert_user_link',
  `insert into user_links
     (secret_hash, kind, email, name, user_id, organization_id, role, invited_by, created_at, expires_at, mailed_hash)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
)

/**
 * $1 hash of the link that was shown, or of the one that was mailed. With the user whom the link names, or who has its address by now, and with the name of the organization, which belongs to the
 * installation as a whole until somebody joins it.
 */
export const findLink = statement(
  'find_user_link',
  `select l.secret_hash, l.mailed_hash = $1 as is_mailed, l.kind, l.email, l.name, l.user_id, l.organization_id, l.role, l.invited_by, l.expires_at, l.used_at,
          o.name as organization_name,
          u.id as account_id, u.email as account_email, u.name as account_name, u.active,
          u.password_hash is not null as has_password, u.totp_secret is not null as has_second_factor
     from user_links l
     left join organizations o on o.organization_id = l.organization_id
     left join users u on u.id = l.user_id or (l.user_id is null and lower(u.email) = lower(l.email))
    where l.secret_hash = $1 or l.mailed_hash = $1`,
)

/** $1 hash, $2 now. The second transaction finds no row. */
export const consumeLink = statement(
  'consume_user_link',
  `update user_links l set used_at = $2
    where l.secret_hash = $1 and l.used_at is null and l.expires_at > $2
   returning 1`,
)

/** $1 user, $2 hash of the password, $3 now. */
export const setPassword = statement(
  'set_password_by_link',
  `update users u set password_hash = $2, proven = true, updated_at = $3 where u.id = $1 and u.active returning 1`,
)

/** $1 user, $2 now. */
export const proveUser = statement(
  'prove_user_by_link',
  'update users u set proven = true, updated_at = $2 where u.id = $1 and u.active and not u.proven',
)

/** The row that exists once in an installation: the transaction that founds it holds the lock. */
export const lockInstallation = statement(
  'lock_installation_to_found',
  'select 1 from installation i where i.singleton for update',
)

export const findAnyUser = statement('find_any_user', 'select 1 from users limit 1')

/** $1 organization, $2 now. */
export const countInvitations = statement(
  'count_open_invitations',
  `select count(*)::integer as open from user_links l
    where l.organization_id = $1 and l.kind = 'invitation' and l.used_at is null and l.expires_at > $2`,
)

/** $1 organization, $2 now: the invitations that nobody has used, also those that have expired. */
export const selectInvitations = statement(
  'select_unused_invitations',
  `select l.secret_hash, l.email, l.name, l.role, l.created_at, l.expires_at, l.expires_at > $2 as is_open
     from user_links l
    where l.organization_id = $1 and l.kind = 'invitation' and l.used_at is null
    order by l.created_at, l.secret_hash`,
)

/** $1 organization, $2 hash. */
export const deleteInvitation = statement(
  'delete_invitation',
  `delete from user_links l
    where l.organization_id = $1 and l.secret_hash = $2 and l.kind = 'invitation' and l.used_at is null
   returning l.email`,
)

/** $1 organization, $2 operator: the open invitations that this operator has sent. */
export const deleteInvitationsBy = statement(
  'delete_invitations_by',
  `delete from user_links l
    where l.organization_id = $1 and l.invited_by = $2 and l.kind = 'invitation' and l.used_at is null`,
)
