import { createToken as drawToken, hashSecret, isCidr, isScope, type Scope, scopes } from '../kernel/auth/index.ts'
import { type Clock, systemClock } from '../kernel/index.ts'
import { type Database, statement, type Transaction } from '../kernel/sql/index.ts'
import { administer } from './administer.ts'
import { AdministrationError, noSuch } from './administration-error.ts'
import { nameOf, uuidOf } from './values.ts'

const findEnvironment = statement(
  'find_environment_of_token',
  `select case when o.sandbox then 'test' else 'live' end as environment
     from applications a join organizations o on o.id = a.organization_id
    where a.organization_id = $1 and a.id = $2`,
)

const insertToken = statement(
  'insert_token',
  `insert into api_tokens
     (id, organization_id, application_id, name, secret_hash, scopes, cidrs, created_at, expires_at, rotated_from)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
)

const revokeTokenRow = statement(
  'revoke_token',
  `update api_tokens t set revoked_at = coalesce(t.revoked_at, $3)
    where t.organization_id = $1 and t.id = $2
   returning t.id`,
)

/** A token as it is shown this once: only a hash of its secret is kept. */
export interface IssuedToken {
  readonly id: string
  readonly token: string
  readonly scopes: readonly string[]
}

export interface NewToken {
  readonly organizationId: string
  readonly applicationId: string
  readonly name: string
  /** `all` stands for every scope of this version. */
  readonly scopes: readonly string[]
  /** Networks that it is accepted from; all unless told. */
  readonly cidrs?: readonly string[] | undefined
  /** Milliseconds; it does not expire unless told. */
  readonly expiresIn?: number | undefined
}

/** Creates a token of an application. Throws an `AdministrationError` for an unknown application, scope or network. */
export async function createToken(
  database: Database,
  input: NewToken,
  clock: Clock = systemClock,
): Promise<IssuedToken> {
  const organizationId = uuidOf('organization', input.organizationId)
  const applicationId = uuidOf('application', input.applicationId)
  const { expiresIn } = input
  if (expiresIn !== undefined && expiresIn <= 0) throw new AdministrationError('a token is valid for some time')
  const facts = {
    organizationId,
    applicationId,
    name: nameOf('the name of a token', input.name),
    scopes: scopesOf(input.scopes),
    cidrs: cidrsOf(input.cidrs ?? []),
    expiresAt: expiresIn === undefined ? null : new Date(clock.now() + expiresIn).toISOString(),
    rotatedFrom: null,
  }
  return administer(database, transaction => issueToken(transaction, facts, clock))
}

export interface TokenFacts {
  readonly organizationId: string
  readonly applicationId: string
  readonly name: string
  readonly scopes: readonly string[]
  readonly cidrs: readonly string[]
  readonly expiresAt: string | null
  readonly rotatedFrom: string | null
}

/** Draws a token and keeps what recognises it, in a transaction that has begun. */
export async function issueToken(transaction: Transaction, facts: TokenFacts, clock: Clock): Promise<IssuedToken> {
  const { organizationId, applicationId, name, cidrs, expiresAt, rotatedFrom } = facts
  const [found] = await transaction.query(findEnvironment, [organizationId, applicationId])
  if (found === undefined) throw noSuch('application', applicationId)
  const { tokenId, secret, text } = drawToken(found.environment === 'test' ? 'test' : 'live')
  const owner = [tokenId, organizationId, applicationId, name, hashSecret(secret)]
  const now = new Date(clock.now()).toISOString()
  await transaction.query(insertToken, [...owner, facts.scopes, cidrs, now, expiresAt, rotatedFrom])
  return { id: tokenId, token: text, scopes: facts.scopes }
}

export interface TokenAddress {
  readonly organizationId: string
  readonly tokenId: string
}

/** Ends a token at once and for good; one that was revoked before stays as it is. */
export async function revokeToken(
  database: Database,
  { organizationId, tokenId }: TokenAddress,
  clock: Clock = systemClock,
): Promise<{ id: string }> {
  const values = [uuidOf('organization', organizationId), tokenId, new Date(clock.now()).toISOString()]
  return administer(database, async transaction => {
    const revoked = await transaction.query(revokeTokenRow, values)
    if (revoked.length === 0) throw noSuch('token', tokenId)
    return { id: tokenId }
  })
}

function scopesOf(words: readonly string[]): readonly Scope[] {
  if (words.includes('all')) return scopes
  const unknown = words.filter(word => !isScope(word))
  if (unknown.length > 0) throw new AdministrationError(`no such scope: ${unknown.join(', ')}`)
  if (words.length === 0) throw new AdministrationError('a token needs at least one scope')
  return scopes.filter(scope => words.includes(scope))
}

function cidrsOf(texts: readonly string[]): readonly string[] {
  const wrong = texts.find(text => !isCidr(text))
  if (wrong !== undefined) throw new AdministrationError(`"${wrong}" is no network such as 10.0.0.0/8`)
  return [...new Set(texts)]
}
