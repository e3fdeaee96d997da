import type { CallOutcome } from './outcome.rules.ts'

/** Where a replay begins: as another worker has left it. */
export interface ReplayStart {
  readonly id: string
  /** The number of its last event. */
  readonly toSeq: number
  /** The numbers of the events that are sent; null: all up to the last one. */
  readonly only: readonly number[] | null
  readonly counts: ReplayCounts
}

interface ReplayCounts {
  readonly delivered: number
  /** Events that the receiver has refused. */
  readonly failed: number
  /** Events that the feed had no longer when they were due. */
  readonly gone: number
}

/** How far a replay has come. */
export interface ReplayProgress extends ReplayCounts {
  readonly id: string
  readonly isEnded: boolean
  /** Why it has ended before its last event, in one word; null if it has not. */
  readonly reason: string | null
}

/** Which events a replay sends, and what has become of them. */
export class ReplayCourse {
  readonly id: string
  readonly #toSeq: number
  /** Ascending. */
  readonly #only: readonly number[] | null
  readonly #wanted: ReadonlySet<number>
  #counts: ReplayCounts
  #leftOutTo = 0
  #stopped: string | null = null

  constructor({ id, toSeq, only, counts }: ReplayStart) {
    this.id = id
    this.#toSeq = toSeq
    this.#only = only?.toSorted((one, other) => one - other) ?? null
    this.#wanted = new Set(only)
    this.#counts = counts
  }

  /** The last number to read, if this is the end of the feed. */
  lastOf(headSeq: number): number {
    return Math.min(headSeq, this.#toSeq)
  }

  has(seq: number): boolean {
    return seq <= this.#toSeq && (this.#only === null || this.#wanted.has(seq))
  }

  /** Everything after `seq` and up to the returned number has no event of the replay. */
  emptyAfter(seq: number): number {
    if (this.#only === null) return seq
    return (this.#only.find(each => each > seq) ?? this.#toSeq + 1) - 1
  }

  /** A call for one event has ended. Counts deliveries and refusals; other calls are made again. */
  count({ kind }: Pick<CallOutcome, 'kind'>): void {
    const { delivered, failed } = this.#counts
    if (kind === 'delivered') this.#counts = { ...this.#counts, delivered: delivered + 1 }
    if (kind === 'refused') this.#counts = { ...this.#counts, failed: failed + 1 }
  }

  /** The feed has nothing before `oldest` any more: returns the number up to which nothing can be sent. */
  leaveOut(readSeq: number, oldest: number): number {
    const toSeq = Math.max(readSeq, Math.min(oldest - 1, this.#toSeq))
    // A lane that was held in between comes here once more.
    const fromSeq = Math.max(readSeq, this.#leftOutTo)
    this.#leftOutTo = Math.max(fromSeq, toSeq)
    const gone = this.#only?.filter(seq => seq > fromSeq && seq <= toSeq).length ?? this.#leftOutTo - fromSeq
    this.#counts = { ...this.#counts, gone: this.#counts.gone + gone }
    return toSeq
  }

  /** Ends it before its last event. */
  stop(reason: string): void {
    this.#stopped = reason
  }

  get isStopped(): boolean {
    return this.#stopped !== null
  }

  /** How far it has come when everything up to `settledSeq` is done. */
  progress(settledSeq: number): ReplayProgress {
    const isEnded = this.#stopped !== null || settledSeq >= this.#toSeq
    return { id: this.id, ...this.#counts, isEnded, reason: this.#stopped }
  }
}
