import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import type { Client } from './client.ts'

const plurals: Readonly<Record<string, string>> = {
  contact: 'contacts',
  company: 'companies',
  deal: 'deals',
  task: 'tasks',
}

/**
 * A consumer as docs/contract section 11 describes it to integrators. Its state survives it: the records, and the cursor of the last page
 * that it has applied completely.
 */
export class Follower {
  readonly #client: Client
  readonly records = new Map<string, JsonObject>()
  /** The numbers of the applied events, in order. */
  readonly numbers: number[] = []
  #cursor = ''

  constructor(client: Client) {
    this.#client = client
  }

  /** Takes the cursor first, and then reads all records. */
  async begin(): Promise<void> {
    this.#cursor = String((await this.#client.get('/changes/cursor')).data.cursor)
    for (const [id, record] of await everything(this.#client)) this.records.set(id, record)
  }

  /** Applies pages until there are no more, or until it is stopped in the middle of one: then that page is applied again. */
  async follow(stopsAfter = Number.POSITIVE_INFINITY): Promise<void> {
    let events = 0
    for (let more = true; more; ) {
      const page = await this.#client.get(`/changes?after=${this.#cursor}&limit=10`)
      for (const { seq, resourceType, resourceId } of page.items) {
        events += 1
        if (events > stopsAfter) return
        this.numbers.push(Number(seq))
        await this.#fetch(String(plurals[String(resourceType)]), String(resourceId))
      }
      this.#cursor = String(page.meta.nextCursor)
      more = page.meta.hasMore === true
    }
  }

  /** Fetches the record, because events only say that it has changed. */
  async #fetch(plural: string, id: string): Promise<void> {
    const { status, data } = await this.#client.get(`/${plural}/${id}`)
    if (status === 200) this.records.set(id, data)
    else this.records.delete(id)
  }
}

/** All records, by their ids. */
export async function everything(client: Client): Promise<Map<string, JsonObject>> {
  const found = new Map<string, JsonObject>()
  for (const plural of Object.values(plurals)) {
    for (let next = ''; ; ) {
      const { items, meta } = await client.get(`/${plural}?limit=20${next}`)
      for (const record of items) found.set(String(record.id), record)
      if (meta.nextCursor === null) break
      next = `&cursor=${String(meta.nextCursor)}`
    }
  }
  return found
}
