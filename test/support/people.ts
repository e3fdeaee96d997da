import { hash, randomBytes } from 'node:crypto'
import { hash as hashPassword } from '@node-rs/argon2'
import { sessionTimes } from '../../server/src/kernel/auth/index.ts'
import { newId } from '../../server/src/kernel/schema/index.ts'
import { type Database, statement } from '../../server/src/kernel/sql/index.ts'
import type { TestApi } from './api.ts'
import { Browser } from './browser.ts'

/** The password of users of tests. */
export const testPassword = 'seven green boats'

/** The secret of second factors of tests. */
export const aFactor = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'

/** The code that a secret gives at a time in milliseconds. */
export async function aCode(time: number, secret = aFactor): Promise<string> {
  const { TOTP, Secret } = await import('otpauth')
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: time })
}

let hashed: Promise<string> | undefined

/** A user, by SQL. */
export interface TestUser {
  readonly id: string
  readonly email: string
  readonly name: string
  /** The secret of the second factor, in base 32; null without one. */
  readonly factor: string | null
}

interface UserOptions {
  readonly email?: string
  readonly name?: string
  readonly active?: boolean
  readonly proven?: boolean
  readonly factor?: string
}

const insertUser = statement(
  'test_user_with_password',
  `insert into users (id, email, name, active, proven, password_hash, totp_secret, created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, now(), now())`,
)

/** Inserts a user with the password of tests, directly by SQL. */
export async function aUser(api: TestApi, options: UserOptions = {}): Promise<TestUser> {
  const id = newId()
  const { email = `user-${id}@example.com`, name = 'Una Berg', active = true, proven = true, factor = null } = options
  hashed ??= hashPassword(testPassword)
  const place = { organizationId: '', kind: 'user', recordId: id }
  const sealed = factor === null ? null : api.services.secret.keyring.encrypt(factor, place)
  await api.test.database.query(insertUser, [id, email, name, active, proven, await hashed, sealed])
  return { id, email, name, factor }
}

const insertSession = statement(
  'test_session_of_browser',
  `insert into sessions (id, secret_hash, user_id, created_at, seen_at, fresh_at, expires_at, address_class, browser)
   values ($1, $2, $3, $4, $4, $4, $5, 'loopback', 'Firefox, Linux')`,
)

/** A browser in which the user is signed in, without a request: hashing passwords takes its time. */
export async function aSignedInBrowser(api: TestApi, user: Pick<TestUser, 'id'>): Promise<Browser> {
  const secret = randomBytes(32).toString('base64url')
  const now = api.services.clock.now()
  const [from, until] = [now, now + sessionTimes.absolute].map(time => new Date(time).toISOString())
  await api.test.database.query(insertSession, [newId(), hash('sha256', secret, 'buffer'), user.id, from, until])
  const browser = new Browser(api)
  browser.cookies.set(`crm-${api.services.secret.digits}`, secret)
  return browser
}

const execute = (database: Database, name: string, text: string, values: readonly unknown[]) =>
  database.query(statement(name, text), values)

/** Makes a user a member of an organization, directly by SQL. Returns the id of the membership, which is that of the operator. */
export async function aMembership(
  api: TestApi,
  user: TestUser,
  organizationId: string,
  role: 'owner' | 'manager' | 'member' | 'read_only' = 'member',
): Promise<string> {
  const { database } = api.test
  const id = newId()
  const operator = `insert into operators (organization_id, id, name, email, active, created_at)
    values ($1, $2, $3, $4, true, now())`
  await execute(database, 'test_operator_of_member', operator, [organizationId, id, user.name, user.email])
  const application = `insert into applications (organization_id, id, name, rate_read, rate_write, created_at, kind)
    values ($1, $2, 'Cabinet', 1200, 240, now(), 'cabinet') on conflict do nothing`
  await execute(database, 'test_cabinet_of_member', application, [organizationId, newId()])
  const membership = `insert into memberships (organization_id, id, user_id, role, created_at, updated_at, version)
    values ($1, $2, $3, $4, now(), now(), 1)`
  await execute(database, 'test_membership_of_user', membership, [organizationId, id, user.id, role])
  return id
}
