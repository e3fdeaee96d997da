import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { Exchange, ScriptedAnswer } from './scenario.ts'

/** A request as it came. */
export interface Received {
  readonly method: string
  readonly target: string
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: Buffer
}

/** What pages of other origins may send and read, as the server of the API answers it. */
const crossOrigin = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, POST, PATCH, PUT, DELETE',
  'access-control-allow-headers': 'Authorization, Content-Type, Idempotency-Key, traceparent',
  'access-control-expose-headers': 'X-Request-Id, Retry-After, Idempotent-Replayed',
}

/**
 * Answers requests in the order of a script, and remembers them. A request beyond the script is answered 418. That of a browser that asks
 * whether a page may call is no part of the script. Each request has a connection of its own: a browser that finds one closed that it has
 * used before sends the request again by itself.
 */
export class ScriptedServer {
  readonly received: Received[] = []
  readonly #server: Server
  readonly #exchanges: readonly Exchange[]
  readonly #silent: () => void

  private constructor(exchanges: readonly Exchange[], silent: () => void) {
    this.#exchanges = exchanges
    this.#silent = silent
    this.#server = createServer((request, response) => void this.#serve(request, response))
  }

  /** Listens on a port of its own. Calls `silent` when it has read a request that it does not answer. */
  static async start(exchanges: readonly Exchange[], silent: () => void): Promise<ScriptedServer> {
    const made = new ScriptedServer(exchanges, silent)
    await new Promise<void>(resolve => {
      made.#server.listen(0, '127.0.0.1', resolve)
    })
    return made
  }

  get url(): string {
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('the server does not listen')
    return `http://127.0.0.1:${address.port}`
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => {
      this.#server.close(resolve)
    })
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'OPTIONS') {
      response.writeHead(204, { ...crossOrigin, connection: 'close' }).end()
      return
    }
    const exchange = this.#exchanges[this.received.length]
    const { method = '', url: target = '', headers } = request
    const index = this.received.push({ method, target, headers, body: Buffer.alloc(0) }) - 1
    this.received[index] = { method, target, headers, body: await buffer(request) }
    if (exchange?.fault === 'close') request.socket.destroy()
    else if (exchange?.fault === 'silence') this.#silent()
    else write(response, exchange?.answer ?? { status: 418 })
  }
}

function write(response: ServerResponse, { status, headers = {}, json, text, bodyEnds }: ScriptedAnswer): void {
  const body = Buffer.from(text ?? (json === undefined ? '' : JSON.stringify(json)))
  response.writeHead(status, {
    ...(json !== undefined && { 'content-type': 'application/json; charset=utf-8' }),
    'content-length': body.length,
    connection: 'close',
    'cache-control': 'no-store',
    ...crossOrigin,
    ...headers,
  })
  if (bodyEnds === undefined) response.end(body)
  else response.write(body.subarray(0, body.length / 2), () => response.destroy())
}
