import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { isObject, type JsonObject } from '../../../server/src/kernel/schema/index.ts'

/** A request and the answer that ended it. */
export interface Delivery {
  /** Its `Idempotency-Key`, and its `X-Request-Id`: so everything that it leaves in the database can be found. */
  readonly key: string
  readonly method: string
  readonly path: string
  readonly body: string | undefined
  readonly token: string
  readonly attempts: number
  readonly status: number
  readonly text: string
}

/** Where the server is now; waits while there is none. */
export type Address = () => Promise<string>

/** Sends requests as a careful integration does: with one key, again and again, until it knows how they ended. */
export class Courier {
  readonly deliveries: Delivery[] = []
  readonly #address: Address
  readonly #token: string

  constructor(address: Address, token: string) {
    this.#address = address
    this.#token = token
  }

  async deliver(method: string, path: string, content?: JsonObject): Promise<Delivery> {
    const body = content === undefined ? undefined : JSON.stringify(content)
    const request = { key: randomUUID(), method, path, body, token: this.#token }
    for (let attempts = 1; ; attempts += 1) {
      const answer = await send(await this.#address(), request)
      if (answer !== null && !isPassing(answer)) {
        const delivery = { ...request, ...answer, attempts }
        this.deliveries.push(delivery)
        return delivery
      }
      await sleep(20)
    }
  }
}

export interface Received {
  readonly status: number
  readonly text: string
  readonly replayed: boolean
}

/** `path` is relative to the CRM prefix, unless it begins with `/api/`. */
type Sent = Pick<Delivery, 'key' | 'method' | 'path' | 'body' | 'token'>

/** Null when no whole answer came. */
export async function send(url: string, { key, method, path, body, token }: Sent): Promise<Received | null> {
  const headers = { authorization: `Bearer ${token}`, 'idempotency-key': key, 'x-request-id': key }
  const content = body === undefined ? {} : { body }
  const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
  try {
    const whole = path.startsWith('/api/') ? path : `/api/v1/crm${path}`
    const answer = await fetch(`${url}${whole}`, { method, headers: { ...headers, ...type }, ...content })
    const replayed = answer.headers.get('idempotent-replayed') === 'true'
    return { status: answer.status, text: await answer.text(), replayed }
  } catch {
    return null
  }
}

/** Whether the same request may well be answered otherwise soon. */
function isPassing({ status, text }: Received): boolean {
  return status >= 500 || (status === 409 && text.includes('"idempotency_in_progress"'))
}

/** The parts of an answer. */
export function partsOf({ text }: Pick<Received, 'text'>) {
  const parsed: unknown = JSON.parse(text)
  const body = isObject(parsed) ? parsed : {}
  return {
    data: isObject(body.data) ? body.data : {},
    items: Array.isArray(body.data) ? body.data.filter(isObject) : [],
    error: isObject(body.error) ? body.error : {},
  }
}
