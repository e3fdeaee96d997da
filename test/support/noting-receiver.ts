import { createServer, type Server } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from './random.ts'

/** A call that has arrived. */
export interface Call {
  readonly id: string
  readonly webhook: string
  readonly body: string
  readonly arrived: number
  /** When the answer was given to the operating system; null while it is under way. */
  answered: number | null
}

/** A receiver that takes everything, each within some milliseconds, and notes what arrives and when. */
export class NotingReceiver {
  readonly calls: Call[] = []
  readonly #server: Server

  constructor(random: Random, mostMilliseconds: number) {
    this.#server = createServer((request, response) => {
      void text(request).then(
        async body => {
          const id = String(request.headers['webhook-id'])
          const call: Call = { id, webhook: id.split('_')[2] ?? '', body, arrived: Date.now(), answered: null }
          this.calls.push(call)
          await sleep(random.between(0, mostMilliseconds))
          call.answered = Date.now()
          response.end()
        },
        () => {},
      )
    })
  }

  /** Starts; resolves to its address. */
  async listen(): Promise<string> {
    await new Promise<void>(resolve => this.#server.listen(0, '127.0.0.1', resolve))
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('the receiver does not listen on a port')
    return `http://127.0.0.1:${address.port}/hook`
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }
}
