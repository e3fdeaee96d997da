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

/** How long a server that stops looks for a process for connections that no process has taken yet. */
const handOutMilliseconds = 2000
const waitMilliseconds = 10

/** A connection, and its place among those of the server. */
interface Connection {
  readonly id: number
  readonly socket: Socket
  readonly place: ConnectionPlace
}

/** A process that takes connections. */
interface Taker {
  /** The places of the connections that it has and that are not closed, by their number. */
  readonly open: Map<number, ConnectionPlace>
  /** The connection that it was given, until it says that it has it. If it ends or stands still before, another process is given it. */
  given: Connection | null
  /** How often it was looked at since. */
  looks: number
  /** Whether it is to end, and gets no further ones. */
  isLeaving: boolean
}

/**
 * The port of a server of several processes, where all of its connections are shared out. Each goes to the process that has the fewest,
 * of those that do not stand still and have taken what they were given before. Where none is free, connections wait (docs/adr/0020).
 */
export class ConnectionBalancer {
  #address = ''
  readonly #server: Server
  readonly #shares: ConnectionShares
  readonly #waiting = new Set<Connection>()
  /** Those that wait to be answered one probe come first. */
  readonly #waitingProbes = new Set<Connection>()
  readonly #takers = new Map<Child, Taker>()
  #connections = 0

  constructor(shares: ConnectionShares) {
    this.#shares = shares
    this.#server = createServer({ pauseOnConnect: true, noDelay: true }, socket => this.#admit(socket))
  }

  /** Begins to listen, and resolves to the address. Throws what is wrong with it, and which setting changes it. */
  async listen(config: Pick<Config, 'host' | 'port'>): Promise<string> {
    await explainingListen(config, () => {
      return new Promise<void>((resolve, reject) => {
        this.#server.once('error', reject).listen({ host: listeningHost(config), port: config.port }, resolve)
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
    this.#takers.set(child, { open: new Map(), given: null, looks: 0, isLeaving: false })
    this.#spread()
  }

  /** This process gets no further ones. */
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

  /** Takes back what processes were given that stand still. Called at the pace at which it is looked whether they run. */
  look(): void {
    for (const [child, taker] of this.#takers) {
      taker.looks += 1
      // One that goes on after so long knows that it is too late, and does not touch the connection.
      if (child.isStandingStill && taker.looks > stillLooks) this.#takeBack(taker)
    }
    this.#spread()
  }

  /** Takes what a process tells of its connections. */
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

  /** Stops to listen, and resolves when some process has each connection that had come, or there was none for too long. */
  async end(): Promise<void> {
    this.#server.close()
    const late = performance.now() + handOutMilliseconds
    while (this.#isGiving() && performance.now() < late) await sleep(waitMilliseconds)
    this.cutOff()
  }

  /** Stops to listen at once, and leaves those who wait. */
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

/** As the framework tells it: for all addresses of the machine, its own. */
function addressOf(server: Server): string {
  const bound = server.address()
  if (typeof bound !== 'object' || bound === null) throw new Error('the server does not listen')
  const host = { '0.0.0.0': '127.0.0.1', '::': '::1' }[bound.address] ?? bound.address
  return `http://${host.includes(':') ? `[${host}]` : host}:${bound.port}`
}
