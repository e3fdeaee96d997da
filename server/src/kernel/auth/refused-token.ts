import type { Clock } from '../clock.ts'
import { bounds } from '../limits/index.ts'
import { addressBucket, normaliseAddress } from './address.ts'

/** Why a token was refused. The operator sees it; the client does not, because all failures must look alike. */
export type RefusalReason = 'unknown' | 'revoked' | 'application_disabled' | 'expired' | 'network'

/** A refused token, for the log. A text that does not have the form of a token is never logged. */
export interface RefusedToken {
  readonly reason: RefusalReason
  readonly address: string
  /** Absent if the text does not have the form of a token. */
  readonly tokenId?: string
  readonly applicationId?: string
  readonly organizationId?: string
}

const second = 1000

/** Reports refused tokens, at most once a second for each address (IPv6: /64), and for a bounded number of addresses. */
export class RefusalReporter {
  readonly #clock: Clock
  readonly #report: (refused: RefusedToken) => void
  /** The time of the last report for each address. The oldest comes first: each report moves its address to the end. */
  readonly #told = new Map<string, number>()

  constructor(clock: Clock, report: (refused: RefusedToken) => void) {
    this.#clock = clock
    this.#report = report
  }

  tell(refused: RefusedToken): void {
    const now = this.#clock.now()
    this.#forgetBefore(now - second)
    const bucket = addressBucket(refused.address)
    if (this.#told.has(bucket) || this.#told.size >= bounds.refusalAddresses.most) return
    this.#told.set(bucket, now)
    this.#report({ ...refused, address: normaliseAddress(refused.address) })
  }

  #forgetBefore(time: number): void {
    for (const [bucket, at] of this.#told) {
      // The second condition keeps a clock that was set back from silencing an address.
      if (at > time && at <= time + second) return
      this.#told.delete(bucket)
    }
  }
}
