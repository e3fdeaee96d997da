import { createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type ConnectionPlace,
  type ConnectionShares,
  explainingListen,
  listeningHost,
} from '../../entrypoints/http/index.ts'
import { bounds } from '../../kernel/index.ts'
import type { Config } from '../config.ts'
import { type Child, stillLooks } from './child.ts'
import { type FromPart, machineTime } from './messages.ts'

/** How long a stopping server tries to hand out connections that no process has taken yet. */
const handOutMilliseconds = 2000
const waitMilliseconds = 10

/** A connection, and its slot among those of the server. */
interface Connection {
  readonly id: number
  readonly socket: Socket
  readonly place: ConnectionPlace
}

/** A process that takes connections. */
interface Taker {
  /** The slots of its open connections, by their number. */
  readonly open: Map<number, ConnectionPlace>
  /**
   * The connection that was passed to it and not yet confirmed. If the process ends or stalls first, another process gets the connection.
   */
  given: Connection | null
  /** How many checks there were since then. */
  looks: number
  /** Whether it is about to end, and gets no further connections. */
  isLeaving: boolean
}

/**
 * The port of a server of several processes, which distributes all connections. Each goes to the process with the fewest, among those that
 * have not stalled and have confirmed the last connection. If none is free, connections wait (docs/adr/0020).
 */
export class ConnectionBalancer {
  #address = ''
  readonly #server: Server
  readonly #shares: ConnectionShares
  readonly #waiting = new Set<Connection>()
  /** Waiting connections that may only send one probe are served first. */
  readonly #waitingProbes = new Set<Connection>()
  readonly #takers = new Map<Child, Taker>()
  #connections = 0

  constructor(shares: ConnectionShares) {
    this.#shares = shares
    this.#server = createServer({ pauseOnConnect: true, noDelay: true }, socket => this.#admit(socket))
  }

  /** Starts to listen, and resolves to the address. Throws an error that says what is wrong with it, and which setting changes it. */
  async listen(config: Pick<Config, 'host' | 'port'>): Promise<string> {
    await explainingListen(config, () => {
      return new Promise<void>((resolve, reject) => {
        this.#server.once('error', reject).listen({ host: listeningHost(config), port: config.port }, resolve)
      })
    })
    // If a connection cannot be accepted, because too many files are open, the server goes on with the next one.
    this.#server.removeAllListeners('error').on('error', () => {})
    this.#address = addressOf(this.#server)
    for (const child of this.#takers.keys()) child.tell({ crm: 'address', address: this.#address })
    return this.#address
  }

  /** From now on this process takes connections. */
  open(child: Child): void {
    if (this.#address !== '') child.tell({ crm: 'address', address: this.#address })
    this.#takers.set(child, { open: new Map(), given: null, looks: 0, isLeaving: false })
    this.#spread()
  }

  /** This process gets no further connections. */
  close(child: Child): void {
    const taker = this.#takers.get(child)
    if (taker !== undefined) taker.isLeaving = true
  }

  /** This process has ended. */
  forget(child: Child): void {
    const taker = this.#takers.get(child)
    if (taker === undefined) return
    this.#takers.delete(child)
    this.#takeBack(taker)
    for (const place of taker.open.values()) place.leave()
    this.#spread()
  }

  /** Takes back connections that were passed to stalled processes. Called after each check for stalled processes. */
  look(): void {
    for (const [child, taker] of this.#takers) {
      taker.looks += 1
      // A process that resumes after this long knows that it is too late, and does not touch the connection.
      if (child.isStandingStill && taker.looks > stillLooks) this.#takeBack(taker)
    }
    this.#spread()
  }

  /** Handles a message of a process about its connections. */
  take(child: Child, message: FromPart): void {
    const taker = this.#takers.get(child)
    if (taker === undefined || !('connection' in message)) return
    const { crm, connection } = message
    if (crm === 'closed') {
      taker.open.get(connection)?.leave()
      taker.open.delete(connection)
    } else if (taker.given?.id === connection) {
      if (crm === 'late') this.#takeBack(taker)
      // Both processes had the socket open. It stays open in the other one.
      else taker.given.socket.destroy()
      taker.given = null
    }
    this.#spread()
  }

  /** Stops listening, and resolves when every connection that had arrived was taken by a process, or when that took too long. */
  async end(): Promise<void> {
    this.#server.close()
    const late = performance.now() + handOutMilliseconds
    while (this.#isGiving() && performance.now() < late) await sleep(waitMilliseconds)
    this.cutOff()
  }

  /** Stops listening at once, and drops the waiting connections. */
  cutOff(): void {
    this.#server.close()
    for (const { socket } of [...this.#waitingProbes, ...this.#waiting]) socket.destroy()
  }

  #isGiving(): boolean {
    return (
      this.#waitingProbes.size + this.#waiting.size > 0 ||
      [...this.#takers.values()].some(({ given }) => given !== null)
    )
  }

  #admit(socket: Socket): void {
    const place = this.#shares.enter(socket.remoteAddress)
    if (place === null) return void socket.destroy()
    this.#connections += 1
    const connection: Connection = { id: this.#connections, socket, place }
    const waiting = this.#waitingLike(connection)
    waiting.add(connection)
    socket.on('error', () => {}).once('close', () => waiting.delete(connection) && place.leave())
    this.#spread()
  }

  #waitingLike({ place }: Connection): Set<Connection> {
    return place.exceeded === null ? this.#waiting : this.#waitingProbes
  }

  #takeBack(taker: Taker): void {
    const { given } = taker
    if (given === null) return
    taker.given = null
    taker.open.delete(given.id)
    this.#waitingLike(given).add(given)
  }

  #spread(): void {
    for (;;) {
      const free = [...this.#takers].filter(
        ([child, { given, isLeaving }]) => given === null && !isLeaving && !child.isStandingStill,
      )
      const [first, ...others] = free
      if (first === undefined) return
      const [child, taker] = others.reduce((best, each) => (each[1].open.size < best[1].open.size ? each : best), first)
      const room = bounds.connections.most - taker.open.size
      const [probe] = this.#waitingProbes
      const [ordinary] = room > bounds.probeConnections.most ? this.#waiting : []
      const connection = room > 0 ? (probe ?? ordinary) : undefined
      if (connection === undefined) return
      this.#give(connection, child, taker)
    }
  }

  #give(connection: Connection, child: Child, taker: Taker): void {
    const { id, socket, place } = connection
    this.#waitingLike(connection).delete(connection)
    taker.open.set(id, place)
    taker.given = connection
    taker.looks = 0
    child.give(socket, { crm: 'connection', connection: id, exceeded: place.exceeded, at: machineTime() })
  }
}

/** In the form that the framework uses: for all addresses of the machine, the loopback address. */
function addressOf(server: Server): string {
  const bound = server.address()
  if (typeof bound !== 'object' || bound === null) throw new Error('the server does not listen')
  const host = { '0.0.0.0': '127.0.0.1', '::': '::1' }[bound.address] ?? bound.address
  return `http://${host.includes(':') ? `[${host}]` : host}:${bound.port}`
}
