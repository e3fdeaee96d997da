import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { isObject, type JsonObject } from '../../../server/src/kernel/schema/index.ts'
import { aForm, type Part } from '../../conformance/support/forms.ts'
import type { Address } from './courier.ts'

interface Asked {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: JsonObject
  /** Sent as a form, instead of a body. */
  readonly parts?: readonly Part[]
}

/** Sends requests as a careful integration does, with one key each, until they succeed: with JSON, or with files. */
export class Insisting {
  /** How often an answer was another one than the last: none at all, or one after which trying again helps. */
  repeated = 0
  readonly #address: Address
  readonly #token: string

  constructor(address: Address, token: string) {
    this.#address = address
    this.#token = token
  }

  get(path: string): Promise<JsonObject> {
    return this.#insist({ method: 'GET', path })
  }

  post(path: string, body: JsonObject): Promise<JsonObject> {
    return this.#insist({ method: 'POST', path, body })
  }

  send(path: string, parts: readonly Part[]): Promise<JsonObject> {
    return this.#insist({ method: 'POST', path, parts })
  }

  /** The bytes that a signed link leads to. */
  async download(link: unknown): Promise<Buffer> {
    const url = `${await this.#address()}${new URL(String(link)).pathname}`
    const answer = await fetch(url)
    if (answer.status !== 200) throw new Error(`${answer.status} for a link: ${await answer.text()}`)
    return Buffer.from(await answer.arrayBuffer())
  }

  async #insist(asked: Asked): Promise<JsonObject> {
    for (const key = randomUUID(); ; this.repeated += 1) {
      const answer = await this.#ask(asked, key)
      if (answer !== null) return answer
      await sleep(50)
    }
  }

  /** The whole body of a success; null if none came, or trying again helps. */
  async #ask({ method, path, body, parts }: Asked, key: string): Promise<JsonObject | null> {
    // The same parts, so that it is the same request however often it is sent.
    const form = parts === undefined ? null : aForm(parts)
    const type = form === null ? { 'content-type': 'application/json' } : form.headers
    const content = form === null ? (body === undefined ? {} : { body: JSON.stringify(body) }) : { body: form.raw }
    const headers = { authorization: `Bearer ${this.#token}`, 'idempotency-key': key, ...type }
    const url = `${await this.#address()}/api/v1/crm${path}`
    const answer = await fetch(url, { method, headers, ...content }).catch(() => null)
    const text = await answer?.text().catch(() => null)
    if (answer === null || typeof text !== 'string') return null
    if (answer.status >= 500 || text.includes('"idempotency_in_progress"')) return null
    const parsed: unknown = JSON.parse(text)
    if (answer.status >= 300 || !isObject(parsed)) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return parsed
  }
}
