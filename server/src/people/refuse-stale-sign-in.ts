import { type SignedIn, sessionTimes } from '../kernel/auth/index.ts'
import { type Refusal, refuse, type Services } from '../kernel/index.ts'

/**
 * Refuses what needs a fresh sign-in (403): the password of the session was entered more than ten minutes ago. Such are secrets that are
 * shown once, erasing, exports of contacts, members, and the user's own password and second factor.
 */
export function refuseStaleSignIn(
  { session }: { readonly session: Pick<SignedIn['session'], 'freshAt'> },
  { clock }: Pick<Services, 'clock'>,
): Refusal | null {
  return clock.now() < session.freshAt + sessionTimes.fresh ? null : refuse('fresh_sign_in_required')
}
