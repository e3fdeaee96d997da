import { setTimeout as sleep } from 'node:timers/promises'
import { Courier, type Delivery, partsOf } from '../../crash/support/courier.ts'
import { Integration } from '../../crash/support/integration.ts'
import { aContact } from '../../support/builders.ts'
import { Client } from '../../support/client.ts'
import { Follower } from '../../support/follower.ts'
import type { Random } from '../../support/random.ts'
import { until } from '../../support/waiting.ts'
import { Reader } from './reader.ts'

const integrationCount = 4

interface Parts {
  readonly client: Client
  readonly couriers: readonly Courier[]
  readonly integrations: readonly Integration[]
  readonly reader: Reader
  readonly erased: ReadonlySet<string>
}

/** What an organization has going on: integrations that write, one that follows the feed, and one that reads and has tasks. */
export class Load {
  readonly follower: Follower
  readonly integrations: readonly Integration[]
  readonly reader: Reader
  /** Persons that were erased. */
  readonly erased: ReadonlySet<string>
  readonly #couriers: readonly Courier[]
  #over = false
  #working: Promise<unknown> = Promise.resolve()

  private constructor({ client, couriers, integrations, reader, erased }: Parts) {
    this.follower = new Follower(client)
    this.integrations = integrations
    this.reader = reader
    this.erased = erased
    this.#couriers = couriers
  }

  /** Begins, with requests to this address. */
  static async begin(url: string, token: string, stageUuids: readonly string[], random: Random): Promise<Load> {
    const client = new Client(url, token)
    const couriers = Array.from({ length: integrationCount + 1 }, () => new Courier(async () => url, token))
    const [last = new Courier(async () => url, token), ...others] = couriers
    const { data } = partsOf(await last.deliver('POST', '/contacts', aContact()))
    const contested = { id: String(data.id), version: 1, changes: 0 }
    const erased = new Set<string>()
    const surroundings = { contested, stageUuids, erased }
    const integrations = others.map(courier => new Integration(courier, random.fork(), surroundings))
    const load = new Load({ client, couriers, integrations, reader: new Reader(client, last), erased })
    await load.follower.begin()
    load.#begin()
    return load
  }

  get deliveries(): Delivery[] {
    return this.#couriers.flatMap(courier => courier.deliveries)
  }

  /** Waits until so many more writes were answered. */
  async goOn(writes = 150): Promise<void> {
    const enough = this.deliveries.length + writes
    await until('more work', () => this.deliveries.length >= enough, 300_000)
  }

  /** Ends when all have their answers, and what was written has been read from the feed. */
  async end(): Promise<void> {
    this.#over = true
    await this.#working
    await this.follower.follow()
  }

  #begin(): void {
    const isOver = () => this.#over
    this.#working = Promise.all([
      ...this.integrations.map(integration => integration.work(isOver)),
      this.reader.work(isOver),
      this.#follow(),
    ])
  }

  async #follow(): Promise<void> {
    for (; !this.#over; await sleep(20)) await this.follower.follow()
  }
}
