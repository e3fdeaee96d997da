import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type BoundName, bounds } from '../../kernel/index.ts'
import type { ConnectionPlace, Exceeded } from './connection-shares.ts'

/** A request whose answer is not completely sent yet. */
interface Pending {
  /** Set while the request waits for the one before it. The argument says whether the request is then served. */
  begin: ((serves: boolean) => void) | null
  /** Whether the answer is the last one of its connection, unless the token proves valid. */
  isLastWithoutToken: boolean
  readonly whenGone: Set<() => void>
  readonly whenClosed: (() => void)[]
}

interface Connection {
  /** Set if the connection has a slot for one probe. */
  readonly exceeded: Exceeded | null
  /** The requests without a complete answer, in the order of arrival. */
  readonly pending: Map<ServerResponse, Pending>
  /** The bytes received when the last answer was sent. If there are more now, a request has begun. */
  seen: number
  /** Set when the answer to the last request announces that the connection closes: no more requests are accepted. */
  over: boolean
  /** Since when the connection is silent, and when that was last checked, on the clock of `performance.now()`. */
  silentSince: number
  heardSilence: number
  /** Since when it has no request, on the same clock. */
  idleSince: number
  /** When the connection was opened, or last had a request with a valid token, on the same clock. */
  authenticatedAt: number
}

/** What happens to a request: it is served now, or after those before it; it is refused; or it gets no answer. */
export type Turn = 'serve' | 'ignore' | { readonly refuse: BoundName } | Promise<boolean>

/** A connection is checked after this time without data in either direction. */
const lookMilliseconds = 5000

/** How often connections without a valid token are checked. */
const watchMilliseconds = 1000

/** How long a server that begins to stop waits for requests that are on their way. */
const graceMilliseconds = 100

/**
 * The open connections of a server, with their requests. Requests of one connection are served one after another, so that writes keep their
 * order. A request whose client is gone is not begun. A server that stops waits for its answers and for nothing else.
 */
export class Connections {
  readonly #server: Server
  readonly #open = new Map<Socket, Connection>()
  readonly #farewell: Farewell
  /** The answers to requests whose token was found valid. */
  readonly #authenticated = new WeakSet<ServerResponse>()
  #ending = false
  /** Set while a connection is open. */
  #watch: NodeJS.Timeout | undefined

  /** `enter` gives a connection its slot, or null if none is free. */
  constructor(server: Server, farewell: Farewell, enter: (socket: Socket) => ConnectionPlace | null) {
    this.#server = server
    this.#farewell = farewell
    // A client may close its sending half after its last request. Node.js would then close the other half at once,
    // without the answer. With this undocumented option it does so after the answer.
    Object.assign(server, { httpAllowHalfOpen: true })
    server.on('connection', (socket: Socket) => {
      const place = enter(socket)
      if (place === null) return socket.destroy()
      const connection: Connection = {
        exceeded: place.exceeded,
        pending: new Map(),
        seen: 0,
        over: false,
        silentSince: 0,
        heardSilence: Number.NEGATIVE_INFINITY,
        idleSince: performance.now(),
        authenticatedAt: performance.now(),
      }
      this.#open.set(socket, connection)
      this.#watch ??= setInterval(() => this.#closeOverdue(), watchMilliseconds).unref()
      socket.once('close', () => {
        place.leave()
        this.#open.delete(socket)
        abandonAll(connection)
        if (this.#open.size > 0) return
        clearInterval(this.#watch)
        this.#watch = undefined
      })
    })
    server.setTimeout(lookMilliseconds, (socket: Socket) => this.#hearSilence(socket))
    server.prependListener('request', (request, response) => this.#begin(request, response))
  }

  /** Whether to serve a request. A request after the last one of its connection gets no answer and has no effect. */
  turn({ socket }: IncomingMessage, response: ServerResponse): Turn {
    const connection = this.#open.get(socket)
    if (connection === undefined) return 'serve'
    const { pending } = connection
    const own = pending.get(response)
    if (own === undefined) return 'ignore'
    if (connection.exceeded !== null && !isProbe(response.req)) return { refuse: connection.exceeded }
    if (pending.size === 1) return 'serve'
    if (pending.size - 1 > bounds.connectionRequests.most) {
      connection.over = true
      response.shouldKeepAlive = false
      return { refuse: 'connectionRequests' }
    }
    return new Promise(resolve => {
      own.begin = resolve
    })
  }

  /** Whether the address of a request already has its share of connections without this one. */
  isBeyondShare({ socket }: IncomingMessage): boolean {
    return this.#open.get(socket)?.exceeded === 'addressConnections'
  }

  /** Records that the token of a request is valid. Call it before the head of the answer is sent. */
  authenticate(response: ServerResponse): void {
    this.#authenticated.add(response)
    const connection = this.#open.get(response.req.socket)
    const own = connection?.pending.get(response)
    if (connection === undefined || own === undefined) return
    connection.authenticatedAt = performance.now()
    if (!own.isLastWithoutToken) return
    own.isLastWithoutToken = false
    response.shouldKeepAlive = !connection.over
  }

  isAuthenticated(response: ServerResponse): boolean {
    return this.#authenticated.has(response)
  }

  /** Calls the listener when the client leaves before it has its answer. Returns a function that removes the listener. */
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
    // A live answer, or one whose next part is not there yet, leaves its client nothing to read.
    const isRead = isAnswered && first.writableLength === 0 && socket.writableLength === 0
    if (isRead) connection.heardSilence = Number.NEGATIVE_INFINITY
    const isServed = first !== undefined && first.req.complete && (!isAnswered || isRead)
    const { most } = isAnswered ? bounds.unreadAnswer : bounds.connectionSilence
    // Between two requests Node.js sets the timeout of a socket to its keep-alive time. When that has passed, the
    // connection ends.
    const isKept = first === undefined && connection.seen > 0
    if (isKept || (!isServed && now - connection.silentSince >= most)) socket.destroy()
    else socket.setTimeout(lookMilliseconds)
  }

  /**
   * Closes connections that last longer than a client without a valid token may have one: connections for probes, connections with an
   * incomplete request, and connections with an answer that is not read to its end.
   */
  #closeOverdue(): void {
    const now = performance.now()
    for (const [socket, { exceeded, pending, seen, authenticatedAt }] of this.#open) {
      const age = now - authenticatedAt
      if (exceeded !== null) {
        if (age >= bounds.probeConnection.most) socket.destroy()
      } else if (pending.size === 0) {
        if (age >= bounds.unauthenticatedConnection.most && socket.bytesRead !== seen) socket.destroy()
      } else if (age >= bounds.unauthenticatedAnswer.most) {
        if (![...pending.keys()].some(response => this.isAuthenticated(response))) socket.destroy()
      }
    }
  }

  #pendingOf(response: ServerResponse): Pending | undefined {
    return this.#open.get(response.req.socket)?.pending.get(response)
  }

  #begin({ socket }: IncomingMessage, response: ServerResponse): void {
    const connection = this.#open.get(socket)
    if (connection === undefined || connection.over || socket.writableEnded) return
    const isForProbe = connection.exceeded !== null
    connection.over = this.#ending || this.#farewell.isAnnounced || isForProbe
    if (this.#farewell.isAnnounced || isForProbe) response.shouldKeepAlive = false
    const age = performance.now() - connection.authenticatedAt
    const isLastWithoutToken = response.shouldKeepAlive && age >= bounds.unauthenticatedConnection.most
    if (isLastWithoutToken) response.shouldKeepAlive = false
    const own: Pending = {
      begin: null,
      isLastWithoutToken,
      whenGone: new Set(),
      whenClosed: [],
    }
    connection.pending.set(response, own)
    response.once('close', () => {
      // The client is gone, so this answer and those after it are not needed.
      if (socket.destroyed) return abandonAll(connection)
      connection.pending.delete(response)
      for (const listener of own.whenClosed) listener()
      if (this.isAuthenticated(response)) connection.authenticatedAt = performance.now()
      if (own.isLastWithoutToken) {
        connection.over = true
        abandonAll(connection)
      }
      const [next] = connection.pending.values()
      if (next !== undefined) return next.begin?.(true)
      connection.seen = socket.bytesRead
      connection.idleSince = performance.now()
      if (connection.over) socket.destroySoon()
    })
  }

  /**
   * Stops reading requests from a connection that sent something other than HTTP. Returns whether the refusal of that is the next answer to
   * send. If earlier requests still wait for their answers, they get them, and the refusal is not sent.
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
   * Closes connections without a request once they have been silent for as long as `farewell` says, the others after their answers, and all
   * of them after this time.
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
      // A client that may reuse the connection must learn of its end: from this answer, or from the next one if this one has begun.
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

/** Ends all requests of a client that is gone: waiting ones do not begin, running ones are notified. */
function abandonAll({ pending }: Connection): void {
  const all = [...pending.values()]
  pending.clear()
  for (const { begin, whenGone, whenClosed } of all) {
    begin?.(false)
    for (const listener of [...whenGone, ...whenClosed]) listener()
  }
}

const probes = new Set(['/livez', '/readyz', '/metrics'])

/** Whether a request is a health probe. */
export function isProbe({ url = '' }: Pick<IncomingMessage, 'url'>): boolean {
  return probes.has(url.split('?')[0] ?? '')
}

/** Announces the end of the connection in its last answer: `Connection: close`. */
function announceEnd(connection: Connection): void {
  connection.over = true
  const last = [...connection.pending.keys()].at(-1)
  if (last !== undefined) last.shouldKeepAlive = false
}

/**
 * How a server that stops announces this. A balancer that polls `/readyz` gets time to send its requests elsewhere before the server stops
 * listening; a client that does not poll learns from each answer that its connection closes.
 */
export class Farewell {
  #isAnnounced = false
  #silence = 0

  /** Whether `/readyz` reports that the server is stopping. Requests are served as before. */
  get isAnnounced(): boolean {
    return this.#isAnnounced
  }

  /** For how many milliseconds a connection without a request must have been silent before a stopping server closes it. */
  get silence(): number {
    return this.#silence
  }

  announce(): void {
    this.#isAnnounced = true
  }

  /** From now on silent connections stay open for this many milliseconds, because other processes go on serving. */
  waitForSilence(milliseconds: number): void {
    this.#silence = milliseconds
  }
}
