import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { isObject, type JsonObject } from '../../../server/src/kernel/schema/index.ts'
import { until } from '../../support/waiting.ts'

/** One answer as it came over the wire; the names of headers in lower case. */
export interface WireAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  readonly body: JsonObject
  readonly error: JsonObject
}

/** A connection that sends exactly the bytes it is told to, when it is told to. */
export class Wire {
  /** The server has closed the connection, or cut it off. */
  closed = false
  /** Nothing can be sent any more either. */
  cut = false
  #received = Buffer.alloc(0)
  readonly #socket: Socket

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', chunk => {
      this.#received = Buffer.concat([this.#received, chunk])
    })
    for (const event of ['end', 'error', 'close'] as const) {
      socket.on(event, () => {
        this.closed = true
      })
    }
    socket.on('close', () => {
      this.cut = true
    })
  }

  /** `from` is the address of this machine that it comes from. */
  static async open(url: string, from?: string): Promise<Wire> {
    const { hostname, port } = new URL(url)
    const origin = from === undefined ? {} : { localAddress: from }
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true, ...origin })
    await once(socket, 'connect')
    return new Wire(socket)
  }

  send(bytes: string | Uint8Array): void {
    this.#socket.write(bytes)
  }

  /** Everything that was sent has left this process, and what has come was taken. */
  async flushed(): Promise<void> {
    await new Promise<void>(resolve => this.#socket.write('', () => setImmediate(resolve)))
  }

  /** Closes the sending half, and goes on to read. */
  sendNoMore(): void {
    this.#socket.end()
  }

  /** Stops reading, as a client does that is busy with something else. */
  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  /** Goes away without a word. */
  hangUp(): void {
    this.#socket.resetAndDestroy()
  }

  /** The server has read the head of a request with `Expect: 100-continue`, and asks for the body. */
  async invited(): Promise<void> {
    await until('100 Continue', () => this.#received.includes('HTTP/1.1 100 Continue\r\n'))
  }

  answers(): WireAnswer[] {
    return parseAnswers(this.#received)
  }

  /** The answers, as soon as there are that many. */
  async answered(count = 1): Promise<WireAnswer[]> {
    return until(`${count} answers`, () => {
      const answers = this.answers()
      if (answers.length < count && this.closed) throw new Error(`closed after ${answers.length} answers`)
      return answers.length >= count && answers
    })
  }

  /** All answers, once the server has closed the connection. */
  async ended(): Promise<WireAnswer[]> {
    await until('the end of the connection', () => this.closed)
    return this.answers()
  }
}

/** Opens a connection, sends the bytes, and resolves to all answers once the server has closed it. */
export async function exchange(url: string, bytes: string | Uint8Array): Promise<WireAnswer[]> {
  const wire = await Wire.open(url)
  wire.send(bytes)
  const answers = await wire.ended()
  wire.hangUp()
  return answers
}

/** The text of a request; `Content-Length` stands for a body unless told otherwise. */
export function requestText(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body = '',
): string {
  const length: Record<string, string> = body === '' ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }
  const lines = Object.entries({ Host: 'crm.example.com', ...length, ...headers })
  return [`${method} ${path} HTTP/1.1`, ...lines.map(([name, value]) => `${name}: ${value}`), '', body].join('\r\n')
}

function parseAnswers(bytes: Buffer): WireAnswer[] {
  const answers: WireAnswer[] = []
  for (let rest = bytes; ; ) {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) return answers
    const [first = '', ...lines] = rest.subarray(0, end).toString().split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3})/u.exec(first)?.[1])
    const headers = Object.fromEntries(lines.map(headerOf))
    const length = Number(headers['content-length'] ?? 0)
    const text = rest.subarray(end + 4, end + 4 + length).toString()
    rest = rest.subarray(end + 4 + length)
    if (Buffer.byteLength(text) < length) return answers
    if (status >= 200) answers.push({ status, headers, text, ...contentOf(text) })
  }
}

function headerOf(line: string): [string, string] {
  const colon = line.indexOf(':')
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
}

function contentOf(text: string): { body: JsonObject; error: JsonObject } {
  const parsed: unknown = text.startsWith('{') ? JSON.parse(text) : {}
  const body = isObject(parsed) ? parsed : {}
  return { body, error: isObject(body.error) ? body.error : {} }
}
