import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { expect } from 'vitest'
import { isObject, type JsonObject } from '../../../server/src/kernel/schema/index.ts'
import type { TestApi } from '../../support/api.ts'
import type { Browser } from '../../support/browser.ts'
import type { Client } from '../../support/client.ts'

/** An event that a live stream has told. */
export interface Told {
  readonly event: string
  readonly id: string
  readonly data: JsonObject
}

/** A live stream that a test has opened. It collects what the stream tells. */
export class LiveStream {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly #request: ClientRequest
  readonly #answer: IncomingMessage
  #text = ''
  #isClosed = false

  constructor(asked: ClientRequest, answer: IncomingMessage) {
    this.status = answer.statusCode ?? 0
    this.headers = answer.headers
    this.#request = asked
    this.#answer = answer
    answer.setEncoding('utf8').on('data', (part: string) => (this.#text += part))
    answer.on('error', () => {}).on('close', () => (this.#isClosed = true))
  }

  get text(): string {
    return this.#text
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** The complete events so far. */
  get told(): Told[] {
    return this.#text
      .split('\n\n')
      .slice(0, -1)
      .flatMap(block => {
        const lines = new Map(block.split('\n').map(fieldOf))
        const data: unknown = JSON.parse(lines.get('data') ?? 'null')
        return isObject(data) ? [{ event: lines.get('event') ?? '', id: lines.get('id') ?? '', data }] : []
      })
  }

  /** The changes so far. */
  get changes(): JsonObject[] {
    return this.told.flatMap(({ event, data }) => (event === 'change' ? [data] : []))
  }

  /** Waits until so many changes were told. */
  async until(changes: number): Promise<JsonObject[]> {
    await expect.poll(() => this.changes.length).toBeGreaterThanOrEqual(changes)
    return this.changes
  }

  /** Waits until the server has ended the stream. */
  async untilClosed(): Promise<void> {
    await expect.poll(() => this.#isClosed).toBe(true)
  }

  /** Reads nothing more. */
  stopReading(): void {
    this.#answer.pause()
  }

  close(): void {
    this.#request.destroy()
  }
}

/** The name and the value of a line of an event. */
function fieldOf(line: string): readonly [string, string] {
  const [name = '', value = ''] = line.split(/: (.*)/su, 2)
  return [name, value]
}

/** Opens a live stream of an organization, and waits for its head; a refused one has the whole answer as its text. */
export function openLive(
  { url }: Pick<TestApi, 'url'>,
  organizationId: string,
  by: Pick<Client, 'token'> | Pick<Browser, 'cookies'>,
  { after, lastEventId }: { readonly after?: string; readonly lastEventId?: string } = {},
): Promise<LiveStream> {
  const query = after === undefined ? '' : `?after=${encodeURIComponent(after)}`
  const headers = {
    ...('token' in by
      ? { authorization: `Bearer ${by.token}` }
      : { cookie: [...by.cookies].map(([name, value]) => `${name}=${value}`).join('; ') }),
    ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
  }
  return new Promise((resolve, reject) => {
    const asked = request(`${url}/cabinet/api/o/${organizationId}/live${query}`, { headers, agent: false }, answer =>
      resolve(new LiveStream(asked, answer)),
    )
    asked.on('error', reject).end()
  })
}
