import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Side } from '../processes.ts'

/** At most so many writes at the same time. */
const writers = 16

/** Sends requests of one application. */
export class Client {
  readonly #base: string
  readonly #token: string

  constructor({ url }: Pick<Side, 'url'>, { token }: { readonly token: string }) {
    this.#base = `${url}/api/v1/crm`
    this.#token = token
  }

  /** Returns the content of the answer; throws if the request was refused. */
  async send(method: 'GET' | 'POST' | 'PATCH', path: string, body?: object, signal?: AbortSignal) {
    const isForm = body instanceof FormData
    const answer = await fetch(`${this.#base}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(method === 'GET' ? {} : { 'idempotency-key': randomUUID() }),
        ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${answer.status} for ${method} ${path}: ${text}`)
    return JSON.parse(text)
  }

  /**
   * Creates contacts at a constant rate, `batch` in each request, until there are so many or the signal comes. Returns how many were made
   * and how long it took, in seconds.
   */
  async createSteadily({ count, perSecond, batch }: Stream, signal?: AbortSignal) {
    const began = performance.now()
    let made = 0
    const write = async (first: number) => {
      for (let at = first * batch; at < count && signal?.aborted !== true; at += writers * batch) {
        await sleep(Math.max(0, began + (1000 * at) / perSecond - performance.now()))
        await this.#create(batch)
        made += batch
      }
    }
    await Promise.all(Array.from({ length: writers }, (_, index) => write(index)))
    return { made, seconds: (performance.now() - began) / 1000 }
  }

  async #create(batch: number): Promise<void> {
    if (batch === 1) return this.send('POST', '/contacts', newContact())
    const items = Array.from({ length: batch }, () => ({ externalId: `bench-${randomUUID()}`, ...newContact() }))
    const { meta } = await this.send('POST', '/contacts/batch/upsert', { items })
    if (meta.created !== batch) throw new Error(`a batch was refused: ${JSON.stringify(meta)}`)
  }
}

interface Stream {
  readonly count: number
  readonly perSecond: number
  readonly batch: number
}

let made = 0

function newContact() {
  made += 1
  return {
    firstName: 'Anna',
    lastName: `Petrova-${made}`,
    jobTitle: 'Head of purchasing',
    contactData: { emails: [{ value: `contact.${made}@example.com` }] },
  }
}
