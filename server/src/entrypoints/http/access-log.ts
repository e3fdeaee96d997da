import { bounds } from '../../kernel/index.ts'
import type { AnsweredRequest } from './server.ts'

/** Which requests the access log contains: those that were refused or failed, or all. */
export type AccessLogForm = 'errors' | 'all'

/** What a line records about a request: ids of the installation, names from the code, and numbers. Never what a client has sent. */
export interface AccessLogLine
  extends Pick<AnsweredRequest, 'requestId' | 'operation' | 'method' | 'status' | 'bytes'> {
  /** The application of its token; null without a valid token. */
  readonly application: string | null
  /** Time until the answer was ready, in milliseconds. */
  readonly ms: number
  /** The error code, if the request was refused. */
  readonly code?: string
  /** How many requests the line stands for, this one included; absent for one. */
  readonly requests?: number
}

const second = 1000

/**
 * Logs answered requests, a line each. If a process answers more requests per second than it may log, it logs a sample, whose rate follows
 * from the count of the previous second. The sum of `requests` is still the number of all requests.
 */
export class AccessLog {
  readonly #form: AccessLogForm
  readonly #write: (line: AccessLogLine) => void
  readonly #now: () => number
  /** The current second, its number of requests, and its number of lines. */
  #second = Number.NEGATIVE_INFINITY
  #seen = 0
  #written = 0
  /** One request in this many gets a line. */
  #oneIn = 1
  /** Requests since the last line. */
  #untold = 0

  /** `now` is a monotonic clock in milliseconds. */
  constructor(form: AccessLogForm, write: (line: AccessLogLine) => void, now = () => performance.now()) {
    this.#form = form
    this.#write = write
    this.#now = now
  }

  note({ requestId, operation, method, application, status, seconds, bytes, code }: AnsweredRequest): void {
    if (this.#form === 'errors' && status < 400) return
    this.#untold += 1
    if (!this.#isChosen()) return
    const requests = this.#untold
    this.#untold = 0
    const ms = Math.round(seconds * 10_000) / 10
    const facts = { requestId, operation, method, application, status, ms, bytes }
    this.#write({ ...facts, ...(code === undefined ? {} : { code }), ...(requests === 1 ? {} : { requests }) })
  }

  #isChosen(): boolean {
    const now = Math.floor(this.#now() / second)
    if (now !== this.#second) {
      const wasJustBefore = now === this.#second + 1
      this.#oneIn = wasJustBefore ? Math.max(1, Math.ceil(this.#seen / bounds.accessLogLines.most)) : 1
      this.#second = now
      this.#seen = 0
      this.#written = 0
    }
    this.#seen += 1
    if (this.#written >= bounds.accessLogLines.most || this.#seen % this.#oneIn !== 0) return false
    this.#written += 1
    return true
  }
}
