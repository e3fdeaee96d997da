import { createToken as drawToken, hashSecret, type ParsedToken, tokenText } from '../kernel/auth/index.ts'
import { type RecordState, Refusal } from '../kernel/index.ts'
import type { JsonObject } from '../kernel/schema/index.ts'
import type { SettingsDraft } from '../kernel/write/index.ts'
import { type Administration, administer } from './administer.ts'
import { AdministrationError, missing } from './administration-error.ts'
import { application } from './application-record.ts'
import { foundToken, needToken } from './find-token.ts'
import { token } from './token-record.ts'
import { uuidOf } from './values.ts'

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
  administration: Administration,
  { organizationId, applicationId, expiresIn, ...input }: NewToken,
): Promise<IssuedToken> {
  const id = uuidOf('application', applicationId)
  if (expiresIn !== undefined && expiresIn <= 0) throw new AdministrationError('a token is valid for some time')
  const drawn = drawToken('live')
  return administer(administration, organizationId, {
    needs: needs => needs.toLoadNested(application, id),
    decide(draft) {
      const owner = draft.record(application, id)
      if (owner === null) return missing('application', applicationId)
      const expiresAt = expiresIn === undefined ? null : timeAfter(draft, expiresIn)
      return addToken(draft, owner, drawn, { ...input }, { expiresAt })
    },
  })
}

/** Adds a token that was drawn, of the environment of its organization, and keeps what recognises it. */
export function addToken(
  draft: SettingsDraft,
  owner: RecordState,
  { tokenId, secret }: Pick<ParsedToken, 'tokenId' | 'secret'>,
  input: JsonObject,
  facts: { readonly expiresAt?: unknown; readonly rotatedFrom?: string } = {},
): IssuedToken | Refusal {
  const secretHash = `\\x${hashSecret(secret).toString('hex')}`
  const added = draft.add(token, input, { ...facts, tokenId, secretHash }, owner)
  if (added instanceof Refusal) return added
  const environment = draft.organization?.sandbox === true ? 'test' : 'live'
  const granted = Array.isArray(added.scopes) ? added.scopes.map(String) : []
  return { id: tokenId, token: tokenText({ environment, tokenId, secret }), scopes: granted }
}

/** The time that comes some milliseconds after the change. */
export function timeAfter(draft: SettingsDraft, milliseconds: number): string {
  return new Date(Date.parse(draft.write.now) + milliseconds).toISOString()
}

export interface TokenAddress {
  readonly organizationId: string
  readonly tokenId: string
}

/** Ends a token at once and for good; one that was revoked before stays as it is. */
export async function revokeToken(
  administration: Administration,
  { organizationId, tokenId }: TokenAddress,
): Promise<{ id: string }> {
  return administer(administration, organizationId, {
    needs: needToken(tokenId),
    decide(draft) {
      const found = foundToken(draft, tokenId)
      if (found instanceof Refusal) return found
      const { record } = found
      const revoked = draft.alter(token, record, {}, { revokedAt: record.revokedAt ?? draft.write.now })
      return revoked instanceof Refusal ? revoked : { id: tokenId }
    },
  })
}
