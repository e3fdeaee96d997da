import { newTokenText as drawToken, hashSecret, type ParsedToken, scopes, tokenText } from '../kernel/auth/index.ts'
import { type RecordState, Refusal, type SettingsDraft } from '../kernel/index.ts'
import { type JsonObject, nearestWord, violates } from '../kernel/schema/index.ts'
import { textsOf } from '../kernel/sql/index.ts'
import { type Administration, administer } from './administer.ts'
import { AdministrationError, missing } from './administration-error.ts'
import { application } from './application.ts'
import { type FoundToken, foundToken, needToken } from './find-token.ts'
import { idNamed } from './organization-of.ts'
import { refuseMore } from './setting.rules.ts'
import type { OfOrganization, VersionedAddress } from './setting.ts'
import { settingBounds } from './setting-bounds.ts'
import { type TokenInput, token } from './token.ts'

/** A new token with its text, which is shown only once: only a hash of its secret is stored. */
export interface IssuedToken {
  readonly id: string
  readonly token: string
  readonly applicationId: string
  /** The name of the application. */
  readonly application: string
  readonly name: string
  readonly scopes: readonly string[]
  readonly cidrs: readonly string[]
  readonly expiresAt: string | null
}

/**
 * Creates a token of an application; the scope `all` stands for all grantable scopes. Throws an `AdministrationError` for an unknown
 * application or scope, or an invalid network.
 */
export async function createToken(
  administration: Administration,
  {
    organizationId,
    applicationId,
    expiresIn = null,
    ...input
  }: OfOrganization & { readonly applicationId: string } & TokenInput,
): Promise<IssuedToken> {
  const id = await idNamed(administration.database, application, applicationId, organizationId)
  refuseNoTime(expiresIn)
  const drawn = drawToken('live')
  const scopes = grantedScopes(input.scopes ?? [], administration.grantableScopes)
  return administer(administration, organizationId, {
    needs(needs) {
      needs.toLoadNested(application, id)
      needs.toLoadNestedIn(token, id)
    },
    decide(draft) {
      const owner = draft.record(application, id)
      if (owner === null) return missing('application', applicationId)
      const expiresAt = expiresIn === null ? null : timeAfter(draft, expiresIn)
      return addToken(draft, owner, drawn, { ...input, scopes }, { expiresAt })
    },
  })
}

/** Adds a generated token for the environment of its organization, and stores its hash. The tokens of its application are loaded. */
export function addToken(
  draft: SettingsDraft,
  owner: RecordState,
  { tokenId, secret }: Pick<ParsedToken, 'tokenId' | 'secret'>,
  input: JsonObject,
  facts: { readonly expiresAt?: unknown; readonly rotatedFrom?: string } = {},
): IssuedToken | Refusal {
  if (draft.all(token, owner.id).length >= settingBounds.applicationTokens.most)
    return refuseMore(settingBounds.applicationTokens)
  const secretHash = `\\x${hashSecret(secret).toString('hex')}`
  const added = draft.add(token, input, { ...facts, tokenId, secretHash }, owner)
  if (added instanceof Refusal) return added
  const environment = draft.organization?.sandbox === true ? 'test' : 'live'
  return {
    id: tokenId,
    token: tokenText({ environment, tokenId, secret }),
    applicationId: owner.id,
    application: String(owner.name),
    name: String(added.name),
    scopes: textsOf(added.scopes),
    cidrs: textsOf(added.cidrs),
    expiresAt: typeof added.expiresAt === 'string' ? added.expiresAt : null,
  }
}

/** The time a number of milliseconds after the change. */
export function timeAfter(draft: SettingsDraft, milliseconds: number): string {
  return new Date(Date.parse(draft.write.now) + milliseconds).toISOString()
}

export interface TokenAddress {
  readonly organizationId: string
  readonly tokenId: string
}

/**
 * Changes a token. Throws an `AdministrationError` if it is unknown or revoked, if it has another version than the one expected, or if a
 * value is invalid.
 */
export async function setToken(
  administration: Administration,
  {
    organizationId,
    tokenId,
    expiresIn,
    scopes: asked,
    ...input
  }: TokenAddress & Pick<VersionedAddress, 'expectedVersion'> & TokenInput,
): Promise<{ id: string }> {
  refuseNoTime(expiresIn)
  const scopes = asked && grantedScopes(asked, administration.grantableScopes)
  return administer(administration, organizationId, {
    needs: needToken(tokenId),
    decide(draft) {
      const found = foundValidToken(draft, tokenId)
      if (found instanceof Refusal) return found
      const expiresAt = typeof expiresIn === 'number' ? timeAfter(draft, expiresIn) : expiresIn
      const facts = expiresAt === undefined ? {} : { expiresAt }
      const changed = draft.alter(token, found.record, { ...input, scopes }, facts)
      return changed instanceof Refusal ? changed : { id: tokenId }
    },
  })
}

/** The token, or why it can no longer be changed. */
function foundValidToken(draft: SettingsDraft, tokenId: string): FoundToken | Refusal {
  const found = foundToken(draft, tokenId)
  if (found instanceof Refusal) return found
  const { revokedAt } = found.record
  return typeof revokedAt === 'string' ? violates('', 'revoked', `the token was revoked at ${revokedAt}`) : found
}

function refuseNoTime(expiresIn: number | null | undefined): void {
  if (typeof expiresIn === 'number' && expiresIn <= 0) throw new AdministrationError('a token is valid for some time')
}

/** Revokes a token at once and permanently. Throws an `AdministrationError` if it is unknown or already revoked. */
export async function revokeToken(
  administration: Administration,
  { organizationId, tokenId }: TokenAddress,
): Promise<{ id: string }> {
  return administer(administration, organizationId, {
    needs: needToken(tokenId),
    decide(draft) {
      const found = foundValidToken(draft, tokenId)
      if (found instanceof Refusal) return found
      const revoked = draft.alter(token, found.record, {}, { revokedAt: draft.write.now })
      return revoked instanceof Refusal ? revoked : { id: tokenId }
    },
  })
}

/**
 * The requested scopes, in the order of the grantable ones; `all` stands for all of these. Throws an `AdministrationError` for an unknown
 * scope.
 */
export function grantedScopes(asked: readonly string[], grantable: readonly string[] = scopes): readonly string[] {
  const unknown = asked.find(word => word !== 'all' && !grantable.includes(word))
  if (unknown !== undefined) {
    const nearest = nearestWord(unknown, grantable)
    const meant = nearest === null ? '.' : `; did you mean ${nearest}?`
    throw new AdministrationError(`no such scope: ${unknown}${meant} There are all, ${grantable.join(', ')}`)
  }
  return asked.includes('all') ? grantable : grantable.filter(scope => asked.includes(scope))
}
