import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** An address that leads to another one, as that of a database does which is handed over from one server to the next. */
export class Forwarder {
  readonly port: number
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #target: number | null

  private constructor(server: Server, port: number, target: number | null) {
    this.#server = server
    this.port = port
    this.#target = target
    server.on('connection', socket => this.#forward(socket))
  }

  static async start(target: number | null): Promise<Forwarder> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address: AddressInfo | string | null = server.address()
    if (address === null || typeof address === 'string') throw new Error('a server on a port has a port')
    return new Forwarder(server, address.port, target)
  }

  /** Ends all connections; later ones lead to this port, or nowhere. */
  leadTo(target: number | null): void {
    this.#target = target
    for (const socket of this.#sockets) socket.destroy()
  }

  async close(): Promise<void> {
    this.leadTo(null)
    this.#server.close()
    await once(this.#server, 'close')
  }

  #forward(socket: Socket): void {
    if (this.#target === null) return void socket.destroy()
    const further = connect(this.#target, '127.0.0.1')
    for (const [one, other] of [
      [socket, further],
      [further, socket],
    ] as const) {
      this.#sockets.add(one)
      one.on('error', () => {})
      one.once('close', () => {
        this.#sockets.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  }
}
