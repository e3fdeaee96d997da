import { type Courier, partsOf } from '../../crash/support/courier.ts'
import { aTask } from '../../support/builders.ts'
import type { Client } from '../../support/client.ts'

/** Reads lists page by page, each page perhaps from another server, and creates and changes tasks meanwhile. */
export class Reader {
  /** Answers other than those that follow from what it has asked. */
  readonly surprises: string[] = []
  readonly #client: Client
  readonly #courier: Courier

  constructor(client: Client, courier: Courier) {
    this.#client = client
    this.#courier = courier
  }

  async work(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      for (const plural of ['contacts', 'companies', 'deals', 'tasks']) await this.#read(plural)
      await this.#task()
    }
  }

  /** Two pages of a list, and the first record of the second one. */
  async #read(plural: string): Promise<void> {
    const first = await this.#client.get(`/${plural}?limit=2`)
    if (first.status !== 200) return this.#wonder(plural, first.status)
    const { nextCursor } = first.meta
    if (nextCursor === null) return
    const second = await this.#client.get(`/${plural}?limit=2&cursor=${nextCursor}`)
    const [record] = second.items
    if (second.status !== 200) return this.#wonder(`${plural}, second page`, second.status)
    if (record === undefined) return
    const { status } = await this.#client.get(`/${plural}/${record.id}`)
    // Others may have removed it since.
    if (![200, 404, 410].includes(status)) this.#wonder(`${plural}/${record.id}`, status)
  }

  async #task(): Promise<void> {
    const created = await this.#courier.deliver('POST', '/tasks', aTask())
    const { id } = partsOf(created).data
    const changed = await this.#courier.deliver('PATCH', `/tasks/${id}`, { expectedVersion: 1, title: 'Call again' })
    if (created.status !== 201) this.#wonder('a new task', created.status)
    if (changed.status !== 200 || partsOf(changed).data.version !== 2) this.#wonder('a changed task', changed.status)
  }

  #wonder(what: string, status: number): void {
    this.surprises.push(`${what}: ${status}`)
  }
}
