import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { DatabaseLocation } from '../../server/src/kernel/sql/index.ts'

/**
 * The mode of a pooler: one connection for each client permanently, or one for each transaction in turn, with or without a reset of its
 * settings.
 */
export type Lending = 'sessions' | 'transactions' | 'clean transactions'

type Location = Exclude<DatabaseLocation, { url: string }>

interface Frame {
  readonly type: string
  readonly bytes: Buffer
}

/** A connection of the pooler to PostgreSQL, and the client that currently receives its responses. */
interface Backend {
  readonly socket: Socket
  hear: (frame: Frame) => unknown
}

/**
 * Reproduces the relevant behaviour of poolers: startup options are dropped, and connections are shared. It implements as much of
 * PostgreSQL's protocol as the driver uses, without passwords.
 */
export class Pooler {
  lending: Lending
  /** Whether it disconnects a client that is about to receive the confirmation of a commit. */
  losesCommits = false
  readonly #location: Location
  readonly #most: number
  readonly #idle: Backend[] = []
  readonly #waiting: ((backend: Backend) => void)[] = []
  readonly #sockets = new Set<Socket>()
  #opened = 0
  readonly #server = createServer(socket => this.#serve(socket))

  constructor(location: DatabaseLocation, lending: Lending, { most = 40 } = {}) {
    this.#location = 'url' in location ? partsOf(new URL(location.url)) : location
    this.lending = lending
    this.#most = most
  }

  /** Starts it, and resolves to its `DATABASE_URL`. */
  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    const address: AddressInfo | string | null = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('the pooler does not listen on a port')
    return `postgres://${this.#location.user}@127.0.0.1:${address.port}/${this.#location.database}`
  }

  /** Closes all connections, as a pooler does when it is reconfigured. */
  cutOff(): void {
    for (const socket of this.#sockets) socket.destroy()
    this.#idle.length = 0
  }

  async stop(): Promise<void> {
    this.cutOff()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #serve(client: Socket): void {
    this.#keep(client)
    const { lending } = this
    const queued: Buffer[] = []
    let backend: Backend | null = null
    let asked = false
    const next = async () => {
      if (asked || queued.length === 0) return
      asked = true
      backend ??= await this.#lend()
      backend.hear = ({ type, bytes }) => {
        if (this.losesCommits && type === 'C' && bytes.includes('COMMIT')) return client.destroy()
        client.write(bytes)
        if (type !== 'Z') return
        asked = false
        if (backend !== null && lending !== 'sessions' && bytes.at(-1) === idleStatus) {
          void this.#take(backend)
          backend = null
        }
        void next()
      }
      const bytes = queued.shift()
      if (bytes !== undefined) backend.socket.write(bytes)
    }
    let started = false
    let unfinished: Buffer[] = []
    readFrames(
      client,
      () => started,
      frame => {
        if (!started) {
          started = true
          client.write(welcome)
        } else if (frame.type === 'X') client.end()
        else {
          unfinished.push(frame.bytes)
          // A query or a sync ends a batch of messages; later messages wait until that batch is answered.
          if (frame.type !== 'Q' && frame.type !== 'S') return
          queued.push(Buffer.concat(unfinished))
          unfinished = []
          void next()
        }
      },
    )
    client.on('close', () => backend?.socket.destroy())
  }

  async #lend(): Promise<Backend> {
    // At least two are kept, if two are allowed, and the longest idle one is used next: so they alternate.
    if (this.#idle.length < 2 && this.#opened < this.#most) return this.#open()
    const rested = this.#idle.shift()
    return rested ?? new Promise<Backend>(resolve => this.#waiting.push(resolve))
  }

  async #take(backend: Backend): Promise<void> {
    if (this.lending === 'clean transactions') await run(backend, 'discard all')
    const next = this.#waiting.shift()
    if (next === undefined) this.#idle.push(backend)
    else next(backend)
  }

  async #open(): Promise<Backend> {
    this.#opened += 1
    const { host, port, user, database } = this.#location
    const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
    this.#keep(socket)
    socket.on('close', () => {
      this.#opened -= 1
    })
    const backend: Backend = { socket, hear: () => {} }
    const hear = (frame: Frame) => backend.hear(frame)
    readFrames(socket, () => true, hear)
    socket.write(startup(`user\0${user}\0database\0${database}\0\0`))
    await ready(backend)
    return backend
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => this.#sockets.delete(socket))
  }
}

const idleStatus = 'I'.charCodeAt(0)

/** Authenticated and ready for queries. */
const welcome = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, idleStatus])

function ready(backend: Backend): Promise<void> {
  return new Promise(resolve => {
    backend.hear = ({ type }) => type === 'Z' && resolve()
  })
}

/** A statement of the pooler itself. */
function run(backend: Backend, text: string): Promise<void> {
  const head = Buffer.from('Q\0\0\0\0')
  head.writeInt32BE(text.length + 5, 1)
  backend.socket.write(Buffer.concat([head, Buffer.from(`${text}\0`)]))
  return ready(backend)
}

function startup(parameters: string): Buffer {
  const head = Buffer.alloc(8)
  head.writeInt32BE(8 + parameters.length, 0)
  head.writeInt32BE(196_608, 4)
  return Buffer.concat([head, Buffer.from(parameters)])
}

/** Splits the input into messages; before the startup of a connection, messages have no type. */
function readFrames(socket: Socket, hasStarted: () => boolean, take: (frame: Frame) => void): void {
  let rest = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    for (;;) {
      const offset = hasStarted() ? 1 : 0
      if (rest.length < offset + 4) return
      const length = offset + rest.readInt32BE(offset)
      if (rest.length < length) return
      const bytes = rest.subarray(0, length)
      rest = rest.subarray(length)
      take({ type: offset === 0 ? '' : String.fromCharCode(bytes[0] ?? 0), bytes })
    }
  })
}

function partsOf({ hostname, port, username, pathname }: URL): Location {
  return { host: hostname, port: Number(port || 5432), user: username, database: pathname.slice(1) }
}
