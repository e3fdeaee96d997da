import { randomUUID } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { AnswerCounter } from './answer-counter.ts'
import { type Attack, type Outcome, wholePath } from './protocol.ts'

// The process of the clients that attack: it sends what it is told to, and counts what comes back.

process.on('message', (attack: Attack) => void carryOut(attack).then(outcome => process.send?.(outcome)))
process.on('disconnect', () => process.exit(0))

async function carryOut(attack: Attack): Promise<Outcome> {
  const counter = new AnswerCounter()
  const started = performance.now()
  const body = bodyOf(attack)
  const clients = Array.from({ length: attack.connections }, (_, index) => {
    return new AttackingClient(attack, attack.tokens[index % attack.tokens.length], body, counter)
  })
  const cut = await Promise.all(clients.map(client => client.done))
  const cutOff = cut.filter(Boolean).length
  const { statuses, longest, firstBody } = counter
  return { statuses, longest, firstBody, cutOff, seconds: (performance.now() - started) / 1000 }
}

function bodyOf({ request: { body = '', inBytes = false } }: Attack): Buffer {
  const bytes = Buffer.from(body)
  if (!inBytes) return bytes
  const chunks = Buffer.alloc(bytes.length * 6, '1\r\n-\r\n')
  for (const [index, byte] of bytes.entries()) chunks[index * 6 + 3] = byte
  return Buffer.concat([chunks, Buffer.from('0\r\n\r\n')])
}

/** One client: resolves to whether it was cut off before it had all its answers. */
class AttackingClient {
  readonly done: Promise<boolean>
  readonly #attack: Attack
  readonly #token: string | undefined
  readonly #body: Buffer
  readonly #counter: AnswerCounter
  readonly #until: number
  #finish: (cut: boolean) => void = () => {}

  constructor(attack: Attack, token: string | undefined, body: Buffer, counter: AnswerCounter) {
    this.#attack = attack
    this.#token = token
    this.#body = body
    this.#counter = counter
    this.#until = performance.now() + (attack.repeatMilliseconds ?? 0)
    this.done = new Promise(resolve => {
      this.#finish = resolve
    })
    this.#open()
  }

  #open(): void {
    const { url, from, pipelined = 1, unread = false, pauseMilliseconds = 0, hangUpMilliseconds } = this.#attack
    const { hostname, port } = new URL(url)
    const origin = from === undefined ? {} : { localAddress: from }
    const socket = connect({ host: hostname, port: Number(port), ...origin })
    let missing = pipelined
    const parse = this.#counter.parser(last => {
      missing -= 1
      if (missing > 0) return
      if (last || performance.now() > this.#until) return socket.destroy()
      missing = pipelined
      if (pauseMilliseconds === 0) this.#send(socket)
      else setTimeout(() => this.#send(socket), pauseMilliseconds)
    })
    if (unread) socket.pause()
    else socket.on('data', parse)
    socket.on('error', () => {})
    socket.on('close', () => {
      // Not at once: a server that refuses connections would be asked for nothing else.
      if (performance.now() < this.#until) setTimeout(() => this.#open(), Math.max(20, pauseMilliseconds))
      else this.#finish(missing > 0 && hangUpMilliseconds === undefined)
    })
    this.#send(socket)
    if (hangUpMilliseconds !== undefined) setTimeout(() => socket.resetAndDestroy(), hangUpMilliseconds)
  }

  #send(socket: Socket): void {
    const { pipelined = 1, request } = this.#attack
    const { method, path, inBytes = false } = request
    for (let count = 0; count < pipelined; count += 1) {
      const length = inBytes ? 'Transfer-Encoding: chunked' : `Content-Length: ${this.#body.length}`
      const lines = [`${method} ${wholePath(path)} HTTP/1.1`, 'Host: crm.example.com']
      if (this.#token !== undefined) lines.push(`Authorization: Bearer ${this.#token}`)
      if (method === 'POST') lines.push(`Idempotency-Key: ${randomUUID()}`, 'Content-Type: application/json', length)
      socket.write(`${lines.join('\r\n')}\r\n\r\n`)
      if (method === 'POST') socket.write(this.#body)
    }
  }
}
