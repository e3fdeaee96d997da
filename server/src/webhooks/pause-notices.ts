import { unattended } from '../kernel/index.ts'
import type { Row } from '../kernel/sql/index.ts'
import { webhookBounds } from './bounds.ts'
import { messageOfPause } from './event-body.ts'
import type { Lane, SharedByLanes } from './lane.ts'
import { retryDelay } from './outcome.rules.ts'
import { announcePause, insertNotices, selectNotices, selectPauses, settleNotice } from './pause-notices.sql.ts'
import { postMessage } from './post-message.ts'
import { type Subscription, standingOf } from './subscription.ts'

/** A webhook that the server has paused because of its receiver. */
export interface PausedWebhook {
  readonly organizationId: string
  readonly webhookId: string
  readonly reason: string | null
  /** The last number of the feed that is settled. */
  readonly position: number
}

/** Pauses are rare, so the worker reads notices only at every fifth look. */
const looksBetween = 5

type Lanes = ReadonlyMap<string, Lane>

/**
 * Tells the other webhooks of an application that one was paused. The notices are stored once for each pause, and after a crash by the next
 * worker that has the paused webhook. The worker that has the receiving webhook sends each at least once. To each webhook one notice is
 * under way at a time, before events and in one of the webhook's places for calls.
 */
export class PauseNotices {
  readonly #shared: SharedByLanes
  readonly #onPause: (paused: PausedWebhook) => void
  /** Lanes of whose pause notices are known to be stored. */
  readonly #announced = new WeakSet<Lane>()
  /** Notices that were read and are not under way yet, by webhook. */
  readonly #due = new Map<string, Row[]>()
  /** By webhook. */
  readonly #underWay = new Map<string, Promise<void>>()
  #lookedAt = Number.NEGATIVE_INFINITY

  constructor(shared: SharedByLanes, onPause: (paused: PausedWebhook) => void) {
    this.#shared = shared
    this.#onPause = onPause
  }

  /** Stores the notices of the lanes that were paused, and reads those that are due, unless others still wait. */
  async look(lanes: Lanes): Promise<void> {
    await this.#announcePauses(lanes)
    const isDue = performance.now() - this.#lookedAt >= looksBetween * webhookBounds.webhookPoll.most
    if (this.#due.size > 0 || this.#underWay.size > 0 || !isDue) return
    this.#lookedAt = performance.now()
    // Notices of webhooks that cannot be called now would hide the others behind them.
    const open = [...lanes.values()].filter(lane => lane.isOpen)
    if (open.length === 0) return
    const { services, onProgress } = this.#shared
    const now = new Date(services.clock.now()).toISOString()
    for (const row of await services.database.query(selectNotices, [...placesOf(open), now])) {
      const id = String(row.subscription_id)
      this.#due.set(id, [...(this.#due.get(id) ?? []), row])
    }
    if (this.#due.size > 0) onProgress()
  }

  /** How many notices are under way to a webhook. */
  inFlight(webhookId: string): number {
    return this.#underWay.has(webhookId) ? 1 : 0
  }

  /** Begins the calls for which the webhooks have places. `openLane` is the lane of a webhook that may be called, `others` its other calls. */
  pump(openLane: (webhookId: string) => Lane | undefined, others: (webhookId: string) => number): void {
    const { services, places } = this.#shared
    for (const [id, [row, ...rest]] of this.#due) {
      if (this.#underWay.has(id)) continue
      const lane = openLane(id)
      // A notice that cannot be sent now stays stored, and is read again.
      if (row === undefined || lane?.isOpen !== true || 'reason' in standingOf(lane.subscription, services.clock.now()))
        this.#due.delete(id)
      else if (others(id) < lane.subscription.concurrency && places.enter(lane.subscription.organizationId)) {
        if (rest.length > 0) this.#due.set(id, rest)
        else this.#due.delete(id)
        this.#underWay.set(id, this.#send(row, lane.subscription))
      }
    }
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    await Promise.all(this.#underWay.values())
  }

  async #announcePauses(lanes: Lanes): Promise<void> {
    const paused = [...lanes.values()].filter(
      lane => lane.state.condition.state === 'paused' && !this.#announced.has(lane),
    )
    if (paused.length === 0) return
    // What is not stored yet is found at the next look.
    const rows = await this.#shared.services.database.query(selectPauses, placesOf(paused))
    for (const { organization_id: organizationId, subscription_id: id, is_announced: isAnnounced } of rows) {
      if (isAnnounced !== true) await this.#announce(String(organizationId), String(id))
      const lane = lanes.get(String(id))
      if (lane !== undefined) this.#announced.add(lane)
    }
  }

  async #announce(organizationId: string, id: string): Promise<void> {
    const { database, clock } = this.#shared.services
    const transaction = await database.begin(unattended(organizationId))
    try {
      const [pause] = await transaction.query(announcePause, [organizationId, id])
      if (pause === undefined) return
      const { changed_at: at, reason, settled_seq: seq } = pause
      const now = new Date(clock.now()).toISOString()
      await transaction.commit(transaction.query(insertNotices, [organizationId, id, at, reason, seq, now]))
      this.#onPause({ organizationId, webhookId: id, reason: textIn(reason), position: Number(seq) })
    } finally {
      await transaction.rollback()
    }
  }

  async #send(row: Row, subscription: Subscription): Promise<void> {
    const { places, onFailure, onProgress } = this.#shared
    await this.#post(row, subscription).catch(onFailure)
    places.leave(subscription.organizationId)
    this.#underWay.delete(subscription.id)
    onProgress()
  }

  async #post(row: Row, subscription: Subscription): Promise<void> {
    const { services, connections } = this.#shared
    const { organizationId, id } = subscription
    const pausedAt = String(row.paused_at)
    const pause = {
      at: pausedAt,
      webhookId: String(row.paused_id),
      name: String(row.name),
      reason: textIn(row.reason),
    }
    const message = messageOfPause({ ...pause, position: Number(row.settled_seq) }, id)
    const { outcome } = await postMessage(message, subscription, { services, connections })
    const attempts = Number(row.attempts) + 1
    const delay = outcome.kind === 'delivered' ? null : retryDelay(attempts, Math.random())
    const next = delay === null ? null : new Date(services.clock.now() + delay).toISOString()
    const values = [organizationId, id, row.paused_id, pausedAt, attempts, next]
    await services.database.query(settleNotice, values, unattended(organizationId))
  }
}

/** The organizations and the webhooks of lanes, as values of a statement. */
function placesOf(lanes: Iterable<Lane>): [string[], string[]] {
  const all = [...lanes].map(({ subscription }) => subscription)
  return [[...new Set(all.map(({ organizationId }) => organizationId))], all.map(({ id }) => id)]
}

function textIn(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
