import { Readable } from 'node:stream'
import pg from 'pg'
import { bounds } from '../limits/bounds.ts'
import { giveUp } from './give-up.ts'

// Parts of the driver for `copy` that its types leave out.
declare module 'pg' {
  interface Connection {
    sendCopyFromChunk(chunk: Uint8Array): void
    endCopyFrom(): void
    sendCopyFail(reason: string): void
  }
}

/** `copy … to stdout`: the rows of a table in PostgreSQL's format, with backpressure. */
export class CopyOut extends pg.Query {
  readonly output: Readable
  #connection: pg.Connection | null = null
  #waiting: Uint8Array[] = []
  #size = 0
  #isAnswered = false

  constructor(text: string) {
    super({ text })
    this.output = new Readable({
      read: () => void this.#connection?.stream.resume(),
      destroy: (error, done) => {
        // The reader has stopped early. The connection could be reused only after all other rows were read, so it is closed.
        if (!this.#isAnswered && this.#connection !== null)
          giveUp(this.#connection, error ?? new Error('the rows are not read to their end'))
        done(error)
      },
    })
    // A later reader gets the error. Without a listener, an earlier error would end the process.
    this.output.on('error', () => {})
    this.submit = connection => {
      this.#connection = connection
      connection.query(text)
    }
  }

  handleCopyData({ chunk }: { chunk: Uint8Array }): void {
    // The driver reuses the memory of the chunk.
    this.#waiting.push(Uint8Array.from(chunk))
    this.#size += chunk.length
    if (this.#size >= bounds.largePart.most && !this.#flush()) this.#connection?.stream.pause()
  }

  handleCommandComplete(): void {
    this.#flush()
  }

  handleReadyForQuery(): void {
    this.#isAnswered = true
    this.output.push(null)
  }

  handleError(error: Error): void {
    this.#isAnswered = true
    this.output.destroy(error)
  }

  /** Returns false if the reader needs a pause. */
  #flush(): boolean {
    const chunk = Buffer.concat(this.#waiting)
    this.#waiting = []
    this.#size = 0
    return chunk.length === 0 || this.output.push(chunk)
  }
}

/** `copy … from stdin`: writes rows in the format of `CopyOut`. */
export class CopyIn extends pg.Query {
  /** Resolves to the number of rows written. */
  readonly written: Promise<number>
  readonly #source: AsyncIterable<Uint8Array>
  readonly #ended = new AbortController()
  #settle: { resolve: (rows: number) => void; reject: (error: unknown) => void }
  #rows = 0
  #failure: unknown

  constructor(text: string, source: AsyncIterable<Uint8Array>) {
    super({ text })
    this.#source = source
    this.#settle = { resolve: () => {}, reject: () => {} }
    this.written = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject }
    })
    this.submit = connection => connection.query(text)
  }

  handleCopyInResponse(connection: pg.Connection): void {
    this.#send(connection).catch(error => {
      this.#failure = error
      connection.sendCopyFail('the rows cannot be read')
    })
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.#rows = Number(/^COPY (\d+)$/u.exec(text)?.[1])
  }

  handleReadyForQuery(): void {
    this.#settle.resolve(this.#rows)
  }

  handleError(error: unknown): void {
    this.#ended.abort()
    this.#settle.reject(this.#failure ?? error)
  }

  async #send(connection: pg.Connection): Promise<void> {
    for await (const chunk of this.#source) {
      // PostgreSQL accepts nothing more after an error.
      if (this.#ended.signal.aborted) return
      connection.sendCopyFromChunk(chunk)
      if (connection.stream.writableNeedDrain) await drained(connection, this.#ended.signal)
    }
    connection.endCopyFrom()
  }
}

/** Resolves when the connection accepts more data, or never will. */
function drained({ stream }: pg.Connection, ended: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const go = () => {
      for (const event of ['drain', 'close']) stream.off(event, go)
      ended.removeEventListener('abort', go)
      resolve()
    }
    for (const event of ['drain', 'close']) stream.once(event, go)
    ended.addEventListener('abort', go)
  })
}
