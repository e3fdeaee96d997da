import type { MemberRole } from '../kernel/auth/index.ts'
import type { JsonObject } from '../kernel/schema/index.ts'
import type { Database, Row, Statement } from '../kernel/sql/index.ts'
import { noSuch } from '../settings/index.ts'
import { roleOf } from './roles.ts'
import { selectMembershipsOfUser, selectSessionsOfUser, selectUser, selectUsers } from './users.sql.ts'

/** A user as commands show it. */
export interface ShownUser {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly locale: string
  readonly active: boolean
  readonly proven: boolean
  readonly hasPassword: boolean
  readonly hasSecondFactor: boolean
}

/** What a user is in one organization. */
export interface MembershipOfUser {
  readonly organizationId: string
  readonly organization: string
  /** The id of the operator that the user is there. */
  readonly id: string
  readonly role: MemberRole
  /** Whether no other owner has an active account. */
  readonly isOnlyOwner: boolean
}

/** All users of the installation, the oldest first, each with the number of their organizations. */
export async function listUsers(database: Database): Promise<readonly JsonObject[]> {
  return database.search(selectUsers, [])
}

/** The user with this id or e-mail address. Throws an `AdministrationError` if there is none. */
export async function findUser(database: Database, text: string): Promise<ShownUser> {
  const [row] = await database.query(selectUser, [text.trim()])
  if (row === undefined) throw noSuch('user', text)
  return toUser(row)
}

/** The same with memberships and sessions. */
export async function showUser(database: Database, text: string): Promise<JsonObject> {
  const user = await findUser(database, text)
  const [memberships, sessions] = await Promise.all([
    membershipsOf(database, user.id),
    database.query(selectSessionsOfUser, [user.id]),
  ])
  return { ...user, memberships: memberships.map(({ isOnlyOwner: _, ...each }) => each), sessions }
}

/** What a user is in organizations, by the name of the organization. */
export async function membershipsOf(
  asked: { query(statement: Statement, values: readonly unknown[]): Promise<Row[]> },
  userId: string,
): Promise<readonly MembershipOfUser[]> {
  const rows = await asked.query(selectMembershipsOfUser, [userId])
  return rows.map(row => ({
    organizationId: String(row.organizationId),
    organization: String(row.organization),
    id: String(row.id),
    role: roleOf(row.role),
    isOnlyOwner: row.isOnlyOwner === true,
  }))
}

function toUser(row: Row): ShownUser {
  return {
    id: String(row.id),
    email: String(row.email),
    name: String(row.name),
    locale: String(row.locale),
    active: row.active === true,
    proven: row.proven === true,
    hasPassword: row.hasPassword === true,
    hasSecondFactor: row.hasSecondFactor === true,
  }
}
