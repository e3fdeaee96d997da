import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../../support/client.ts'
import { AnswerCounter } from './answer-counter.ts'

/**
 * Asks for something long and reads so many bytes of the answer a second, and the rest as fast as it comes when the time
 * is over. Resolves to the number of whole answers by status: none when the connection was cut off.
 */
export async function readSlowly(
  url: string,
  { token }: Client,
  path: string,
  { bytesPerSecond, milliseconds }: { bytesPerSecond: number; milliseconds: number },
): Promise<Readonly<Record<string, number>>> {
  const { hostname, port } = new URL(url)
  const counter = new AnswerCounter()
  const socket = connect({ host: hostname, port: Number(port) })
  const parse = counter.parser(() => socket.destroy())
  socket.on('error', () => {})
  const head = [`GET /api/v1/crm${path} HTTP/1.1`, 'Host: crm.example.com', `Authorization: Bearer ${token}`]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  const closed = new Promise<void>(resolve => void socket.once('close', () => resolve()))
  // Read by hand, a socket takes no more from the kernel than fits in its own small buffer.
  const byHand = () => {}
  socket.on('readable', byHand)
  const over = performance.now() + milliseconds
  for (let allowed = 0; performance.now() < over && !socket.destroyed; await sleep(250)) {
    allowed += bytesPerSecond / 4
    while (allowed > 0) {
      const part: Buffer | null = socket.read()
      if (part === null) break
      allowed -= part.length
      parse(part)
    }
  }
  socket.off('readable', byHand).on('data', parse).resume()
  await closed
  return counter.statuses
}
