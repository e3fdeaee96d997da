import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { bounds } from '../../kernel/index.ts'

/** A request whose answer is not sent to its end yet. */
interface Pending {
  /** Tells a request that waits for the one before it whether it may go on; null when it does not wait. */
  begin: ((serves: boolean) => void) | null
  readonly whenGone: Set<() => void>
  readonly whenClosed: (() => void)[]
}

interface Connection {
  /** In the order of the requests. */
  readonly pending: Map<ServerResponse, Pending>
  /** Bytes that had come when nothing was pending any more; what comes on top begins a request. */
  seen: number
  /** The answer to the last request says that the connection is closed: no further request is taken. */
  over: boolean
  /** Since when nothing came or went, and when that was last heard, as of `performance`. */
  silentSince: number
  heardSilence: number
}

/** What becomes of a request: it is served, at once or when those before it are; it is refused; or it gets no answer. */
export type Turn = 'serve' | 'refuse' | 'ignore' | Promise<boolean>

/** How long nothing comes or goes on a connection before it is looked at. */
const lookMilliseconds = 5000

/** Requests that are on their way when a server begins to stop come in time. */
const graceMilliseconds = 100

/**
 * The open connections of a server, and what is asked on each. The requests of one connection are served one after
 * another: writes keep their order, and what nobody waits for any more is not begun. A server that stops waits for
 * answers, and nothing else.
 */
export class Connections {
  readonly #server: Server
  readonly #open = new Map<Socket, Connection>()
  #ending = false

  constructor(server: Server) {
    this.#server = server
    server.maxConnections = bounds.connections.most
    // A client may close its sending half behind its last request. Node.js would close the other half at once, without
    // the answer; with this, which its documentation does not name, it does so after the answer.
    Object.assign(server, { httpAllowHalfOpen: true })
    server.on('connection', (socket: Socket) => {
      const connection: Connection = {
        pending: new Map(),
        seen: 0,
        over: false,
        silentSince: 0,
        heardSilence: Number.NEGATIVE_INFINITY,
      }
      this.#open.set(socket, connection)
      socket.once('close', () => {
        this.#open.delete(socket)
        abandonAll(connection)
      })
    })
    server.setTimeout(lookMilliseconds, (socket: Socket) => this.#hearSilence(socket))
    server.prependListener('request', (request, response) => this.#begin(request, response))
  }

  /** Whether a request may be served: one that follows the last of its connection gets no answer, and no effect. */
  turn({ socket }: IncomingMessage, response: ServerResponse): Turn {
    const connection = this.#open.get(socket)
    if (connection === undefined) return 'serve'
    const { pending } = connection
    const own = pending.get(response)
    if (own === undefined) return 'ignore'
    if (pending.size === 1) return 'serve'
    if (pending.size - 1 > bounds.connectionRequests.most) {
      connection.over = true
      response.shouldKeepAlive = false
      return 'refuse'
    }
    return new Promise(resolve => {
      own.begin = resolve
    })
  }

  /** Calls the listener when the client leaves before it has its answer; answers how to stop listening. */
  whenGone(response: ServerResponse, listener: () => void): () => void {
    const listeners = this.#pendingOf(response)?.whenGone
    if (listeners === undefined) {
      if (response.destroyed) listener()
      return () => {}
    }
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

  /** Calls the listener when the answer was sent, or when nobody waits for it any more. */
  whenClosed(response: ServerResponse, listener: () => void): void {
    const pending = this.#pendingOf(response)
    if (pending !== undefined) pending.whenClosed.push(listener)
    else if (response.destroyed) listener()
    else response.once('close', listener)
  }

  /**
   * Told of each connection on which nothing came or went for the time of a look; ends it after long enough, unless a
   * request on it is being served. Node.js takes an answer of which a part went as not silent, however slowly it is read.
   */
  #hearSilence(socket: Socket): void {
    const connection = this.#open.get(socket)
    if (connection === undefined) return
    const now = performance.now()
    if (now - connection.heardSilence > 2 * lookMilliseconds) connection.silentSince = now - lookMilliseconds
    connection.heardSilence = now
    const [first] = connection.pending.keys()
    const isAnswered = first?.headersSent === true
    const isServed = first !== undefined && first.req.complete && !isAnswered
    const { most } = isAnswered ? bounds.unreadAnswer : bounds.connectionSilence
    // One that has nothing to say between two requests may be silent for as long as connections are kept.
    const isKept = first === undefined && connection.seen > 0
    if (isKept || (!isServed && now - connection.silentSince >= most)) socket.destroy()
    else socket.setTimeout(lookMilliseconds)
  }

  #pendingOf(response: ServerResponse): Pending | undefined {
    return this.#open.get(response.req.socket)?.pending.get(response)
  }

  #begin({ socket }: IncomingMessage, response: ServerResponse): void {
    const connection = this.#open.get(socket)
    if (connection === undefined || connection.over || socket.writableEnded) return
    connection.over = this.#ending
    const own: Pending = { begin: null, whenGone: new Set(), whenClosed: [] }
    connection.pending.set(response, own)
    response.once('close', () => {
      // Nobody is there: neither for this answer nor for those behind it.
      if (socket.destroyed) return abandonAll(connection)
      connection.pending.delete(response)
      for (const listener of own.whenClosed) listener()
      const [next] = connection.pending.values()
      if (next !== undefined) return next.begin?.(true)
      connection.seen = socket.bytesRead
      if (connection.over) socket.destroySoon()
    })
  }

  /**
   * Takes no further request from a connection that sent something that is no HTTP. Answers whether the next answer on
   * it is for that: requests before it that still wait for theirs get them, and then it gets none.
   */
  breakOff(socket: Socket): boolean {
    const connection = this.#open.get(socket)
    if (connection === undefined) return true
    connection.over = true
    const [first, ...others] = connection.pending.keys()
    // An incomplete request is the one that is broken.
    if (first === undefined || (others.length === 0 && !first.req.complete && !first.headersSent)) return true
    announceEnd(connection)
    return false
  }

  /** Closes what asks nothing at once, the others after their answers, and all of them in the end. */
  async end(milliseconds: number): Promise<void> {
    this.#ending = true
    if (!this.#server.listening) return
    const late = setTimeout(() => this.#destroyAll(), milliseconds)
    this.#server.once('close', () => clearTimeout(late))
    await sleep(graceMilliseconds)
    for (const [socket, connection] of this.#open) {
      if (connection.pending.size > 0) announceEnd(connection)
      else if (socket.bytesRead === connection.seen) socket.destroy()
    }
  }

  #destroyAll(): void {
    for (const socket of this.#open.keys()) socket.destroy()
  }
}

/** The client is gone: what waits is not begun, what runs is told, and what it holds is given back. */
function abandonAll({ pending }: Connection): void {
  const all = [...pending.values()]
  pending.clear()
  for (const { begin, whenGone, whenClosed } of all) {
    begin?.(false)
    for (const listener of [...whenGone, ...whenClosed]) listener()
  }
}

/** `Connection: close`, in the last answer. */
function announceEnd(connection: Connection): void {
  connection.over = true
  const last = [...connection.pending.keys()].at(-1)
  if (last !== undefined) last.shouldKeepAlive = false
}
