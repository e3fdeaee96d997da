import { createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config.ts'
import { bounds } from '../kernel/index.ts'
import { explainingListen, hostOf } from '../shells/http/index.ts'
import type { Child } from './child.ts'
import type { FromPart } from './messages.ts'

/** How long a server that stops looks for a process for connections that no process has taken yet. */
const handOutMilliseconds = 2000
const lookMilliseconds = 10

/** A process that takes connections. */
interface Taker {
  /** Connections that it has and that are not closed. */
  open: number
  /** The connection that it was given, until it says that it has it. If it ends before, another process is given the connection. */
  given: Socket | null
  /** Whether it is to end, and gets no further ones. */
  isLeaving: boolean
}

/**
 * The port of a server of several processes. Each connection goes to the process that has the fewest, of those that have taken what
 * they were given before, so a process that hangs keeps one connection waiting. Where none is free, connections wait (docs/adr/0020).
 */
export class Entrance {
  #address = ''
  readonly #server: Server
  readonly #waiting = new Set<Socket>()
  readonly #takers = new Map<Child, Taker>()

  constructor() {
    this.#server = createServer({ pauseOnConnect: true, noDelay: true }, socket => this.#admit(socket))
  }

  /** Begins to listen, and resolves to the address. Throws what is wrong with it, and which setting changes it. */
  async listen(config: Pick<Config, 'host' | 'port'>): Promise<string> {
    await explainingListen(config, () => {
      return new Promise<void>((resolve, reject) => {
        this.#server.once('error', reject).listen({ host: hostOf(config), port: config.port }, resolve)
      })
    })
    // Where a connection cannot be accepted, because too many files are open, the server goes on with the next one.
    this.#server.removeAllListeners('error').on('error', () => {})
    this.#address = addressOf(this.#server)
    for (const child of this.#takers.keys()) child.tell({ crm: 'address', address: this.#address })
    return this.#address
  }

  /** From now on this process takes connections. */
  open(child: Child): void {
    if (this.#address !== '') child.tell({ crm: 'address', address: this.#address })
    this.#takers.set(child, { open: 0, given: null, isLeaving: false })
    this.#spread()
  }

  /** This process gets no further ones. */
  close(child: Child): void {
    const taker = this.#takers.get(child)
    if (taker !== undefined) taker.isLeaving = true
  }

  /** This process has ended. */
  forget(child: Child): void {
    const given = this.#takers.get(child)?.given
    this.#takers.delete(child)
    if (given) this.#admit(given)
  }

  /** Takes what a process tells of its connections. */
  take(child: Child, { crm }: FromPart): void {
    const taker = this.#takers.get(child)
    if (taker === undefined) return
    if (crm === 'closed') taker.open -= 1
    else if (crm === 'took') {
      // Both processes had the socket open. It stays open in the other one.
      taker.given?.destroy()
      taker.given = null
      this.#spread()
    }
  }

  /** Stops to listen, and resolves when some process has each connection that had come, or there was none for too long. */
  async end(): Promise<void> {
    this.#server.close()
    const late = performance.now() + handOutMilliseconds
    while (this.#isGiving() && performance.now() < late) await sleep(lookMilliseconds)
    this.cutOff()
  }

  /** Stops to listen at once, and leaves those who wait. */
  cutOff(): void {
    this.#server.close()
    for (const socket of this.#waiting) socket.destroy()
  }

  #isGiving(): boolean {
    return this.#waiting.size > 0 || [...this.#takers.values()].some(({ given }) => given !== null)
  }

  #admit(socket: Socket): void {
    if (this.#waiting.size >= bounds.connections.most) return void socket.destroy()
    this.#waiting.add(socket)
    socket.on('error', () => {}).once('close', () => this.#waiting.delete(socket))
    this.#spread()
  }

  #spread(): void {
    for (const socket of this.#waiting) {
      const free = [...this.#takers].filter(([, { given, isLeaving }]) => given === null && !isLeaving)
      const [first, ...others] = free
      if (first === undefined) return
      const [child, taker] = others.reduce((best, each) => (each[1].open < best[1].open ? each : best), first)
      taker.open += 1
      taker.given = socket
      this.#waiting.delete(socket)
      child.give(socket)
    }
  }
}

/** As the framework tells it: for all addresses of the machine, its own. */
function addressOf(server: Server): string {
  const bound = server.address()
  if (typeof bound !== 'object' || bound === null) throw new Error('the server does not listen')
  const host = { '0.0.0.0': '127.0.0.1', '::': '::1' }[bound.address] ?? bound.address
  return `http://${host.includes(':') ? `[${host}]` : host}:${bound.port}`
}
