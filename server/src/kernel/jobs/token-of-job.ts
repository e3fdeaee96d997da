import { unattended } from '../auth/actor.ts'
import { type ChainEnd, whyChainEnded } from '../auth/index.ts'
import type { ErrorCode } from '../errors/index.ts'
import type { JobContext } from './job.ts'

/** On whose behalf a job works. If neither a token nor a user is known, nothing ends the job. */
interface JobHolder {
  /** The token that started the job. */
  readonly tokenId: string | null
  /** The user who started it, by the id of the member. */
  readonly startedBy: string | null
  /** The scopes that the token or the user must have. */
  readonly scopes: readonly string[]
}

/** Why a job has failed. */
export interface JobFailure {
  readonly code: ErrorCode
  readonly message: string
}

/**
 * Returns why a job may not continue, or null: neither the token that started it, nor any of its successors by rotation, is valid and has
 * the scopes that the job needs; or the user who started it has lost them. Call it at the beginning of each chunk; for a token it usually
 * costs no query (contract section 2).
 */
export async function whyJobEnded(
  { tokenId, startedBy, scopes }: JobHolder,
  { organizationId, services }: Pick<JobContext, 'organizationId' | 'services'>,
): Promise<JobFailure | null> {
  if (startedBy !== null) {
    const rights = await services.members.find(startedBy, unattended(organizationId))
    const missing = scopes.filter(scope => rights?.permissions.has(scope) !== true)
    if (rights !== null && missing.length === 0) return null
    const lost = rights === null ? 'is no longer a member of the organization' : `lacks ${missing.join(', ')}`
    return { code: 'insufficient_scope', message: `The user who began the job ${lost}` }
  }
  if (tokenId === null) return null
  const chain = await services.authentication.chains.find(tokenId, unattended(organizationId))
  const end = whyChainEnded(chain, scopes, services.clock.now())
  if (end === null) return null
  return { code: end.reason === 'scopes' ? 'insufficient_scope' : 'invalid_token', message: messageOf(end) }
}

function messageOf({ reason, missing }: ChainEnd): string {
  const began = 'The token that began the job'
  if (reason === 'scopes') return `${began} lacks ${missing.join(', ')}`
  if (reason === 'application_disabled') return `The application of the token that began the job was disabled`
  return reason === 'expired' ? `${began} has expired` : `${began} was ${reason}`
}
