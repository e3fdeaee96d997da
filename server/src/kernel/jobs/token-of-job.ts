import { unattended } from '../auth/actor.ts'
import { type ChainEnd, whyChainEnded } from '../auth/index.ts'
import type { ErrorCode } from '../errors/index.ts'
import type { JobContext } from './job.ts'

/** The token on whose behalf a job works. */
interface JobToken {
  /** The token that started the job; null if none is known, in which case nothing ends the job. */
  readonly tokenId: string | null
  /** The scopes that the token must have. */
  readonly scopes: readonly string[]
}

/** Why a job has failed. */
export interface JobFailure {
  readonly code: ErrorCode
  readonly message: string
}

/**
 * Returns why a job may not continue, or null: neither the token that started it, nor any of its successors by rotation, is valid and has
 * the scopes that the job needs. Call it at the beginning of each chunk; it usually costs no query (contract section 2).
 */
export async function whyJobEnded(
  { tokenId, scopes }: JobToken,
  { organizationId, services }: Pick<JobContext, 'organizationId' | 'services'>,
): Promise<JobFailure | null> {
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
