import { unattended } from '../kernel/index.ts'
import { Lane, type SharedByLanes } from './lane.ts'
import { selectOpenReplays } from './replays.sql.ts'
import { takeReplay } from './take-lane.ts'

/** The lane of a webhook that this worker goes on with; undefined if it has none. */
type OpenLane = (webhookId: string) => Lane | undefined

/** The replays that a worker sends: of each webhook one at a time, the oldest, while this worker has the webhook. */
export class ReplayLanes implements Iterable<Lane> {
  readonly #shared: SharedByLanes
  /** By webhook, in the order in which they get places for calls. */
  readonly #lanes = new Map<string, Lane>()
  /** Webhooks that may have a replay that is not in `#lanes`, or one there that was canceled. */
  readonly #expected = new Set<string>()

  constructor(shared: SharedByLanes) {
    this.#shared = shared
  }

  [Symbol.iterator](): Iterator<Lane> {
    return this.#lanes.values()
  }

  /** The replay of a webhook that is sent now. */
  of(webhookId: string): Lane | undefined {
    return this.#lanes.get(webhookId)
  }

  /** A replay of the webhook may have been added or canceled. */
  expect(webhookId: string): void {
    this.#expected.add(webhookId)
  }

  /** Forgets replays that have ended, were canceled or were lost, and takes the next ones. What fails is tried again by the next call. */
  async beginNext(openLane: OpenLane): Promise<void> {
    // Calls that are under way keep their places.
    for (const [id, lane] of this.#lanes)
      if (lane.isLost && lane.inFlight === 0) {
        this.#lanes.delete(id)
        this.#expected.add(id)
      }
    const byOrganization = new Map<string, Lane[]>()
    for (const id of this.#expected) {
      const lane = openLane(id)
      if (lane === undefined) {
        this.#expected.delete(id)
        continue
      }
      const { organizationId } = lane.subscription
      byOrganization.set(organizationId, [...(byOrganization.get(organizationId) ?? []), lane])
    }
    for (const [organizationId, lanes] of byOrganization)
      await this.#begin(organizationId, lanes).catch((error: unknown) => this.#shared.onFailure(error))
  }

  async #begin(organizationId: string, lanes: readonly Lane[]): Promise<void> {
    const { services } = this.#shared
    const ids = lanes.map(({ id }) => id)
    const rows = await services.database.query(selectOpenReplays, [organizationId, ids], unattended(organizationId))
    const open = new Set(rows.map(({ id }) => id))
    const replayed = new Set(rows.map(({ subscription_id: id }) => id))
    for (const { id, subscription } of lanes) {
      const current = this.#lanes.get(id)
      if (current !== undefined && !open.has(current.id)) current.lose()
      const isNext = current === undefined && replayed.has(id)
      const position = isNext ? await takeReplay(subscription, services) : null
      if (position !== null) this.#lanes.set(id, new Lane(subscription, position, this.#shared))
      this.#expected.delete(id)
    }
  }

  /** Begins the calls that may be made now: they wait while the receiver is down or the webhook may not be sent. `others` are calls beside the lanes. */
  pump(openLane: OpenLane, others: (webhookId: string) => number): void {
    for (const [id, lane] of this.#lanes) {
      const own = openLane(id)
      if (!own?.isOpen || !lane.sendNext(own.inFlight + others(id))) continue
      this.#lanes.delete(id)
      this.#lanes.set(id, lane)
    }
  }
}
