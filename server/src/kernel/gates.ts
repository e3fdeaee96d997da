import { explainMissing } from './abilities/merge/explain-missing.ts'
import { type Caller, refuseMissingScopes, sessionTimes } from './auth/index.ts'
import { Refusal, refuse } from './errors/index.ts'
import type { Arrival, Input, RequestLease } from './gates/entry.ts'
import { readRequest } from './gates/syntax.ts'
import { type Counters, rateWindowSeconds } from './limits/index.ts'
import type { Operation, Success } from './operation.ts'
import type { Services } from './services.ts'

/**
 * Gates 3 to 5, then a slot: what the caller may do, and whether there is room. Every request passes the gates in their order, and the
 * first gate that refuses determines the answer (contract section 1). Before this, the entrypoint has assigned the request id (gate 0),
 * and found the operation (gate 1) and the caller (gate 2). The entrypoint releases the slot when the answer has been read.
 */
export async function enter(
  operation: Operation,
  caller: Caller,
  arrival: Arrival,
  services: Pick<Services, 'admission' | 'clock' | 'counters'>,
): Promise<RequestLease | Refusal> {
  const forbidden = refuseCaller(operation, arrival, caller) ?? refuseStale(operation, caller, services.clock.now())
  if (forbidden !== null) return forbidden
  const limited = await limitRate(arrival.rateBucket, caller.rate, services.counters, arrival.headers)
  if (limited !== null) return limited
  const admitted = services.admission.enter(caller.organization.id, arrival.whenGone)
  return admitted instanceof Refusal ? admitted : { operation, caller, arrival, admitted }
}

/** Gates 7 to 16, after `enter` and the reading of the body (gate 6). Gates 9 to 16 of a write are one transaction: see write.ts. */
export async function run(lease: RequestLease, input: Input, services: Services): Promise<Success | Refusal> {
  const request = await readRequest(lease, input, services.secret)
  if (request instanceof Refusal) return request
  const { operation, caller } = lease
  const refusal = refuseMissingScopes(operation.valueScopes?.(request.body) ?? [], caller)
  if (refusal !== null) return refusal
  const { whenLeft, waited, lastEventId } = lease.arrival
  const beginStream = (user: string) => lease.admitted.beginStream(user)
  const waiting = { whenLeft, waited, lastEventId, beginStream, passAgain: () => passAgain(lease) }
  const outcome = await operation.execute(request, services, waiting)
  return outcome instanceof Refusal ? explainMissing(outcome, request, services) : outcome
}

/** Gates 3 and 4. */
function refuseCaller(operation: Operation, { query }: Arrival, caller: Caller): Refusal | null {
  const forbidden = refuseMissingScopes([...operation.scopes, ...(operation.scopesOf?.(query, caller) ?? [])], caller)
  if (forbidden !== null) return forbidden
  const isElsewhere = caller.organization.crmProvider !== 'built_in'
  return operation.conventions.needsBuiltInCrm && isElsewhere ? refuse('crm_provider_not_supported') : null
}

/** Whether a user has to enter their password once more (gate 3). */
function refuseStale({ needsFreshSignIn }: Operation, { credential }: Caller, now: number): Refusal | null {
  if (!needsFreshSignIn || !('session' in credential)) return null
  return now < credential.session.freshAt + sessionTimes.fresh ? null : refuse('fresh_sign_in_required')
}

/**
 * Gates 2 to 4 once more for a user whose request had a body, because sending it may take minutes: a session that ended meanwhile changes
 * nothing any more, and a right that was lost is not used.
 */
export async function passAfterBody(lease: RequestLease): Promise<RequestLease | Refusal> {
  if (lease.operation.body === null || !('session' in lease.caller.credential)) return lease
  const caller = await passAgain(lease)
  return caller instanceof Refusal ? caller : { ...lease, caller }
}

/** Gates 2 to 4 once more, for a request that has waited. */
async function passAgain({ operation, arrival }: RequestLease): Promise<Caller | Refusal> {
  const caller = await arrival.authenticateAgain()
  return caller instanceof Refusal ? caller : (refuseCaller(operation, arrival, caller) ?? caller)
}

/** Gate 5: counts a request against the rate limit of its owner, and adds the rate limit headers to `headers`. */
export async function limitRate(
  bucket: 'read' | 'write',
  rate: Caller['rate'],
  counters: Counters,
  headers: Record<string, string>,
): Promise<Refusal | null> {
  const limit = rate[bucket]
  const counted = await counters.count(`${bucket}:${rate.owner}`, limit)
  if (counted === null) return refuse('rate_limiter_unavailable')
  Object.assign(headers, counted.headers)
  if (counted.isWithin) return null
  const retryAfterSeconds = counters.secondsLeft()
  return refuse('rate_limit_exceeded', { bucket, limit, windowSeconds: rateWindowSeconds, retryAfterSeconds })
}
