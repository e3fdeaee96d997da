import { CompletedNumbers } from './completed-numbers.rules.ts'
import { active, type LaneCondition } from './lane-condition.rules.ts'
import { type CallOutcome, longestHold, probeDelay } from './outcome.rules.ts'
import { isUpdate, mostMerged, type ParkedEvent, ParkedEvents } from './parked-events.rules.ts'

/** What a lane has to know of an event. */
export interface LaneEvent {
  readonly seq: number
  /** What to send of it, one message for each kind in this order: its own, and one that is derived from it. */
  readonly kinds: readonly string[]
  readonly resourceId: string
}

/** One call: the newest event, and the older updates of its record that it stands for. */
export interface Sending<E> {
  /** Ascending; the last one is the event that is sent. */
  readonly seqs: readonly number[]
  readonly resourceId: string
  /** The events in the order of their numbers; empty for a parked one, which has to be read again. */
  readonly events: readonly E[]
  /** What is still to be sent of the event; this call sends the first. */
  readonly kinds: readonly string[]
  /** How often this message was sent before. */
  readonly attempts: number
  readonly isParked: boolean
  readonly isProbe: boolean
}

/** The wanted events after `fromSeq`, when everything up to `toSeq` was looked at. */
export interface Page<E> {
  readonly fromSeq: number
  readonly toSeq: number
  readonly events: readonly E[]
}

/** How many events to read, and up to which number. */
export interface LaneRoom {
  readonly most: number
  readonly lastSeq: number
}

/** Where a lane begins: as another worker has left it. */
export interface LaneStart {
  readonly settledSeq: number
  readonly holes: Uint8Array
  readonly condition: LaneCondition
  readonly parked: readonly ParkedEvent[]
  /** The most calls at a time. */
  readonly concurrency: number
  /** Sends each event by itself and until it was answered: merges nothing, and parks nothing that was refused. */
  readonly isReplay?: boolean
}

/** How many events a lane holds at most, and how far behind the lowest open one the highest may be: 64 bytes of bits. */
export const heldEvents = 256
const heldNumbers = 512

/** Why a lane is held that has no room for more parked events: then only parked ones are sent. */
export const tooManyParked = 'too_many_parked'

const pageOfActive = 200
const pageOfHeld = 20
const failuresThatHold = 5
const successesForOneMore = 10

/**
 * The deliveries of one subscription: which event may go next, and what becomes of it. Up to `concurrency` events are under way at once, but
 * never two of one record; while an event of a record is parked, its later ones wait behind it, and other records go on. An event that has
 * waited and is a plain update is merged into the next one of its record. Knows neither the network nor the database.
 */
export class LaneState<E extends LaneEvent> {
  readonly #concurrency: number
  readonly #isReplay: boolean
  readonly #random: () => number
  /** Events that were read and are neither delivered nor parked, ascending; those under way are among them. */
  readonly #open = new Map<number, E>()
  /** What is still to be sent of events that are neither delivered nor parked, where a message was sent already. */
  readonly #rest = new Map<number, readonly string[]>()
  readonly #done: CompletedNumbers
  readonly #inFlight = new Map<string, Sending<E>>()
  readonly parked: ParkedEvents
  /** Everything up to this number was looked at. */
  #read: number
  /** The highest number that was looked at: above `#read` while events that were forgotten have to be read again. */
  #highestRead: number
  #condition: LaneCondition
  #limit: number
  #successes = 0
  /** The records of the failures since the last success. */
  readonly #failing = new Set<string>()
  /** While the receiver is told that events are missing: the position until it has been told. */
  #beforeReset: number | null = null

  constructor(start: LaneStart, random: () => number = Math.random) {
    this.#concurrency = start.concurrency
    this.#isReplay = start.isReplay === true
    this.#random = random
    this.#read = start.settledSeq
    this.#highestRead = start.settledSeq
    this.#done = new CompletedNumbers(start.settledSeq, start.holes)
    this.#condition = start.condition
    this.#limit = start.condition.state === 'active' ? start.concurrency : 1
    this.parked = new ParkedEvents(start.parked)
    this.#endHoldForRoom()
  }

  get condition(): LaneCondition {
    return this.#condition
  }

  /** Everything up to this number is delivered, parked or not wanted. */
  get settledSeq(): number {
    if (this.#beforeReset !== null) return this.#beforeReset
    const [lowest] = this.#open.keys()
    return lowest === undefined ? this.#read : lowest - 1
  }

  get readSeq(): number {
    return this.#read
  }

  /** How many calls are under way. */
  get inFlight(): number {
    return this.#inFlight.size
  }

  /** How many events are held in memory. */
  get held(): number {
    return this.#open.size
  }

  /** The events that are held. */
  get open(): readonly E[] {
    return [...this.#open.values()]
  }

  /** Those of them that may be sent next: no call about their record is under way. */
  get waiting(): readonly E[] {
    return this.open.filter(({ resourceId }) => !this.#inFlight.has(resourceId))
  }

  get isResetting(): boolean {
    return this.#beforeReset !== null
  }

  /** A bit for each number behind `settledSeq` that is done. */
  holes(): Buffer {
    return this.#done.bitsAfter(this.settledSeq)
  }

  /** The room for events after `readSeq`; null while there is none. */
  room(now: number): LaneRoom | null {
    const { state, reason, resumeAt } = this.#condition
    if (state === 'paused' || reason === tooManyParked || this.isResetting) return null
    if (state === 'held') {
      const isDue = this.#inFlight.size === 0 && this.#open.size === 0 && now >= (resumeAt ?? 0)
      return isDue ? { most: pageOfHeld, lastSeq: Number.MAX_SAFE_INTEGER } : null
    }
    if (this.#open.size === 0) return { most: pageOfActive, lastSeq: Number.MAX_SAFE_INTEGER }
    const lastSeq = this.settledSeq + heldNumbers
    if (this.#open.size > heldEvents / 2 || this.#read >= lastSeq) return null
    return { most: pageOfActive, lastSeq }
  }

  /** Takes the wanted events of a page, as far as there is room. A page that no longer begins at `readSeq` is dropped. */
  accept({ fromSeq, toSeq, events }: Page<E>, now: number): void {
    const isFalling = this.#condition.state !== 'active' && this.#inFlight.size > 0
    if (fromSeq !== this.#read || isFalling || this.isResetting) return
    this.#highestRead = Math.max(this.#highestRead, toSeq)
    for (const event of events) {
      if (!this.#done.has(event.seq) && !this.#take(event, now)) {
        this.#read = event.seq - 1
        // What was taken before an event that is too far ahead is there to be sent, also as a probe.
        if (this.#condition.reason === tooManyParked) this.#forgetWhileHeld()
        return
      }
    }
    this.#read = toSeq
  }

  #take(event: E, now: number): boolean {
    // With nothing open, everything before this event is settled.
    const lowest = this.#open.size === 0 ? event.seq - 1 : this.settledSeq
    if (event.seq > lowest + heldNumbers) return false
    if (this.parked.has(event.resourceId)) {
      if (this.parked.wait(event)) this.#done.add(event.seq)
      else this.#hold(tooManyParked, now)
      return this.#done.has(event.seq)
    }
    if (this.#open.size >= heldEvents) return false
    this.#open.set(event.seq, event)
    return true
  }

  /** The call to make next; null if none may be made now. It is under way until `complete` or `putBack`. */
  next(now: number): Sending<E> | null {
    const { state, resumeAt } = this.#condition
    if (state === 'paused') return null
    const isProbe = state === 'held'
    if (isProbe && (this.#inFlight.size > 0 || now < (resumeAt ?? 0))) return null
    if (this.#inFlight.size >= this.#limit) return null
    const due = this.isResetting ? null : this.parked.due(now, id => this.#inFlight.has(id))
    const sending = due === null ? this.#free(isProbe) : sendingOf<E>(due, isProbe)
    if (sending !== null) this.#inFlight.set(sending.resourceId, sending)
    return sending
  }

  /** The lowest open event whose record is not busy, with the updates that it can be merged with. */
  #free(isProbe: boolean): Sending<E> | null {
    if (this.#condition.reason === tooManyParked) return null
    for (const event of this.#open.values()) {
      if (this.#inFlight.has(event.resourceId)) continue
      const events = this.#mergedWith(event)
      const seqs = events.map(({ seq }) => seq)
      const kinds = this.#rest.get(event.seq) ?? event.kinds
      return { seqs, resourceId: event.resourceId, events, kinds, attempts: 0, isParked: false, isProbe }
    }
    return null
  }

  #mergedWith(first: E): E[] {
    const events = [first]
    if (this.#isReplay || !isUpdate(first)) return events
    for (const event of this.#open.values()) {
      if (event.seq <= first.seq || event.resourceId !== first.resourceId) continue
      if (!isUpdate(event) || events.length === mostMerged) break
      events.push(event)
    }
    return events
  }

  /** A call was not made, or nobody knows what came of it: the event is sent again. */
  putBack({ resourceId }: Pick<Sending<E>, 'resourceId'>): void {
    this.#inFlight.delete(resourceId)
    this.#forgetWhileHeld()
  }

  /** A parked event can be sent no more, because the feed no longer has it. */
  giveUp(sending: Sending<E>, now: number): void {
    this.#inFlight.delete(sending.resourceId)
    this.#remove(sending, now)
    this.#forgetWhileHeld()
  }

  /** The receiver is not told of this event, so no call was made. One that is held is called with the next event instead. */
  omit(sending: Sending<E>, now: number): void {
    this.#inFlight.delete(sending.resourceId)
    this.#remove(sending, now)
    if (!sending.isProbe) this.#forgetWhileHeld()
  }

  /** With nothing that could be sent, a hold ends; returns whether one did. The next call tells whether the receiver is well. */
  endHoldOfNothing(): boolean {
    const isIdle = this.#inFlight.size === 0 && this.#open.size === 0 && this.parked.count === 0 && !this.isResetting
    if (this.#condition.state !== 'held' || !isIdle || this.#read < this.#highestRead) return false
    this.#condition = active
    return true
  }

  /** A call has ended. */
  complete(sending: Sending<E>, outcome: CallOutcome, now: number): void {
    this.#inFlight.delete(sending.resourceId)
    // A receiver must hear that events are missing before it hears of anything else.
    const kind = outcome.kind === 'refused' && this.isResetting ? 'down' : outcome.kind
    if (kind === 'delivered') this.#delivered(sending, now)
    else if (kind === 'refused') this.#refused(sending, outcome, now)
    else if (kind === 'gone') this.#pause('gone', now)
    // Only the probe tells something new of a receiver that is held.
    else if (this.#condition.state !== 'held' || sending.isProbe)
      this.#hold(outcome.failure ?? 'status', now, outcome.retryAfter)
    this.#forgetWhileHeld()
  }

  #delivered(sending: Sending<E>, now: number): void {
    this.#advance(sending, now)
    if (this.isResetting) this.#endReset()
    this.#failing.clear()
    if (this.#condition.state === 'held') {
      if (!sending.isProbe) return
      this.#condition = active
      this.#limit = 1
      this.#successes = 0
      return
    }
    this.#successes += 1
    if (this.#successes % successesForOneMore === 0) this.#limit = Math.min(this.#concurrency, this.#limit + 1)
  }

  #refused(sending: Sending<E>, { status }: CallOutcome, now: number): void {
    if (status !== null && status >= 500) this.#limit = Math.max(1, Math.floor(this.#limit / 2))
    const again = { now, status, random: this.#random() }
    const outcome = this.#isReplay ? 'failed' : this.parked.refuse(sending, again)
    if (outcome === 'full') return this.#hold(tooManyParked, now)
    if (outcome === 'failed') this.#advance(sending, now)
    else if (!sending.isParked) this.#moveBehind(sending, now)
    this.#failing.add(sending.resourceId)
    const { state, reason } = this.#condition
    if (state === 'held' ? sending.isProbe : this.#failing.size >= failuresThatHold)
      this.#hold(reason === tooManyParked ? tooManyParked : 'failures', now)
  }

  /** The event is parked now: it is done here, and the later ones of its record wait behind it. */
  #moveBehind({ seqs, resourceId }: Sending<E>, now: number): void {
    for (const seq of seqs) this.#close(seq)
    for (const event of this.#open.values()) {
      if (event.resourceId !== resourceId) continue
      // What has no room stays open, and nothing open is sent until there is some.
      if (!this.parked.wait(event)) return this.#hold(tooManyParked, now)
      this.#close(event.seq)
    }
  }

  #hold(reason: string, now: number, retryAfter: number | null = null): void {
    const before = this.#condition
    if (before.state === 'paused') return
    const failures = before.failures + 1
    const failingSince = before.failingSince ?? now
    if (now - failingSince >= longestHold) return this.#pause(reason, now)
    const resumeAt = now + Math.max(probeDelay(failures), retryAfter ?? 0)
    this.#condition = { state: 'held', reason, failures, failingSince, resumeAt }
    this.#limit = 1
  }

  #pause(reason: string, now: number): void {
    const { failures, failingSince } = this.#condition
    this.#condition = { state: 'paused', reason, failures, failingSince: failingSince ?? now, resumeAt: null }
  }

  /** A message was delivered, or given up: the next one of the event follows, if there is one. */
  #advance(sending: Sending<E>, now: number): void {
    const [, ...kinds] = sending.kinds
    if (kinds.length === 0) this.#remove(sending, now)
    else if (sending.isParked) this.parked.advance(sending.resourceId, kinds, now)
    else for (const seq of sending.seqs) this.#rest.set(seq, kinds)
  }

  #remove({ seqs, resourceId, isParked }: Sending<E>, now: number): void {
    if (isParked) this.parked.remove(resourceId, now)
    else for (const seq of seqs) this.#close(seq)
    this.#endHoldForRoom()
  }

  /** With nothing parked there is room again, and no parked event whose delivery would end the hold. */
  #endHoldForRoom(): void {
    if (this.#condition.reason !== tooManyParked || this.#condition.state !== 'held' || this.parked.count > 0) return
    this.#condition = active
    this.#limit = 1
  }

  #close(seq: number): void {
    this.#open.delete(seq)
    this.#rest.delete(seq)
    this.#done.add(seq)
  }

  /** A receiver that is down costs no memory: its events are read again when it is called again. */
  #forgetWhileHeld(): void {
    if (this.#condition.state !== 'active') this.forget()
  }

  /** Holds nothing more, unless calls are under way: the events are read again when there is a use for them. */
  forget(): void {
    if (this.#inFlight.size > 0) return
    this.#read = this.settledSeq
    this.#beforeReset = null
    this.#open.clear()
  }

  /** The events after `settledSeq` cannot be delivered: tells the receiver so, with this event, which has the number of the head. */
  beginReset(event: E): void {
    if (this.#inFlight.size > 0) throw new Error('events are under way')
    this.#beforeReset = this.settledSeq
    this.#open.clear()
    this.#open.set(event.seq, event)
    this.#read = event.seq
    this.#highestRead = event.seq
  }

  /** The receiver knows: deliveries go on from the head, and nothing from before is sent again. */
  #endReset(): void {
    this.#beforeReset = null
    this.#done.clear()
    this.#rest.clear()
    this.parked.clear()
  }
}

function sendingOf<E>({ seq, mergedSeqs, ...parked }: ParkedEvent, isProbe: boolean): Sending<E> {
  const { resourceId, kinds, attempts } = parked
  return { seqs: [...mergedSeqs, seq], resourceId, events: [], kinds, attempts, isParked: true, isProbe }
}
