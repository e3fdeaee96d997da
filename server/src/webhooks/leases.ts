import type { Database } from '../kernel/sql/index.ts'
import { webhookBounds } from './bounds.ts'
import {
  addLeases,
  releaseLeases,
  removeLeases,
  removeWorkerOfWebhooks,
  renewLeases,
  reportWorker,
} from './leases.sql.ts'
import { selectWanted } from './subscriptions.sql.ts'

/** The webhooks that a worker has now, with their organizations, and those of them that it should leave to others. */
interface Leased {
  readonly own: ReadonlyMap<string, string>
  readonly extra: readonly string[]
}

/** Divides the webhooks of the installation among its workers: each takes its share, and what a silent worker had. */
export class Leases {
  readonly #database: Pick<Database, 'query'>
  readonly #worker: string
  /** All webhooks that are to be delivered, with their organizations. */
  #wanted: ReadonlyMap<string, string> = new Map()
  #renewedAt = Number.NEGATIVE_INFINITY

  constructor(database: Pick<Database, 'query'>, worker: string) {
    this.#database = database
    this.#worker = worker
  }

  /** Whether the leases have to be renewed: after a third of their time. */
  get isDue(): boolean {
    return performance.now() - this.#renewedAt >= webhookBounds.webhookLease.most / 3
  }

  /** Whether a call that begins now ends before another worker can take its webhook. */
  get areValid(): boolean {
    return performance.now() - this.#renewedAt < webhookBounds.webhookLease.most - webhookBounds.webhookCall.most
  }

  /** Renews the leases. `isAdministered`: the settings have changed, so that there may be other webhooks. */
  async renew(isAdministered: boolean): Promise<Leased> {
    if (isAdministered) await this.#readWanted()
    const begun = performance.now()
    const seconds = webhookBounds.webhookLease.most / 1000
    const [reported] = await this.#database.query(reportWorker, [this.#worker, seconds])
    const share = Math.ceil(this.#wanted.size / Number(reported?.workers ?? 1))
    const values = [this.#worker, seconds, [...this.#wanted.keys()], share]
    const rows = await this.#database.query(renewLeases, values)
    this.#renewedAt = begun
    const ids = rows.map(({ subscription_id: id }) => String(id)).toSorted()
    const extra = ids.slice(share)
    const kept = ids.slice(0, share).map(id => [id, this.#wanted.get(id) ?? ''] as const)
    return { own: new Map(kept), extra }
  }

  /** Leaves these to others. */
  async release(ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.#database.query(releaseLeases, [this.#worker, ids])
  }

  /** Ends: others can take everything at once. */
  async leave(): Promise<void> {
    await this.#database.query(removeWorkerOfWebhooks, [this.#worker])
  }

  async #readWanted(): Promise<void> {
    const rows = await this.#database.query(selectWanted, [])
    this.#wanted = new Map(rows.map(row => [String(row.id), String(row.organization_id)]))
    const ids = [...this.#wanted.keys()]
    await this.#database.query(addLeases, [ids])
    await this.#database.query(removeLeases, [ids])
  }
}
