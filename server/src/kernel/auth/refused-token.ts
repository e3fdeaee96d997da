import type { Clock } from '../clock.ts'
import { bounds } from '../limits/index.ts'
import { addressBucket, normaliseAddress } from './address.ts'

/** Why a token was refused. The operator is told; the client that sent it is not, because all failures look alike. */
export type RefusalReason = 'unknown' | 'revoked' | 'application_disabled' | 'expired' | 'network'

/** A token that was refused, for the log. A text that is no token's is never told. */
export interface RefusedToken {
  readonly reason: RefusalReason
  readonly address: string
  /** Absent where the text is no token's. */
  readonly tokenId?: string
  readonly applicationId?: string
  readonly organizationId?: string
}

const second = 1000

/** Tells of refused tokens, at most once a second for each address (IPv6: /64), and of a bounded number of addresses. */
export class RefusalReporter {
  readonly #clock: Clock
  readonly #report: (refused: RefusedToken) => void
  /** When each address was told of last. The oldest stands first, because an address is put behind the others anew. */
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
      // A clock that was set back must not keep addresses silent.
      if (at > time && at <= time + second) return
      this.#told.delete(bucket)
    }
  }
}
