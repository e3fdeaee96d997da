import { setTimeout as sleep } from 'node:timers/promises'
import { type Services, unattended } from '../kernel/index.ts'
import type { Database, Row } from '../kernel/sql/index.ts'
import { moveOnCluster, settleDeliveries, storeOnCluster } from './deliver.sql.ts'
import type { Lane } from './lane.ts'
import { callsOf, type DeliveryObserver } from './observer.ts'
import { type Settlement, settlementValues } from './settlement.ts'

/** Between the end of one settlement and the next: what gathers meanwhile shares a statement. */
const pauseMilliseconds = 20

interface Listener {
  readonly observer: DeliveryObserver
  onFailure(error: unknown): void
}

interface Taken {
  readonly lane: Lane
  readonly settlement: Settlement
}

/**
 * Stores what lanes have done: one statement for all lanes of an organization, 20 ms after the end of the previous one. So
 * in a trickle each delivery is stored at once, and under load many share a statement.
 */
export class Settler {
  readonly #services: Pick<Services, 'database'>
  readonly #lanes: () => Iterable<Lane>
  readonly #listener: Listener
  #running: Promise<void> | null = null
  #isOnCluster: boolean | undefined
  #isAsked = false
  /** After a failure nothing is stored before the next call of `retry`. */
  #hasFailed = false

  constructor(services: Pick<Services, 'database'>, lanes: () => Iterable<Lane>, listener: Listener) {
    this.#services = services
    this.#lanes = lanes
    this.#listener = listener
  }

  /** There may be something to store. */
  ask(): void {
    this.#isAsked = true
    if (!this.#hasFailed) this.#running ??= this.#run()
  }

  /** Tries again what has failed. */
  retry(): void {
    if (!this.#hasFailed) return
    this.#hasFailed = false
    this.ask()
  }

  /** Stores everything there is now; resolves when that was done, or has failed. */
  async flush(): Promise<void> {
    this.#hasFailed = false
    this.ask()
    await this.#running
  }

  async #run(): Promise<void> {
    while (this.#isAsked && !this.#hasFailed) {
      this.#isAsked = false
      await this.#settleAll()
      await sleep(pauseMilliseconds)
    }
    this.#running = null
  }

  async #settleAll(): Promise<void> {
    const byOrganization = new Map<string, Taken[]>()
    for (const lane of this.#lanes()) {
      const settlement = lane.takeSettlement()
      if (settlement === null) continue
      const { organizationId } = lane.subscription
      byOrganization.set(organizationId, [...(byOrganization.get(organizationId) ?? []), { lane, settlement }])
    }
    for (const [organizationId, taken] of byOrganization) {
      try {
        await this.#settle(organizationId, taken)
      } catch (error) {
        for (const { lane, settlement } of taken) lane.giveBack(settlement)
        this.#isAsked = true
        this.#hasFailed = true
        this.#listener.onFailure(error)
        continue
      }
      for (const { settlement } of taken) for (const call of callsOf(settlement)) this.#listener.observer.onCall(call)
    }
  }

  async #settle(organizationId: string, taken: readonly Taken[]): Promise<void> {
    const values = settlementValues(
      organizationId,
      taken.map(({ settlement }) => settlement),
    )
    const { database } = this.#services
    this.#isOnCluster ??= (await database.distribution()) !== null
    const moved = await store(database, this.#isOnCluster, organizationId, values)
    // Another worker has taken it over, or it is a replay at its end.
    for (const { lane, settlement } of taken) if (!moved.has(lane.id) || settlement.replay?.isEnded) lane.lose()
  }
}

/** Stores it; returns the lanes that this worker still has. */
async function store(
  database: Database,
  isOnCluster: boolean,
  organizationId: string,
  values: readonly unknown[],
): Promise<Set<unknown>> {
  const reader = unattended(organizationId)
  const idsIn = (rows: readonly Row[]) => rows.map(({ lane }) => lane)
  if (!isOnCluster) return new Set(idsIn(await database.query(settleDeliveries, values, reader)))
  const [, positions, runs, failures, parked, gone, replays] = values
  const transaction = await database.begin(reader)
  try {
    const moved = [
      ...idsIn(await transaction.query(moveOnCluster.positions, [organizationId, positions])),
      ...idsIn(await transaction.query(moveOnCluster.replays, [organizationId, replays])),
    ]
    const lists = [runs, failures, parked, gone]
    const stored = storeOnCluster.map((part, index) => transaction.query(part, [organizationId, lists[index], moved]))
    await transaction.commit(Promise.all(stored))
    return new Set(moved)
  } finally {
    await transaction.rollback()
  }
}
