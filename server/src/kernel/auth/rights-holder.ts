import type { Reader } from '../sql/index.ts'
import type { Caller } from './caller.ts'

/**
 * On whose behalf something outlives its request, such as a link that was shown or a job that was started: a token, or a user as a member
 * of the organization. When the token ends or the user loses the right, so does what outlived.
 */
export type RightsHolder = { readonly tokenId: string } | { readonly operatorId: string }

/** What a member of an organization may do now, and the application under which members act. */
export interface RightsOfMember {
  readonly applicationId: string
  readonly permissions: ReadonlySet<string>
}

/** Finds what members may do. It is asked anew each time, because roles change while links and jobs last. */
export interface Members {
  /** null if the organization of the reader has no such member, or the user is not active. */
  find(operatorId: string, reader: Reader): Promise<RightsOfMember | null>
}

export function holderOf({ credential }: Pick<Caller, 'credential'>): RightsHolder {
  return 'token' in credential ? { tokenId: credential.token.id } : { operatorId: credential.operatorId }
}

/** When the token or the session ends; null if it does not. */
export function expiryOf({ credential }: Pick<Caller, 'credential'>): string | null {
  return 'token' in credential ? credential.token.expiresAt : new Date(credential.session.expiresAt).toISOString()
}
