import { addressBucket, type SignedIn } from '../../../kernel/auth/index.ts'
import {
  type Call,
  failedAuthenticationLimit,
  Refusal,
  rateWindowSeconds,
  refuse,
  type Services,
} from '../../../kernel/index.ts'
import { type Cookies, cookiesOf } from './cookies.ts'
import { type Arrived, refuseStrangers } from './own-site.ts'

/** A request that comes from where it should, with its cookies. */
interface AdmittedVisit {
  readonly cookies: Cookies
}

/** Refuses a request for another host, from a foreign page, or over http from another machine; else returns its cookies. */
export function admitVisit(call: Arrived, services: Services, isForm = false): AdmittedVisit | Refusal {
  const refusal = refuseStrangers(call, services.publicBaseUrl, isForm)
  if (refusal !== null) return refusal
  const cookies = cookiesOf(call, services.secret)
  return cookies === null ? refuse('sign_in_not_possible') : { cookies }
}

/**
 * Gate 2 of the cabinet: the user whose session the cookie names. Neither `Authorization` nor `X-Api-Token` is looked at. An address whose
 * cookies fail too often gets 429 for them, while sessions go on. `isForm` is whether the request has to be a form with files, `isUse` whether
 * the session counts as used. A read that the page makes by itself does not: nobody has touched it lately.
 */
export async function authenticateSession(
  call: Pick<Call, keyof Arrived>,
  services: Services,
  isForm = false,
  isUse = true,
): Promise<SignedIn | Refusal> {
  const visit = admitVisit(call, services, isForm)
  return visit instanceof Refusal ? visit : findSignedIn(visit.cookies, call, services, isUse)
}

/** The same for a request that was admitted. */
export async function findSignedIn(
  { session }: Cookies,
  { address, method, header }: Pick<Call, 'address' | 'method' | 'header'>,
  services: Services,
  isUse = true,
): Promise<SignedIn | Refusal> {
  if (session === null) return refuse('not_signed_in')
  const isUnattended = method === 'GET' && header('x-crm-unattended') === '1'
  const found = await services.authentication.sessions.find(session, address, isUse && !isUnattended)
  if (found !== null) return found
  const failures = await services.counters.add(`failed-session:${addressBucket(address)}`)
  if (failures === null || failures <= failedAuthenticationLimit) return refuse('not_signed_in')
  const details = {
    bucket: 'failed_authentication',
    limit: failedAuthenticationLimit,
    windowSeconds: rateWindowSeconds,
  }
  return refuse('rate_limit_exceeded', { ...details, retryAfterSeconds: services.counters.secondsLeft() })
}
