import { newTokenText as drawToken, hashSecret, isCidr } from '../kernel/auth/index.ts'
import { bounds, type Clock, systemClock } from '../kernel/index.ts'
import { type Database, statement } from '../kernel/sql/index.ts'
import { AdministrationError } from './administration-error.ts'
import type { TokenInput } from './token.ts'

const insertToken = statement(
  'insert_metrics_token',
  `insert into metrics_tokens (id, name, secret_hash, cidrs, created_at, expires_at)
   select $1, $2, decode($3, 'hex'), $4, $5, $6
    where (select count(*) from metrics_tokens) < $7
   returning id`,
)

const selectTokens = statement(
  'select_metrics_tokens',
  `select t.id, t.name, t.cidrs, t.created_at as "createdAt", t.expires_at as "expiresAt"
     from metrics_tokens t order by t.created_at, t.id`,
)

const deleteToken = statement('delete_metrics_token', 'delete from metrics_tokens t where t.id = $1 returning t.id')

/** A token for `/metrics`. A type, because rows need an index signature. */
export type MetricsToken = {
  readonly id: string
  readonly name: string
  readonly cidrs: readonly string[]
  readonly createdAt: string
  readonly expiresAt: string | null
}

const longestName = 200

/**
 * Creates a token that gives access to `/metrics` only. Its text is shown once. Throws an `AdministrationError` for an invalid name or
 * network, and if the maximum number of tokens exists.
 */
export async function createMetricsToken(
  { database, clock = systemClock }: { readonly database: Database; readonly clock?: Clock },
  { name = '', cidrs = [], expiresIn = null }: TokenInput,
): Promise<MetricsToken & { readonly token: string }> {
  const trimmed = name.trim()
  if (trimmed === '' || trimmed.length > longestName)
    throw new AdministrationError(`the name of a token has 1 to ${longestName} characters`)
  const wrong = cidrs.find(network => !isCidr(network))
  if (wrong !== undefined) throw new AdministrationError(`"${wrong}" is no network such as 10.0.0.0/8`)
  if (expiresIn !== null && expiresIn <= 0) throw new AdministrationError('a token is valid for some time')
  const { tokenId, secret, text } = drawToken('metrics')
  const now = clock.now()
  const createdAt = new Date(now).toISOString()
  const expiresAt = expiresIn === null ? null : new Date(now + expiresIn).toISOString()
  const { most } = bounds.metricsTokens
  const values = [tokenId, trimmed, hashSecret(secret).toString('hex'), cidrs, createdAt, expiresAt, most]
  const rows = await database.query(insertToken, values)
  if (rows.length === 0) throw new AdministrationError(`there are ${most} tokens for metrics already: revoke one`)
  return { id: tokenId, token: text, name: trimmed, cidrs, createdAt, expiresAt }
}

/** All tokens for `/metrics`, the oldest first. */
export function listMetricsTokens(database: Database): Promise<MetricsToken[]> {
  return database.query<MetricsToken>(selectTokens, [])
}

/** Revokes a token for `/metrics` at once and permanently; returns whether a token with this id existed. */
export async function revokeMetricsToken(database: Database, id: string): Promise<boolean> {
  return (await database.query(deleteToken, [id])).length > 0
}
