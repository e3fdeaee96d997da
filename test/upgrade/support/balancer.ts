import { once } from 'node:events'
import {
  Agent,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as requestOf,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../../support/waiting.ts'

/** A server behind the balancer. */
interface Member {
  readonly url: string
  /** Connections are kept, as balancers do it. */
  readonly agent: Agent
  ready: boolean
  drained: boolean
  running: number
  served: number
}

const lookMilliseconds = 100

/**
 * Gives requests in turns to the servers that say on `/readyz` that they are ready. It repeats none, so its clients see every
 * failure.
 */
export class Balancer {
  /** Requests that no server has answered, or with a status from 500 on. */
  readonly failures: string[] = []
  readonly #members = new Map<string, Member>()
  readonly #server = createServer((request, response) => void this.#pass(request, response))
  #turn = 0
  #url = ''

  get url(): string {
    return this.#url
  }

  async start(): Promise<void> {
    // A connection that ends while a request is on its way would look like a failure of the server behind.
    this.#server.keepAliveTimeout = 0
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    const address: AddressInfo | string | null = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('the balancer does not listen on a port')
    this.#url = `http://127.0.0.1:${address.port}`
  }

  /** Gives requests to this server, too, as soon as it is ready. */
  async add(url: string): Promise<void> {
    // Connections take turns, so none is so silent that a server which takes leave closes it.
    const agent = new Agent({ keepAlive: true, scheduling: 'fifo' })
    const member = { url, agent, ready: false, drained: false, running: 0, served: 0 }
    this.#members.set(url, member)
    void this.#watch(member)
    await until(`${url} to be ready`, () => member.ready)
  }

  /** Gives a server nothing new, and resolves when it has answered what it has. Its connections stay open. */
  async drain(url: string): Promise<void> {
    const member = this.#members.get(url)
    if (member === undefined) throw new Error(`${url} is not behind the balancer`)
    member.drained = true
    await until(`${url} to have answered`, () => member.running === 0)
    this.#members.delete(url)
  }

  /** How many requests each server has had since the last time that this was asked. */
  served(): number[] {
    return [...this.#members.values()].map(member => {
      const { served } = member
      member.served = 0
      return served
    })
  }

  async stop(): Promise<void> {
    for (const member of this.#members.values()) {
      member.drained = true
      member.agent.destroy()
    }
    this.#server.close()
    this.#server.closeAllConnections()
  }

  async #watch(member: Member): Promise<void> {
    for (; !member.drained; await sleep(lookMilliseconds)) {
      member.ready = await fetch(`${member.url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      )
    }
  }

  #next(): Member | undefined {
    const ready = [...this.#members.values()].filter(each => each.ready && !each.drained)
    this.#turn += 1
    return ready[this.#turn % ready.length]
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const member = this.#next()
    const name = `${request.method} ${request.url}`
    if (member === undefined) {
      this.failures.push(`${name}: no server is ready`)
      return void response.writeHead(503).end()
    }
    member.running += 1
    member.served += 1
    try {
      const failure = await passTo(member, request, response)
      if (failure !== null) this.failures.push(`${name}: ${failure} of ${member.url}`)
    } catch (error) {
      this.failures.push(`${name}: ${error} of ${member.url}`)
      if (response.headersSent) response.destroy()
      else response.writeHead(502).end()
    } finally {
      member.running -= 1
    }
  }
}

/** Gives a request to a server, and its answer back; resolves to what the answer says if its status is from 500 on. */
async function passTo(
  { url, agent }: Member,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<string | null> {
  const target = new URL(request.url ?? '/', url)
  const passed = requestOf(target, { method: request.method, headers: passedOn(request.headers), agent })
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    passed.once('response', resolve).once('error', reject)
  })
  const [answer] = await Promise.all([answered, pipeline(request, passed)])
  const status = answer.statusCode ?? 502
  response.writeHead(status, passedOn(answer.headers))
  const said: Buffer[] = []
  if (status >= 500) answer.on('data', (bytes: Buffer) => said.push(bytes))
  await pipeline(answer, response)
  return status >= 500 ? `${status} ${Buffer.concat(said).toString()}` : null
}

const ofConnection = new Set(['connection', 'keep-alive', 'transfer-encoding'])

/** Headers without those that are about the connection to one side. */
function passedOn(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !ofConnection.has(name)))
}
