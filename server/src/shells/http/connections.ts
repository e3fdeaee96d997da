import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { bounds } from '../../kernel/index.ts'
import type { Farewell } from './farewell.ts'

/** A request whose answer is not completely sent yet. */
interface Pending {
  /** Set while the request waits for the one before it; called with whether it is then served. */
  begin: ((serves: boolean) => void) | null
  readonly whenGone: Set<() => void>
  readonly whenClosed: (() => void)[]
}

interface Connection {
  /** The requests without a complete answer, in their order. */
  readonly pending: Map<ServerResponse, Pending>
  /** The bytes that had come when the last answer was sent. If more have come since, a request has begun. */
  seen: number
  /** Set when the answer to the last request announces that the connection closes: no more requests are taken. */
  over: boolean
  /** Since when the connection is silent, and when that was last noticed, on the clock of `performance.now()`. */
  silentSince: number
  heardSilence: number
  /** Since when it has no request, on the same clock. */
  idleSince: number
}

/** What happens to a request: it is served now, or after those before it; it is refused; or it gets no answer. */
export type Turn = 'serve' | 'refuse' | 'ignore' | Promise<boolean>

/** After this time without data in either direction a connection is looked at. */
const lookMilliseconds = 5000

/** Requests that are on their way when the server begins to stop get this time to arrive. */
const graceMilliseconds = 100

/**
 * The open connections of a server, with their requests. Requests of one connection are served one after another, so
 * that writes keep their order, and a request whose client is gone is not begun. A server that stops waits for its
 * answers and for nothing else.
 */
export class Connections {
  readonly #server: Server
  readonly #open = new Map<Socket, Connection>()
  readonly #farewell: Farewell
  #ending = false

  constructor(server: Server, farewell: Farewell) {
    this.#server = server
    this.#farewell = farewell
    // A client may close its sending half after its last request. Node.js would then close the other half at once,
    // without the answer. With this undocumented option it does so after the answer.
    Object.assign(server, { httpAllowHalfOpen: true })
    server.on('connection', (socket: Socket) => {
      // Not `maxConnections`, which counts those alone that this process has accepted.
      if (this.#open.size >= bounds.connections.most) return socket.destroy()
      const connection: Connection = {
        pending: new Map(),
        seen: 0,
        over: false,
        silentSince: 0,
        heardSilence: Number.NEGATIVE_INFINITY,
        idleSince: performance.now(),
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

  /** Whether a request is served. A request after the last one of its connection gets no answer and has no effect. */
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

  /** Calls the listener when the client leaves before it has its answer; returns the function that stops listening. */
  whenGone(response: ServerResponse, listener: () => void): () => void {
    const listeners = this.#pendingOf(response)?.whenGone
    if (listeners === undefined) {
      if (response.destroyed) listener()
      return () => {}
    }
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

  /** Calls the listener when the answer was sent, or when the client is gone. */
  whenClosed(response: ServerResponse, listener: () => void): void {
    const pending = this.#pendingOf(response)
    if (pending !== undefined) pending.whenClosed.push(listener)
    else if (response.destroyed) listener()
    else response.once('close', listener)
  }

  /**
   * Called for each connection that was silent for `lookMilliseconds`. Ends the connection after its bound, unless a
   * request on it is being executed. Node.js does not count an answer as silent if a part of it was sent, however
   * slowly it is read.
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
    // Between two requests Node.js sets the timeout of a socket to its keep-alive time. When that has passed, the
    // connection ends.
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
    connection.over = this.#ending || this.#farewell.isAnnounced
    if (this.#farewell.isAnnounced) response.shouldKeepAlive = false
    const own: Pending = { begin: null, whenGone: new Set(), whenClosed: [] }
    connection.pending.set(response, own)
    response.once('close', () => {
      // The client is gone, so neither this answer nor those behind it are needed.
      if (socket.destroyed) return abandonAll(connection)
      connection.pending.delete(response)
      for (const listener of own.whenClosed) listener()
      const [next] = connection.pending.values()
      if (next !== undefined) return next.begin?.(true)
      connection.seen = socket.bytesRead
      connection.idleSince = performance.now()
      if (connection.over) socket.destroySoon()
    })
  }

  /**
   * Stops taking requests from a connection that sent something that is not HTTP. Returns whether the next answer on it
   * is the refusal of that. If earlier requests still wait for their answers they get them, and the refusal is not
   * sent.
   */
  breakOff(socket: Socket): boolean {
    const connection = this.#open.get(socket)
    if (connection === undefined) return true
    connection.over = true
    const [first, ...others] = connection.pending.keys()
    // If a request is incomplete, it is the malformed one.
    if (first === undefined || (others.length === 0 && !first.req.complete && !first.headersSent)) return true
    announceEnd(connection)
    return false
  }

  /**
   * Closes connections without a request once they have been silent for as long as the farewell says, the others after their answers,
   * and all of them after this time.
   */
  async end(milliseconds: number): Promise<void> {
    const { silence } = this.#farewell
    this.#ending = true
    const isFed = !this.#server.listening
    if (isFed && this.#open.size === 0) return
    const late = setTimeout(() => this.#destroyAll(), milliseconds)
    if (silence === 0) await sleep(graceMilliseconds)
    for (const connection of this.#open.values()) {
      const last = [...connection.pending.keys()].at(-1)
      // A client that may go on using the connection has to be told of its end: by this answer, or by the next one if this has begun.
      if (last !== undefined && !(silence > 0 && last.headersSent)) announceEnd(connection)
    }
    this.#closeIdle(silence)
    if (!isFed) return void this.#server.once('close', () => clearTimeout(late))
    // The server does not wait for connections that another process has accepted.
    while (this.#open.size > 0) {
      await sleep(graceMilliseconds)
      this.#closeIdle(silence)
    }
    clearTimeout(late)
  }

  #closeIdle(silence: number): void {
    const now = performance.now()
    for (const [socket, { pending, seen, idleSince }] of this.#open) {
      if (pending.size === 0 && socket.bytesRead === seen && now - idleSince >= silence) socket.destroy()
    }
  }

  #destroyAll(): void {
    for (const socket of this.#open.keys()) socket.destroy()
  }
}

/** Ends all requests of a client that is gone: waiting ones do not begin, running ones are told. */
function abandonAll({ pending }: Connection): void {
  const all = [...pending.values()]
  pending.clear()
  for (const { begin, whenGone, whenClosed } of all) {
    begin?.(false)
    for (const listener of [...whenGone, ...whenClosed]) listener()
  }
}

/** Announces the end of the connection in its last answer: `Connection: close`. */
function announceEnd(connection: Connection): void {
  connection.over = true
  const last = [...connection.pending.keys()].at(-1)
  if (last !== undefined) last.shouldKeepAlive = false
}
