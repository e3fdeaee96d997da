import { retryDelay } from './outcome.rules.ts'

/** An event that its receiver has refused, or one that waits behind such an event of its record. */
export interface ParkedEvent {
  readonly seq: number
  readonly resourceId: string
  /** What is still to be sent of it, in this order. */
  readonly kinds: readonly string[]
  /** Older updates of the record that it stands for, ascending. */
  readonly mergedSeqs: readonly number[]
  /** 0 for an event that waits behind another one. */
  readonly attempts: number
  /** When it is due; null while it waits behind another one. */
  readonly nextAt: number | null
  readonly lastStatus: number | null
}

interface Refused {
  readonly seqs: readonly number[]
  readonly resourceId: string
  readonly kinds: readonly string[]
  readonly attempts: number
  readonly isParked: boolean
}

/** The most parked events of a subscription, and of one record. */
export const mostParked = 1000
export const mostParkedOfRecord = 100

/** How many updates one event stands for at most. */
export const mostMerged = 100

/** The parked events of a subscription, by record, the oldest of a record first. Only that one is sent. */
export class ParkedEvents {
  readonly #records = new Map<string, ParkedEvent[]>()
  #count = 0
  /** No event is due before. */
  #earliest = Number.NEGATIVE_INFINITY
  /** What has changed since the last look: the event, or null where it was removed. */
  readonly #changes = new Map<number, ParkedEvent | null>()

  constructor(events: readonly ParkedEvent[]) {
    for (const event of events.toSorted((one, other) => one.seq - other.seq)) {
      this.#records.set(event.resourceId, [...(this.#records.get(event.resourceId) ?? []), event])
      this.#count += 1
    }
  }

  get count(): number {
    return this.#count
  }

  has(resourceId: string): boolean {
    return this.#records.has(resourceId)
  }

  /** The changes since the last call. */
  takeChanges(): ReadonlyMap<number, ParkedEvent | null> {
    const taken = new Map(this.#changes)
    this.#changes.clear()
    return taken
  }

  /** Changes that could not be stored, unless later ones replace them. */
  giveBack(changes: ReadonlyMap<number, ParkedEvent | null>): void {
    for (const [seq, change] of changes) if (!this.#changes.has(seq)) this.#changes.set(seq, change)
  }

  /** The lowest event that is due and whose record is not busy; null if there is none. */
  due(now: number, isBusy: (resourceId: string) => boolean): ParkedEvent | null {
    if (now < this.#earliest) return null
    let found: ParkedEvent | null = null
    let earliest = Number.POSITIVE_INFINITY
    for (const [resourceId, [first]] of this.#records) {
      if (first === undefined) continue
      const at = first.nextAt ?? now
      earliest = Math.min(earliest, at)
      if (at <= now && !isBusy(resourceId) && (found === null || first.seq < found.seq)) found = first
    }
    this.#earliest = earliest
    return found
  }

  /** Lets an event wait behind the parked one of its record, merged with the update before it if it can be; false if there is no room. */
  wait(event: Pick<ParkedEvent, 'seq' | 'kinds' | 'resourceId'>): boolean {
    const events = this.#records.get(event.resourceId) ?? []
    const last = events.at(-1)
    const { seq, kinds, resourceId } = event
    const waiting = { seq, kinds, resourceId, attempts: 0, nextAt: null, lastStatus: null }
    const mergesWith = events.length > 1 && last?.attempts === 0 && isUpdate(last) && isUpdate(event)
    if (mergesWith && last.mergedSeqs.length < mostMerged - 1) {
      this.#replace(events, events.length - 1, { ...waiting, mergedSeqs: [...last.mergedSeqs, last.seq] })
      return true
    }
    if (this.#count >= mostParked || events.length >= mostParkedOfRecord) return false
    this.#count += 1
    this.#replace(events, events.length, { ...waiting, mergedSeqs: [] })
    this.#records.set(resourceId, events)
    return true
  }

  /**
   * A receiver has refused an event: it waits for its next attempt. Nothing is changed if it was the last one (`failed`), or if there is no
   * room for another one (`full`).
   */
  refuse(
    { seqs, resourceId, kinds, attempts, isParked }: Refused,
    { now, status, random }: { readonly now: number; readonly status: number | null; readonly random: number },
  ): 'parked' | 'failed' | 'full' {
    const delay = retryDelay(attempts + 1, random)
    if (delay === null) return 'failed'
    if (!isParked && this.#count >= mostParked) return 'full'
    const events = this.#records.get(resourceId) ?? []
    const [seq = 0, ...older] = seqs.toReversed()
    const again = { attempts: attempts + 1, nextAt: now + delay, lastStatus: status }
    if (!isParked) this.#count += 1
    this.#replace(events, 0, { seq, resourceId, kinds, mergedSeqs: older.toReversed(), ...again })
    this.#records.set(resourceId, events)
    this.#earliest = Number.NEGATIVE_INFINITY
    return 'parked'
  }

  /** A message of the oldest event of the record was delivered, or given up: of these kinds others are still to be sent. */
  advance(resourceId: string, kinds: readonly string[], now: number): void {
    const events = this.#records.get(resourceId) ?? []
    const [first] = events
    if (first === undefined) return
    this.#replace(events, 0, { ...first, kinds, attempts: 0, nextAt: now, lastStatus: null })
    this.#earliest = Number.NEGATIVE_INFINITY
  }

  /** The oldest event of the record was delivered, or given up: the next one is due. */
  remove(resourceId: string, now: number): void {
    const events = this.#records.get(resourceId) ?? []
    const gone = events.shift()
    if (gone === undefined) return
    this.#count -= 1
    this.#changes.set(gone.seq, null)
    const [next] = events
    if (next === undefined) this.#records.delete(resourceId)
    else this.#replace(events, 0, { ...next, nextAt: now })
    this.#earliest = Number.NEGATIVE_INFINITY
  }

  clear(): void {
    for (const events of this.#records.values()) for (const { seq } of events) this.#changes.set(seq, null)
    this.#records.clear()
    this.#count = 0
  }

  #replace(events: ParkedEvent[], place: number, event: ParkedEvent): void {
    const before = events[place]
    if (before !== undefined && before.seq !== event.seq) this.#changes.set(before.seq, null)
    events[place] = event
    this.#changes.set(event.seq, event)
  }
}

/** A plain update says that a record has another state, and the next one says it again. Other kinds say what happened. */
export function isUpdate({ kinds: [kind = '', ...derived] }: Pick<ParkedEvent, 'kinds'>): boolean {
  return kind.endsWith('.updated') && derived.length === 0
}
