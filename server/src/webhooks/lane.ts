import type { ChangeRow } from '../crm/changes/index.ts'
import type { LaterEvents } from '../kernel/feed/index.ts'
import type { Services } from '../kernel/index.ts'
import { kibibyte } from '../kernel/limits/index.ts'
import type { KeptConnections } from '../kernel/outbound/index.ts'
import type { CallPlaces } from './call-places.ts'
import { composeMessage } from './compose-message.ts'
import { type EventMessage, messageOfReset } from './event-body.ts'
import type { EventRoom } from './event-room.ts'
import { type LaneRoom, type LaneStart, LaneState, type Sending } from './lane.rules.ts'
import { type FeedHead, type FeedReads, type HeldEvent, LaneFeed, type Missing } from './lane-feed.ts'
import { LaneRecords } from './lane-records.ts'
import { type CallOutcome, outcomeWithoutAnswer } from './outcome.rules.ts'
import { postMessage } from './post-message.ts'
import { readableTypes } from './readable-types.ts'
import { freshMilliseconds } from './record-batches.ts'
import { ReplayCourse, type ReplayStart } from './replay-course.rules.ts'
import { type Settlement, Unsettled } from './settlement.ts'
import { type Subscription, standingOf } from './subscription.ts'

/** What all lanes of a process share. */
export interface SharedByLanes extends FeedReads {
  readonly services: Services
  readonly eventRoom: EventRoom
  readonly connections: KeptConnections
  readonly places: CallPlaces
  /** There is something to settle, or a place for another call. */
  onProgress(): void
  onFailure(error: unknown): void
}

/** Where a worker has taken a webhook over. */
export interface LanePosition extends LaneStart {
  readonly token: number
  readonly epoch: number
  /** The position is that of a replay; absent: of the webhook itself. */
  readonly replay?: ReplayStart
}

/** What an event usually takes in memory. */
const usualBytes = kibibyte

/** The resource of the event that tells of missing events. */
const noRecord = '00000000-0000-0000-0000-000000000000'

/** Delivers one webhook, or one replay of it, while this worker has it: reads, calls and collects what is to be settled. */
export class Lane {
  #subscription: Subscription
  readonly #position: LanePosition
  readonly #shared: SharedByLanes
  readonly #state: LaneState<HeldEvent>
  readonly #feed: LaneFeed
  readonly #records: LaneRecords
  readonly #readOnSoon = () => this.#readOn()
  /** The bytes of the events that it holds, as the room of the process has them. */
  #heldBytes = 0
  readonly #unsettled = new Unsettled()
  readonly #replay: ReplayCourse | null
  #epoch: number
  /** Set from when events are found to be missing until the receiver has been told. */
  #missing: Missing | null = null
  #isReading = false
  /** Something has failed here: nothing is tried before the next look. */
  #isStalled = false
  #isEnding = false
  #isLost = false
  /** Why nothing may leave, although the receiver is well. */
  #whyWithheld: string | null = null

  constructor(subscription: Subscription, position: LanePosition, shared: SharedByLanes) {
    this.#subscription = subscription
    this.#position = position
    this.#shared = shared
    this.#epoch = position.epoch
    this.#replay = position.replay === undefined ? null : new ReplayCourse(position.replay)
    this.#state = new LaneState<HeldEvent>({ ...position, isReplay: this.#replay !== null })
    this.#records = new LaneRecords(shared.services)
    this.#feed = new LaneFeed(subscription, shared, this.#readOnSoon)
  }

  /** Identifies it among all lanes: the webhook, or the replay. */
  get id(): string {
    return this.#replay?.id ?? this.#subscription.id
  }

  get subscription(): Subscription {
    return this.#subscription
  }

  /** Takes over what has changed around the webhook, such as its tokens; false if the webhook itself has changed, so that it begins anew. */
  adopt(subscription: Subscription): boolean {
    if (this.#isEnding || this.#isLost || subscription.version !== this.#subscription.version) return false
    this.#subscription = subscription
    return true
  }

  /** Another worker has the webhook: nothing that this one does counts any more. */
  get isLost(): boolean {
    return this.#isLost
  }

  get inFlight(): number {
    return this.#state.inFlight
  }

  get state(): Pick<LaneState<HeldEvent>, 'condition' | 'settledSeq' | 'held'> {
    return this.#state
  }

  /** Whether the receiver takes events, as far as this lane knows, and may be called. */
  get isOpen(): boolean {
    return !this.#isEnding && !this.#isLost && this.#whyWithheld === null && this.#state.condition.state === 'active'
  }

  /** Looks at the clock, the rights and the head of the feed. */
  look(head: FeedHead | undefined): void {
    this.#feed.look(head)
    this.#isStalled = false
    const standing = standingOf(this.subscription, this.#now)
    const why = 'reason' in standing ? standing.reason : null
    if (why !== this.#whyWithheld) this.#unsettled.touch()
    this.#unsettled.touchIfPassed()
    this.#whyWithheld = why
    if (why !== null) this.#letGo()
    this.#endHoldOfNothing()
    this.#countHeld()
    this.#readOn()
  }

  /** Begins one call, if one may be made now. `beside` is how many others of the webhook are under way. */
  sendNext(beside: number): boolean {
    if (this.inFlight + beside >= this.subscription.concurrency) return false
    if (this.#isEnding || this.#isLost || this.#isStalled || this.#whyWithheld !== null) return false
    // The receiver hears of missing events when the calls before are back.
    if (this.#missing !== null && !this.#state.isResetting) return false
    const { organizationId } = this.subscription
    if (!this.#shared.places.enter(organizationId)) return false
    const sending = this.#state.next(this.#now)
    if (sending === null) {
      this.#shared.places.leave(organizationId)
      return false
    }
    void this.#send(sending).finally(() => {
      this.#shared.places.leave(organizationId)
      this.#countHeld()
      this.#readOn()
      this.#shared.onProgress()
    })
    return true
  }

  /** Begins no more calls. */
  end(): void {
    this.#isEnding = true
    this.#shared.eventRoom.leave(this.#readOnSoon)
    this.#unsettled.touchIfPassed()
  }

  lose(): void {
    this.#isLost = true
    this.#listenNoMore()
    this.#countHeld()
  }

  /** What has happened since the last settlement; null if nothing has. */
  takeSettlement(): Settlement | null {
    if (this.#isLost) return null
    const { condition } = this.#state
    const at = this.#now
    const isWithheld = this.#whyWithheld !== null && condition.state !== 'paused'
    return this.#unsettled.take({
      subscriptionId: this.subscription.id,
      replay: this.#replay?.progress(this.#state.settledSeq) ?? null,
      token: this.#position.token,
      epoch: this.#epoch,
      settledSeq: this.#state.settledSeq,
      holes: this.#state.holes(),
      condition: isWithheld ? { ...condition, state: 'held', reason: this.#whyWithheld } : condition,
      parked: this.#state.parked,
      at,
    })
  }

  /** A settlement that was not stored. */
  giveBack(settlement: Settlement): void {
    this.#unsettled.giveBack(settlement, this.#state.parked)
  }

  get #now(): number {
    return this.#shared.services.clock.now()
  }

  #readOn(): void {
    if (this.#isReading || this.#isEnding || this.#isLost || this.#isStalled || this.#whyWithheld !== null) return
    const { head } = this.#feed
    if (this.#replay !== null && !this.#isInReplay(this.#replay, head)) return
    if (head !== null && head.epoch !== this.#epoch) this.#missing ??= { head, reason: 'epoch' }
    if (this.#missing !== null) return this.#beginReset({ ...this.#missing, ...(head === null ? {} : { head }) })
    const room = this.#state.room(this.#now)
    if (room === null) {
      this.#shared.eventRoom.leave(this.#readOnSoon)
      // A receiver that is down costs no reads.
      if (this.#state.condition.state !== 'active') this.#feed.leave()
      return
    }
    const news = this.#replay === null ? this.#feed.after(this.#state.readSeq) : null
    if (news?.events.length === 0) {
      this.#moveAlong(Math.min(news.toSeq, room.lastSeq))
      return
    }
    const pageBytes = Math.min(room.most, news?.events.length ?? room.most) * usualBytes
    if (!this.#shared.eventRoom.enter(pageBytes, this.#readOnSoon)) return
    this.#isReading = true
    this.#read(news, room)
      .catch(error => this.#fail(error))
      .finally(() => {
        this.#isReading = false
        this.#countHeld()
        this.#shared.eventRoom.give(pageBytes)
        this.#readOn()
        this.#shared.onProgress()
      })
  }

  async #read(news: LaterEvents | null, room: LaneRoom): Promise<void> {
    const standing = standingOf(this.subscription, this.#now)
    if ('reason' in standing) {
      this.#isStalled = true
      return
    }
    const readable = readableTypes(this.#shared.services, standing.scopes, this.subscription.records)
    const lastSeq = this.#replay?.lastOf(room.lastSeq) ?? room.lastSeq
    const asked = { fromSeq: this.#state.readSeq, room: { ...room, lastSeq }, readable, epoch: this.#epoch }
    const found = await this.#feed.read(news, asked)
    if (found === null) {
      this.#isStalled = true
      return
    }
    if ('reason' in found) {
      if (this.#replay === null) this.#missing = found
      else this.#leaveOut(this.#replay, found)
      return
    }
    const chosen = found.events.filter(({ seq }) => this.#replay?.has(seq) ?? true)
    this.#state.accept({ ...found, events: chosen }, this.#now)
    this.#unsettled.pass()
  }

  /** Whether there may be more events of a replay to read. Passes numbers that it does not send, without reading them. */
  #isInReplay(replay: ReplayCourse, head: FeedHead | null): boolean {
    if (head === null || replay.isStopped) return false
    if (head.epoch !== this.#epoch) this.#leaveOut(replay, { head, reason: 'epoch' })
    else this.#pass(replay.emptyAfter(this.#state.readSeq))
    return !replay.isStopped && this.#state.readSeq < replay.lastOf(head.seq)
  }

  /** The next events of a replay are gone. Another feed has other events under its numbers. */
  #leaveOut(replay: ReplayCourse, { reason, oldest = 0 }: Missing): void {
    if (reason === 'epoch') replay.stop('epoch')
    else this.#pass(replay.leaveOut(this.#state.readSeq, oldest))
    this.#unsettled.touch()
    this.#shared.onProgress()
  }

  #pass(toSeq: number): void {
    if (this.#moveAlong(toSeq)) this.#unsettled.touch()
  }

  /** Nothing up to this number is to be sent. Returns whether that is new. */
  #moveAlong(toSeq: number): boolean {
    const fromSeq = this.#state.readSeq
    if (toSeq <= fromSeq) return false
    this.#state.accept({ fromSeq, toSeq, events: [] }, this.#now)
    this.#unsettled.pass()
    return true
  }

  /** Events after the position are gone, or the feed is another one: tells the receiver when it may be called and all calls are back. */
  #beginReset(missing: Missing): void {
    const { state, resumeAt } = this.#state.condition
    const isDue = state === 'active' || (state === 'held' && this.#now >= (resumeAt ?? 0))
    if (!isDue || this.#state.inFlight > 0 || this.#state.isResetting) return
    this.#missing = missing
    const { head, reason } = missing
    const at = new Date(this.#now).toISOString()
    const missedFrom = this.#state.settledSeq + 1
    const reset = { reason, epoch: head.epoch, missedFrom, missedTo: head.seq, at }
    const message = messageOfReset(reset, this.subscription.id)
    this.#state.beginReset({
      seq: head.seq,
      kinds: ['feed.reset'],
      resourceId: noRecord,
      change: null,
      message,
      readAt: this.#now,
      bytes: 0,
    })
  }

  async #send(sending: Sending<HeldEvent>): Promise<void> {
    let outcome: CallOutcome
    const begun = this.#now
    let took = 0
    let lag: number | null = null
    let answer: string | null = null
    try {
      const message = await this.#messageOf(sending)
      if (message === 'withheld' || this.#isLost) {
        this.#state.putBack(sending)
        this.#isStalled = true
        return
      }
      if (message === null) {
        this.#state.omit(sending, this.#now)
        this.#unsettled.pass()
        return
      }
      if (message === 'expired') {
        this.#state.giveUp(sending, this.#now)
        this.#unsettled.note(sending, outcomeWithoutAnswer('expired'), { begun, took, lag })
        return
      }
      const called = await postMessage({ ...message, replayId: this.#replay?.id }, this.subscription, this.#shared)
      outcome = called.outcome
      if (this.#replay === null && message.committedAt !== null)
        lag = Math.max(0, begun - Date.parse(message.committedAt))
      took = called.took
      answer = called.answer
    } catch (error) {
      this.#state.putBack(sending)
      this.#fail(error)
      return
    }
    if (this.#isLost) return this.#state.putBack(sending)
    const wasResetting = this.#state.isResetting
    this.#state.complete(sending, outcome, this.#now)
    if (wasResetting && !this.#state.isResetting) {
      if (outcome.kind === 'delivered') this.#epoch = this.#missing?.head.epoch ?? this.#epoch
      this.#missing = null
    }
    this.#replay?.count(outcome)
    this.#unsettled.note(sending, outcome, { begun, took, lag }, answer)
  }

  /** The message, null if the webhook is not told of the event; `withheld` if nothing may leave any more, `expired` if the feed no longer has it. */
  async #messageOf(sending: Sending<HeldEvent>): Promise<EventMessage | null | 'withheld' | 'expired'> {
    const standing = standingOf(this.subscription, this.#now)
    if ('reason' in standing) return 'withheld'
    const reset = sending.events.find(({ message }) => message !== null)?.message
    if (reset !== undefined && reset !== null) return reset
    const held = sending.events.flatMap(({ change }) => change ?? [])
    const mustBeRead = sending.isParked || sending.events.some(({ readAt }) => this.#now - readAt >= freshMilliseconds)
    const changes = mustBeRead ? await this.#readAgain(sending) : held
    if (changes.length === 0) return 'expired'
    const subject = { changes, kind: sending.kinds[0] ?? '' }
    const { readSeq, waiting } = this.#state
    const asked = { subscription: this.subscription, scopes: standing.scopes, readSeq, waiting }
    return composeMessage(subject, asked, this.#records, this.#shared.services)
  }

  async #readAgain({ seqs }: Pick<Sending<HeldEvent>, 'seqs'>): Promise<ChangeRow[]> {
    const { organizationId, applicationId } = this.subscription
    const changes = await this.#shared.changes.read(organizationId, applicationId, seqs)
    return seqs.flatMap(seq => changes.get(seq) ?? [])
  }

  /** What the receiver refused is no longer wanted, and nothing else waits: there is no call that could find out whether it is well. */
  #endHoldOfNothing(): void {
    const { head } = this.#feed
    if (this.#replay !== null || this.#missing !== null || this.#isReading) return
    if (head === null || head.epoch !== this.#epoch || head.seq > this.#state.readSeq) return
    if (this.#state.endHoldOfNothing()) this.#unsettled.touch()
  }

  /** No call is allowed for a while: drops the events in memory. */
  #letGo(): void {
    this.#listenNoMore()
    this.#state.forget()
  }

  #listenNoMore(): void {
    this.#feed.leave()
    this.#shared.eventRoom.leave(this.#readOnSoon)
  }

  /** Tells the process what it holds now. */
  #countHeld(): void {
    const events = this.#state.open.reduce((sum, { bytes }) => sum + bytes, 0)
    const held = this.#isLost ? 0 : events + this.#records.bytes
    const freed = this.#heldBytes - held
    this.#heldBytes = held
    this.#shared.eventRoom.give(freed)
  }

  #fail(error: unknown): void {
    this.#isStalled = true
    this.#shared.onFailure(error)
  }
}
