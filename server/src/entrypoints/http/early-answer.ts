import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { crmConventions, type Reply, refuse, replyRefusal } from '../../kernel/index.ts'
import { MinimumRate } from './read-body.ts'
import { assignRequestId } from './request-head.ts'

const linger = { milliseconds: 10_000, silentMilliseconds: 2000, bytes: 32 * 1024 * 1024 }

/**
 * Answers a request whose body was not completely read. Returns false if an earlier answer is not sent yet, or the
 * client is gone.
 */
export function answerEarly(response: ServerResponse, reply: Reply): boolean {
  const { req: request, socket } = response
  if (socket === null || socket !== request.socket || socket.destroyed) return false
  const { status, headers } = reply
  const body = bytesOf(reply)
  response.writeHead(status, { ...headers, 'Content-Length': body.length, Connection: 'close' })
  response.flushHeaders()
  response.write(body)
  const pace = new MinimumRate(request)
  request.on('data', (chunk: Buffer) => pace.count(chunk.length))
  request.resume()
  endReading(socket)
  return true
}

/** Answers data that is not an HTTP request. */
export function answerMalformed(socket: Socket): void {
  const reply = replyRefusal(crmConventions, assignRequestId(null), refuse('validation_error'))
  const { status, headers } = reply
  const body = bytesOf(reply)
  const lines = Object.entries({ ...headers, 'Content-Length': String(body.length), Connection: 'close' })
  const head = [`HTTP/1.1 ${status} Bad Request`, ...lines.map(([name, value]) => `${name}: ${value}`)].join('\r\n')
  socket.write(`${head}\r\n\r\n${body.toString()}`)
  endReading(socket)
}

function bytesOf({ body }: Reply): Buffer {
  return typeof body === 'string' ? Buffer.from(body) : Buffer.concat(body)
}

/**
 * Closes the sending half of a connection, and discards what still comes for a limited time. If the connection were
 * closed at once, it would be reset, and most clients would see the reset instead of the answer, because they read the
 * answer only after sending everything.
 */
function endReading(socket: Socket): void {
  socket.end()
  const started = Date.now()
  const most = socket.bytesRead + linger.bytes
  let heard = { bytes: socket.bytesRead, at: started }
  const timer = setInterval(() => {
    const now = Date.now()
    if (socket.bytesRead !== heard.bytes) heard = { bytes: socket.bytesRead, at: now }
    const over = now - started > linger.milliseconds || now - heard.at > linger.silentMilliseconds
    if (over || heard.bytes > most) socket.destroy()
  }, 50)
  socket.once('close', () => clearInterval(timer))
}
