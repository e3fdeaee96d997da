import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startEmbeddedPostgres } from '@crm-server/embedded-postgres'
import type { Cleanup } from './cleanup.ts'
import { type Cost, costOf, medianCost, showCost } from './cost.ts'
import type { Options } from './options.ts'
import { type Side, startProduct } from './processes.ts'
import { makeScene } from './scene.ts'
import { MemoryWatch, postmasterOf, residentBytes } from './usage.ts'

const batchSize = 100
/** The share of the rate of batch upserts that an import must reach. */
const least = 0.8
const header = 'externalId,firstName,lastName,jobTitle,source,phone1,email1'

/**
 * Compares an import with batch upserts that create as many contacts of the same kind, alternately: contacts per second, microseconds of
 * processor time per contact, and the peak memory of the server in each tenth of an import.
 */
export async function measureImport(options: Options, cleanup: Cleanup): Promise<void> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'crm-bench-import-'))
  cleanup.add(() => rm(dataDirectory, { recursive: true, force: true }))
  const { connection, stop } = await startEmbeddedPostgres({ dataDirectory })
  cleanup.add(stop)
  const postmaster = await postmasterOf(dataDirectory)
  const scene = await makeScene(connection, { contacts: 10_000, organizations: 1, connections: 1 }, cleanup)
  const [member] = await scene.connections(1)
  if (member === undefined) throw new Error('the scene has no application')
  const product = await startProduct(options.product, options.nodeArguments, scene.url, cleanup)
  const work = new Work(product, member.token)
  const measure = (count: number, act: () => Promise<void>) => costOf(count, { pid: product.pid, postmaster }, act)
  // Frequently run code is compiled by then.
  await work.upsertAll(5000)
  await work.importAll(5000)
  for (const count of options.contacts) {
    console.log(`${count} contacts: contacts a second, microseconds of processor time for each`)
    const rounds: Record<'batch' | 'import', Cost[]> = { batch: [], import: [] }
    for (let round = 0; round < options.rounds; round += 1) {
      rounds.batch.push(await measure(count, () => work.upsertAll(count)))
      rounds.import.push(await measure(count, () => work.importAll(count)))
    }
    const [batch, imported] = [medianCost(rounds.batch), medianCost(rounds.import)]
    const ratio = imported.perSecond / batch.perSecond
    console.log(`  batch upsert, one client: ${showCost(batch)}`)
    console.log(`  import: ${showCost(imported)}`)
    const verdict = ratio >= least ? 'meets' : 'below'
    const byCpu = (batch.cpu / imported.cpu).toFixed(2)
    console.log(`  ratio: ${ratio.toFixed(2)} (${verdict} ${least.toFixed(2)}), by processor time ${byCpu}`)
    console.log(`  most memory in each tenth of the last import, in MB: ${work.megabytes.join(' ')}`)
  }
}

/** Creates new contacts, by batches or from a file. */
class Work {
  /** The peak memory of the server in each tenth of the last import. */
  megabytes: readonly number[] = []
  readonly #product: Side
  readonly #token: string
  #made = 0

  constructor(product: Side, token: string) {
    this.#product = product
    this.#token = token
  }

  async upsertAll(count: number): Promise<void> {
    for (let done = 0; done < count; done += batchSize) {
      const items = Array.from({ length: Math.min(batchSize, count - done) }, () => this.#next()).map(
        ({ phone, email, ...contact }) => ({
          ...contact,
          contactData: { phones: [{ value: phone }], emails: [{ value: email }] },
        }),
      )
      const { meta } = await this.#ask('POST', '/contacts/batch/upsert', JSON.stringify({ items }))
      if (meta.created !== items.length) throw new Error(`a batch was refused: ${JSON.stringify(meta)}`)
    }
  }

  async importAll(count: number): Promise<void> {
    const lines = Array.from({ length: count }, () => Object.values(this.#next()).join(','))
    const form = new FormData()
    form.set('file', new Blob([`${header}\n${lines.join('\n')}\n`]), 'contacts.csv')
    form.set('entityType', 'contacts')
    const { data } = await this.#ask('POST', '/imports', form)
    const mapping = Object.fromEntries(header.split(',').map((key, index) => [key, index]))
    const start = JSON.stringify({ mapping, dedupPolicy: 'create_or_update' })
    await this.#ask('POST', `/imports/${data.id}/start`, start)
    const memory = new MemoryWatch(this.#product.pid)
    const tenths: number[] = []
    for (;;) {
      const { data: shown } = await this.#ask('GET', `/imports/${data.id}`)
      const tenth = Math.floor((10 * (count - shown.counters.pending)) / count)
      while (tenths.length < tenth) {
        tenths.push(Math.round(memory.most / 1024 / 1024))
        memory.most = await residentBytes(this.#product.pid)
      }
      if (shown.finishedAt !== null) {
        memory.stop()
        this.megabytes = tenths
        if (shown.counters.created !== count) throw new Error(`rows were refused: ${JSON.stringify(shown.counters)}`)
        return
      }
      await sleep(100)
    }
  }

  #next() {
    this.#made += 1
    const number = String(this.#made)
    return {
      externalId: `bench-${randomUUID()}`,
      firstName: 'Anna',
      lastName: `Petrova-${number}`,
      jobTitle: 'Head of purchasing',
      source: 'website',
      phone: `+1 202 555 ${number.padStart(4, '0').slice(-4)}`,
      email: `contact.${number}@example.com`,
    }
  }

  async #ask(method: string, path: string, body?: string | FormData) {
    const headers = {
      authorization: `Bearer ${this.#token}`,
      'idempotency-key': randomUUID(),
      ...(typeof body === 'string' ? { 'content-type': 'application/json' } : {}),
    }
    const content = body === undefined ? {} : { body }
    const answer = await fetch(`${this.#product.url}/api/v1/crm${path}`, { method, headers, ...content })
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
    return JSON.parse(await answer.text())
  }
}
