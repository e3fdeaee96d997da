import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from './client.ts'

/** An import of companies and an export of all of them, which deliveries of events of contacts should not slow down. */
export class Jobs {
  /** How many companies an import creates. */
  readonly rows: number
  readonly #client: Client
  #companies = 0

  constructor(client: Client, rows: number) {
    this.#client = client
    this.rows = rows
  }

  /** How many companies the next export has. */
  get companies(): number {
    return this.#companies
  }

  async import(): Promise<void> {
    const lines = Array.from(
      { length: this.rows },
      (_, index) => `bench-${randomUUID()},Company ${this.#companies + index}`,
    )
    const form = new FormData()
    form.set('file', new Blob([`externalId,name\n${lines.join('\n')}\n`]), 'companies.csv')
    form.set('entityType', 'companies')
    const { data } = await this.#client.send('POST', '/imports', form)
    const mapping = { externalId: 0, name: 1 }
    await this.#client.send('POST', `/imports/${data.id}/start`, { mapping, dedupPolicy: 'create_or_update' })
    const { counters } = await this.#ended(`/imports/${data.id}`)
    if (counters.created !== this.rows) throw new Error(`rows were refused: ${JSON.stringify(counters)}`)
    this.#companies += this.rows
  }

  async export(): Promise<void> {
    const { data } = await this.#client.send('POST', '/exports', { type: 'companies' })
    const { status } = await this.#ended(`/exports/${data.id}`)
    if (status !== 'completed') throw new Error(`the export is ${status}`)
  }

  async #ended(path: string) {
    for (;;) {
      const { data } = await this.#client.send('GET', path)
      if (data.finishedAt !== null) return data
      await sleep(100)
    }
  }
}
