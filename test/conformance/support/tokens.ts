import { hashSecret, newTokenText, type Scope, scopes } from '../../../server/src/kernel/index.ts'
import type { TestOrganization } from '../../support/organization.ts'
import type { Given } from './given.ts'

interface TokenOptions {
  readonly granted?: readonly Scope[]
  readonly cidrs?: readonly string[]
  readonly expiresAt?: string
  readonly revokedAt?: string
}

/** The text of a new token of the organization's first application. */
export async function aToken(given: Given, organization: TestOrganization, facts: TokenOptions = {}): Promise<string> {
  const { tokenId, secret, text } = newTokenText('live')
  await given.sql(
    `insert into api_tokens (id, organization_id, application_id, name, secret_hash, scopes, cidrs, expires_at,
       revoked_at, created_at) values ($1, $2, $3, 'Test', $4, $5, $6, $7, $8, now())`,
    [
      tokenId,
      organization.id,
      organization.applicationId,
      hashSecret(secret),
      facts.granted ?? scopes,
      facts.cidrs ?? [],
      facts.expiresAt ?? null,
      facts.revokedAt ?? null,
    ],
  )
  return text
}
