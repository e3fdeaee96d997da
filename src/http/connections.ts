import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

interface Connection {
  /** Answers that are not sent to their end yet, in the order of their requests. */
  readonly running: Set<ServerResponse>
  /** Bytes that had come when nothing was running any more; what comes on top begins a request. */
  seen: number
  /** The answer to the last request says that the connection is closed: no further request is taken. */
  over: boolean
}

/** Requests that are on their way when a server begins to stop come in time. */
const graceMilliseconds = 100

/** The open connections of a server, and what is asked on each: a server that stops waits for answers, and nothing else. */
export class Connections {
  readonly #server: Server
  readonly #open = new Map<Socket, Connection>()
  #ending = false

  constructor(server: Server) {
    this.#server = server
    // A client may close its sending half behind its last request. Node.js would close the other half at once, without
    // the answer; with this, which its documentation does not name, it does so after the answer.
    Object.assign(server, { httpAllowHalfOpen: true })
    server.on('connection', (socket: Socket) => {
      this.#open.set(socket, { running: new Set(), seen: 0, over: false })
      socket.once('close', () => this.#open.delete(socket))
    })
    server.prependListener('request', (request, response) => this.#begin(request, response))
  }

  /** Whether the request may be served: one that follows the last of its connection gets no answer, and no effect. */
  serves({ socket }: IncomingMessage, response: ServerResponse): boolean {
    return this.#open.get(socket)?.running.has(response) ?? true
  }

  #begin({ socket }: IncomingMessage, response: ServerResponse): void {
    const connection = this.#open.get(socket)
    if (connection === undefined || connection.over || socket.writableEnded) return
    connection.over = this.#ending
    connection.running.add(response)
    response.once('close', () => {
      connection.running.delete(response)
      if (connection.running.size > 0) return
      connection.seen = socket.bytesRead
      if (connection.over) socket.destroySoon()
    })
  }

  /**
   * Takes no further request from a connection on which something came that is none. Whether the next answer sent is
   * for that: when earlier requests wait for theirs, they get them, and it gets none.
   */
  breakOff(socket: Socket): boolean {
    const connection = this.#open.get(socket)
    if (connection === undefined) return true
    connection.over = true
    const [first, ...others] = connection.running
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
      if (connection.running.size > 0) announceEnd(connection)
      else if (socket.bytesRead === connection.seen) socket.destroy()
    }
  }

  #destroyAll(): void {
    for (const socket of this.#open.keys()) socket.destroy()
  }
}

/** `Connection: close`, in the last answer. */
function announceEnd(connection: Connection): void {
  connection.over = true
  const last = [...connection.running].at(-1)
  if (last !== undefined) last.shouldKeepAlive = false
}
