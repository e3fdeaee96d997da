import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startEmbeddedPostgres } from '@crm-server/embedded-postgres'
import { Secret } from '../server/src/kernel/index.ts'
import { Database } from '../server/src/kernel/sql/index.ts'
import { createOperator } from '../server/src/settings/index.ts'
import { measureBeside } from './beside.ts'
import type { Cleanup } from './cleanup.ts'
import { type Cost, costOf, medianCost, showCost } from './cost.ts'
import type { Options } from './options.ts'
import { Driver, productSecret, type Side, startProduct } from './processes.ts'
import type { Connection } from './protocol.ts'
import { makeScene } from './scene.ts'
import { postmasterOf } from './usage.ts'

const targets = 10_000
const batchSize = 100

/** The share of the rate of batch upserts that a bulk job must reach. */
const least = 0.8

/**
 * Compares a bulk job with batch upserts that make the same change of the same 10,000 contacts, alternately: contacts per second, and
 * microseconds of processor time per contact. Batches come from one client, one after another, and from several at a time.
 */
export async function measureBulk(options: Options, cleanup: Cleanup): Promise<void> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'crm-bench-bulk-'))
  cleanup.add(() => rm(dataDirectory, { recursive: true, force: true }))
  const { connection, stop } = await startEmbeddedPostgres({ dataDirectory })
  cleanup.add(stop)
  const postmaster = await postmasterOf(dataDirectory)
  const scene = await makeScene(connection, { contacts: 2 * targets, organizations: 1, connections: 2 }, cleanup)
  const [client, other] = await scene.connections(targets)
  if (client === undefined || other === undefined || client.targets.length < targets)
    throw new Error('there are too few contacts')
  const database = new Database({ location: { url: scene.url }, connections: 1 })
  cleanup.add(() => database.close())
  const administration = { database, secret: new Secret(productSecret) }
  const operator = { organizationId: client.organizationId, name: 'Olga', email: 'olga@example.com' }
  const { id: owner } = await createOperator(administration, operator)
  const product = await startProduct(options.product, options.nodeArguments, scene.url, cleanup)
  const work = new Work(product, client, owner)
  const measure = (act: () => Promise<void>) => costOf(targets, { pid: product.pid, postmaster }, act)
  // Frequently run code is compiled by then.
  await work.upsertAll(1)
  await work.bulkJob()
  console.log(`${targets} contacts: contacts a second, microseconds of processor time for each`)
  const rounds: Record<'single' | 'several' | 'job', Cost[]> = { single: [], several: [], job: [] }
  for (let round = 0; round < options.rounds; round += 1) {
    rounds.single.push(await measure(() => work.upsertAll(1)))
    rounds.job.push(await measure(() => work.bulkJob()))
    rounds.several.push(await measure(() => work.upsertAll(4)))
  }
  const [single, several, job] = [medianCost(rounds.single), medianCost(rounds.several), medianCost(rounds.job)]
  console.log(`  batch upsert, one client: ${showCost(single)}`)
  console.log(`  batch upsert, four clients: ${showCost(several)}`)
  console.log(`  bulk job: ${showCost(job)}`)
  for (const [name, batch] of [
    ['one client', single],
    ['four clients', several],
  ] as const) {
    const ratio = job.perSecond / batch.perSecond
    const byCpu = (batch.cpu / job.cpu).toFixed(2)
    const verdict = ratio >= least ? 'meets' : 'below'
    console.log(`  ratio to ${name}: ${ratio.toFixed(2)} (${verdict} ${least.toFixed(2)}), by processor time ${byCpu}`)
  }
  const startJob = () => work.startJob()
  await measureBeside({ driver: new Driver(cleanup), product, connection: other, rounds: options.rounds, startJob })
}

/** Alternately assigns an operator to all contacts and removes it. */
class Work {
  readonly #product: Side
  readonly #client: Connection
  readonly #versions: Map<string, number>
  readonly #owner: string
  #turn = 0

  constructor(product: Side, client: Connection, owner: string) {
    this.#product = product
    this.#client = client
    this.#owner = owner
    this.#versions = new Map(client.targets.map(({ externalId, version }) => [externalId, version]))
  }

  async upsertAll(clients: number): Promise<void> {
    const ownerUuid = this.#nextOwner()
    const keys = [...this.#versions.keys()]
    const batches = Array.from({ length: targets / batchSize }, (_, index) =>
      keys.slice(index * batchSize, (index + 1) * batchSize),
    )
    const worker = async () => {
      for (let batch = batches.shift(); batch !== undefined; batch = batches.shift()) {
        const items = batch.map(externalId => ({
          externalId,
          expectedVersion: this.#versions.get(externalId),
          ownerUuid,
        }))
        const { meta } = await this.#ask('POST', '/contacts/batch/upsert', { items })
        if (meta.updated !== batchSize) throw new Error(`a batch was refused: ${JSON.stringify(meta)}`)
      }
    }
    await Promise.all(Array.from({ length: clients }, worker))
    this.#raiseVersions()
  }

  async bulkJob(): Promise<void> {
    const { end } = await this.startJob()
    await end
  }

  /** Resolves when the job is running. */
  async startJob(): Promise<{ readonly end: Promise<void> }> {
    const changes = { ownerUuid: this.#nextOwner() }
    const references = [...this.#versions].map(([externalId, expectedVersion]) => ({ externalId, expectedVersion }))
    const body = { entityType: 'contact', action: 'update', targets: references, changes }
    const { data } = await this.#ask('POST', '/bulk-jobs', body)
    const path = `/bulk-jobs/${data.id}`
    while ((await this.#ask('GET', path)).data.startedAt === null) await sleep(5)
    return { end: this.#endOf(path) }
  }

  async #endOf(path: string): Promise<void> {
    for (;;) {
      const { data: job } = await this.#ask('GET', path)
      if (job.finishedAt !== null) {
        if (job.counters.succeeded !== targets) throw new Error(`targets were refused: ${JSON.stringify(job.counters)}`)
        return this.#raiseVersions()
      }
      await sleep(50)
    }
  }

  #raiseVersions(): void {
    for (const [key, version] of this.#versions) this.#versions.set(key, version + 1)
  }

  #nextOwner(): string | null {
    this.#turn += 1
    return this.#turn % 2 === 0 ? null : this.#owner
  }

  async #ask(method: string, path: string, body?: unknown) {
    const headers = {
      authorization: `Bearer ${this.#client.token}`,
      'idempotency-key': randomUUID(),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    }
    const content = body === undefined ? {} : { body: JSON.stringify(body) }
    const answer = await fetch(`${this.#product.url}/api/v1/crm${path}`, { method, headers, ...content })
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
    return JSON.parse(await answer.text())
  }
}
