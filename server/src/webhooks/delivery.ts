import { setTimeout as sleep } from 'node:timers/promises'
import type { Services } from '../kernel/index.ts'
import { KeptConnections, type OutboundOptions } from '../kernel/outbound/index.ts'
import { newId } from '../kernel/schema/index.ts'
import { ApplicationChanges } from './application-changes.ts'
import { webhookBounds } from './bounds.ts'
import { CallPlaces } from './call-places.ts'
import { EventRoom } from './event-room.ts'
import { ExpiringEvents, type ExpiringWebhook } from './expiring-events.ts'
import { Lane, type SharedByLanes } from './lane.ts'
import type { FeedHead } from './lane-feed.ts'
import { Leases } from './leases.ts'
import type { DeliveryObserver } from './observer.ts'
import { OrganizationClosings } from './organization-closings.ts'
import { type PausedWebhook, PauseNotices } from './pause-notices.ts'
import { ReplayLanes } from './replay-lanes.ts'
import { Settler } from './settler.ts'
import { readSubscriptions, type Subscription } from './subscription.ts'
import { selectHeadsOfFeeds } from './subscriptions.sql.ts'
import { takeLane } from './take-lane.ts'

interface DeliveryOptions {
  readonly services: Services
  /** Where receivers may be. */
  readonly outbound: OutboundOptions
  readonly observer: DeliveryObserver
  onFailure(error: unknown): void
  /** The server has paused a webhook because of its receiver. */
  onPause(paused: PausedWebhook): void
  /** A webhook is about to miss events. Called each hour. */
  onExpiring(expiring: ExpiringWebhook): void
}

/** Delivers webhooks in this process, beside other workers, until it is stopped. */
export class Delivery {
  readonly #options: DeliveryOptions
  readonly #connections: KeptConnections
  readonly #leases: Leases
  readonly #settler: Settler
  readonly #shared: SharedByLanes
  readonly #notices: PauseNotices
  readonly #expiring: ExpiringEvents
  /** By webhook, in the order in which they get places for calls. */
  readonly #lanes = new Map<string, Lane>()
  readonly #replays: ReplayLanes
  /** Lanes that end, and stay in `#lanes` until they have. */
  readonly #retiring = new Map<Lane, Promise<void>>()
  readonly #stopping = new AbortController()
  #generation: string | null = null
  #isPumping = false
  #running: Promise<void> | undefined

  constructor(options: DeliveryOptions) {
    const { services, outbound, observer, onFailure } = options
    this.#options = options
    this.#connections = new KeptConnections(outbound, {
      connections: webhookBounds.webhookConnections.most,
      perOwner: webhookBounds.organizationWebhookConnections.most,
      callMilliseconds: webhookBounds.webhookCall.most,
      answerBytes: webhookBounds.webhookAnswer.most,
      lookups: webhookBounds.webhookLookups.most,
    })
    this.#leases = new Leases(services.database, newId())
    this.#settler = new Settler(services, () => [...this.#lanes.values(), ...this.#replays], { observer, onFailure })
    this.#shared = {
      services,
      eventRoom: new EventRoom(),
      changes: new ApplicationChanges(services.database),
      closings: new OrganizationClosings(services),
      connections: this.#connections,
      places: new CallPlaces(count => observer.onUnderWay(count)),
      onProgress: () => this.#progress(),
      onFailure,
    }
    this.#notices = new PauseNotices(this.#shared, options.onPause)
    this.#expiring = new ExpiringEvents(services, options.onExpiring)
    this.#replays = new ReplayLanes(this.#shared)
  }

  /** Starts. It tries again while the database is unavailable. */
  start(): void {
    this.#running ??= this.#keepRunning()
  }

  /** Begins no more calls, waits for those under way for a while, stores what has come of them and leaves the rest to others. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
    const ended = this.#ended([...this.#lanes.values(), ...this.#replays], webhookBounds.webhookStop.most)
    await Promise.all([ended, ...this.#retiring.values()])
    await this.#connections.close()
    await this.#notices.idle()
    await this.#leases.leave().catch(this.#options.onFailure)
  }

  /** The lanes of this process. */
  get lanes(): ReadonlyMap<string, Lane> {
    return this.#lanes
  }

  async #keepRunning(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      try {
        await this.#look()
      } catch (error) {
        this.#options.onFailure(error)
      }
      this.#settler.retry()
      await sleep(webhookBounds.webhookPoll.most, undefined, { signal, ref: false }).catch(() => {})
    }
  }

  /** One look at the settings, the leases and the heads of all feeds. */
  async #look(): Promise<void> {
    const { database } = this.#options.services
    const before = new Set(this.#lanes.values())
    const organizations = [...new Set([...before].map(lane => lane.subscription.organizationId))]
    const [row] = await database.query(selectHeadsOfFeeds, [organizations])
    const isAdministered = row?.generation !== this.#generation
    if (isAdministered || this.#leases.isDue) {
      this.#generation = String(row?.generation)
      await this.#arrange(isAdministered).catch((error: unknown) => {
        this.#generation = null
        throw error
      })
    }
    await this.#replays.beginNext(id => this.#openLane(id))
    const heads = headsIn(row?.heads, Number(row?.epoch))
    const headOf = (lane: Lane) => heads.get(lane.subscription.organizationId)
    // A lane that has begun since may stand behind an event that these heads do not know.
    for (const lane of this.#lanes.values()) lane.look(before.has(lane) ? headOf(lane) : undefined)
    for (const lane of this.#replays) lane.look(headOf(lane))
    this.#progress()
    await this.#notices.look(this.#lanes)
    await this.#expiring.look(this.#lanes.values())
  }

  /** Takes and leaves webhooks as the leases say, and begins those anew whose settings have changed. */
  async #arrange(isAdministered: boolean): Promise<void> {
    const { own, extra } = await this.#leases.renew(isAdministered)
    for (const [id, lane] of this.#lanes) if (lane.isLost || !own.has(id)) this.#retire(lane, extra.includes(id))
    const byOrganization = new Map<string, string[]>()
    for (const [id, organizationId] of own) {
      if (!isAdministered && this.#lanes.has(id)) continue
      byOrganization.set(organizationId, [...(byOrganization.get(organizationId) ?? []), id])
    }
    for (const [organizationId, ids] of byOrganization) {
      await this.#beginAll(organizationId, ids).catch((error: unknown) => {
        // The others go on, and the next look tries again.
        this.#generation = null
        this.#options.onFailure(error)
      })
    }
  }

  async #beginAll(organizationId: string, ids: readonly string[]): Promise<void> {
    const subscriptions = await readSubscriptions(organizationId, ids, this.#options.services)
    for (const subscription of subscriptions) await this.#begin(subscription)
  }

  async #begin(subscription: Subscription): Promise<void> {
    const { id } = subscription
    const known = this.#lanes.get(id)
    if (known === undefined) {
      const position = await takeLane(subscription, this.#options.services)
      if (position !== null) this.#lanes.set(id, new Lane(subscription, position, this.#shared))
    } else if (known.adopt(subscription)) this.#replays.of(id)?.adopt(subscription)
    else this.#retire(known)
    this.#replays.expect(id)
  }

  /** The lane of a webhook that this worker has and goes on with. */
  #openLane(id: string): Lane | undefined {
    const lane = this.#lanes.get(id)
    return lane === undefined || lane.isLost || this.#retiring.has(lane) ? undefined : lane
  }

  /** Ends a lane in the background, so that the others go on. */
  #retire(lane: Lane, isForOthers = false): void {
    if (this.#retiring.has(lane)) return
    const { id } = lane.subscription
    const replay = this.#replays.of(id)
    const ended = this.#ended(replay === undefined ? [lane] : [lane, replay], webhookBounds.webhookCall.most)
      .then(() => this.#leases.release(isForOthers ? [id] : []))
      .catch(this.#options.onFailure)
      .finally(() => {
        this.#retiring.delete(lane)
        // It may have to begin anew.
        this.#generation = null
      })
    this.#retiring.set(lane, ended)
  }

  /** Ends lanes: waits at most this long for their calls, and stores what has come of them. */
  async #ended(lanes: readonly Lane[], milliseconds: number): Promise<void> {
    for (const lane of lanes) lane.end()
    const until = performance.now() + milliseconds
    while (lanes.some(lane => !lane.isLost && lane.inFlight > 0) && performance.now() < until) await sleep(5)
    await this.#settler.flush()
    for (const lane of lanes) {
      lane.lose()
      if (this.#lanes.get(lane.subscription.id) === lane) this.#lanes.delete(lane.subscription.id)
    }
  }

  /** Something has changed: stores it, and begins what may begin now, once for all that changes at the same time. */
  #progress(): void {
    this.#settler.ask()
    if (this.#isPumping) return
    this.#isPumping = true
    setImmediate(() => {
      this.#isPumping = false
      this.#pump()
    })
  }

  /** Lanes take turns, so that one with many events does not get all places: one that has begun a call goes to the end. */
  #pump(): void {
    const mayCall = () => !this.#stopping.signal.aborted && this.#leases.areValid
    const openLane = (id: string) => (mayCall() ? this.#openLane(id) : undefined)
    const inFlight = (id: string) => (this.#lanes.get(id)?.inFlight ?? 0) + (this.#replays.of(id)?.inFlight ?? 0)
    this.#notices.pump(openLane, inFlight)
    for (const [id, lane] of this.#lanes) {
      if (!mayCall()) return
      if (!lane.sendNext(inFlight(id) - lane.inFlight + this.#notices.inFlight(id))) continue
      this.#lanes.delete(id)
      this.#lanes.set(id, lane)
    }
    // Replays take the places that are left.
    this.#replays.pump(openLane, id => this.#notices.inFlight(id))
  }
}

/** The epoch of a feed is its own, beside that of all feeds. */
function headsIn(value: unknown, epoch: number): Map<string, FeedHead> {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : []
  return new Map(
    entries.flatMap(([id, head]) =>
      Array.isArray(head) ? [[id, { seq: Number(head[0]), epoch: epoch + Number(head[1]) }] as const] : [],
    ),
  )
}
