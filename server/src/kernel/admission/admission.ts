import { type Refusal, refuse } from '../errors/index.ts'
import type { WhenGone } from '../input/call.ts'
import { type BoundName, bounds } from '../limits/bounds.ts'
import { yieldToEventLoop } from './cooperative-yielding.ts'
import { FairSemaphore, Overloaded } from './fair-semaphore.ts'
import type { Arrivals } from './pace.ts'

/**
 * Accounts for what requests hold, per organization and in the process: running requests, bytes of bodies in memory and on disk, and bytes
 * of answers that clients have not read yet. Only a few large bodies and answers are processed at a time. A request above a bound is
 * refused before it costs anything (contract section 17.33).
 */
export class Admission implements Arrivals {
  readonly requests = new Account('organizationRequests', 'processRequests')
  readonly bodyBytes = new Account('organizationBodyBytes', 'processBodyBytes')
  readonly spoolBytes = new Account('organizationSpoolBytes', 'processSpoolBytes')
  readonly answerBytes = new Account('organizationAnswerBytes', 'processAnswerBytes')
  /** Requests that wait for a change. One without room does not wait, and is not refused. */
  readonly waits = new Account('organizationWaits', 'processWaits')
  /** Answers that go on until one side ends them, and those of each user. */
  readonly streams = new Account('organizationStreams', 'processStreams')
  readonly userStreams = new Account('userStreams', 'processStreams')
  readonly large = new FairSemaphore({
    name: 'largePlace',
    places: bounds.processLarge.most,
    perKey: bounds.organizationLarge.most,
    waiting: bounds.organizationRequests.most,
    milliseconds: bounds.largePlace.most,
  })
  readonly #refused = new Map<BoundName, number>()
  #arrived = 0
  #lastArrival = Number.NEGATIVE_INFINITY

  get arrived(): number {
    return this.#arrived
  }

  get lastArrival(): number {
    return this.#lastArrival
  }

  /** Admits a request, or refuses it (503). Call `end` on a `AdmittedRequest`. */
  enter(organizationId: string, whenGone: WhenGone): AdmittedRequest | Refusal {
    const exceeded = this.requests.exceeded(organizationId, 1) ?? this.answerBytes.exceeded(organizationId, 0)
    if (exceeded !== null) return this.refuse(exceeded)
    this.#arrived += 1
    this.#lastArrival = performance.now()
    return new AdmittedRequest(this, organizationId, whenGone)
  }

  /**
   * Counts a refusal and returns it: a 503 that names the bound. `reason` replaces the usual reason, which is that too much is under way.
   */
  refuse(bound: BoundName, reason?: string): Refusal {
    this.#refused.set(bound, (this.#refused.get(bound) ?? 0) + 1)
    const { most, of } = bounds[bound]
    const message =
      reason ?? `Too much is under way (${of}: at most ${most}); this request was not executed: try again later`
    return refuse('service_unavailable', { bound, limit: most }, message)
  }

  /** The number of refused requests since the start, by bound. */
  get refused(): ReadonlyMap<BoundName, number> {
    return this.#refused
  }

  /** The used amount of each bound of the process. */
  usage(): Partial<Record<BoundName, number>> {
    return {
      processRequests: this.requests.total,
      processBodyBytes: this.bodyBytes.total,
      processSpoolBytes: this.spoolBytes.total,
      processAnswerBytes: this.answerBytes.total,
      processWaits: this.waits.total,
      processStreams: this.streams.total,
      processLarge: this.large.usage().inside,
    }
  }
}

/** What one request holds, from its admission until its answer was read or its client is gone. */
export class AdmittedRequest {
  readonly organizationId: string
  readonly whenGone: WhenGone
  readonly #admission: Admission
  #bodyBytes = 0
  #answerBytes = 0
  #leaveLarge: (() => void) | null = null
  /** The user, once the answer is a live stream. */
  #streamOf: string | null = null
  #ended = false

  constructor(admission: Admission, organizationId: string, whenGone: WhenGone) {
    this.#admission = admission
    this.organizationId = organizationId
    this.whenGone = whenGone
    admission.requests.take(organizationId, 1)
  }

  /** Adds bytes of the body; a refusal (503) if there is no room for them. */
  takeBody(bytes: number): Refusal | null {
    const { bodyBytes } = this.#admission
    const exceeded = bodyBytes.exceeded(this.organizationId, bytes)
    if (exceeded !== null) return this.#admission.refuse(exceeded)
    if (this.#ended) return null
    bodyBytes.take(this.organizationId, bytes)
    this.#bodyBytes += bytes
    return null
  }

  /** Adds the bytes of the answer. They count until the client has read them. */
  takeAnswer(bytes: number): void {
    if (this.#ended) return
    this.#admission.answerBytes.take(this.organizationId, bytes)
    this.#answerBytes += bytes
  }

  /**
   * Gives the place among the requests back, and takes one among the live streams of the organization and of this user, until the answer has
   * ended; a refusal (503) if there is none.
   */
  beginStream(user: string): Refusal | null {
    const { requests, streams, userStreams } = this.#admission
    const exceeded = userStreams.exceeded(user, 1) ?? streams.exceeded(this.organizationId, 1)
    if (exceeded !== null) return this.#admission.refuse(exceeded)
    if (this.#ended || this.#streamOf !== null) return null
    requests.give(this.organizationId, 1)
    streams.take(this.organizationId, 1)
    userStreams.take(user, 1)
    this.#streamOf = user
    return null
  }

  /** Whether the request processes something large, and therefore yields to the event loop. */
  get isLarge(): boolean {
    return this.#leaveLarge !== null
  }

  /**
   * Waits for a slot among the requests with large bodies and answers. A request that has a slot yields to the event loop. Throws as
   * `FairSemaphore.enter` does.
   */
  async giveWay(): Promise<void> {
    if (this.#leaveLarge !== null) return yieldToEventLoop()
    const { large } = this.#admission
    const leave = await large.enter(this.organizationId, this.whenGone)
    if (this.#ended) return leave()
    this.#leaveLarge = leave
    // Meanwhile, more answers that clients do not read may have piled up.
    const exceeded = this.#admission.answerBytes.exceeded(this.organizationId, 0)
    if (exceeded !== null) throw new Overloaded(exceeded)
  }

  /** Releases the slot for large requests. */
  leaveLarge(): void {
    this.#leaveLarge?.()
    this.#leaveLarge = null
  }

  /** Releases everything that the request holds. */
  end(): void {
    if (this.#ended) return
    this.#ended = true
    this.leaveLarge()
    const { requests, streams, userStreams, bodyBytes, answerBytes } = this.#admission
    if (this.#streamOf === null) requests.give(this.organizationId, 1)
    else {
      streams.give(this.organizationId, 1)
      userStreams.give(this.#streamOf, 1)
    }
    bodyBytes.give(this.organizationId, this.#bodyBytes)
    answerBytes.give(this.organizationId, this.#answerBytes)
  }
}

/** How much of one resource is held, by each organization or user and in total. */
class Account {
  readonly #perOwner: BoundName
  readonly #inAll: BoundName
  readonly #held = new Map<string, number>()
  #total = 0

  constructor(perOwner: BoundName, inAll: BoundName) {
    this.#perOwner = perOwner
    this.#inAll = inAll
  }

  /** The bound that this amount would exceed; null if there is room. */
  exceeded(owner: string, amount: number): BoundName | null {
    const held = this.#held.get(owner) ?? 0
    if (held + amount > bounds[this.#perOwner].most) return this.#perOwner
    return this.#total + amount > bounds[this.#inAll].most ? this.#inAll : null
  }

  take(owner: string, amount: number): void {
    this.#held.set(owner, (this.#held.get(owner) ?? 0) + amount)
    this.#total += amount
  }

  give(owner: string, amount: number): void {
    const left = (this.#held.get(owner) ?? 0) - amount
    if (left > 0) this.#held.set(owner, left)
    else this.#held.delete(owner)
    this.#total -= amount
  }

  get total(): number {
    return this.#total
  }
}
