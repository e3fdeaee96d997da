import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { AnswerCounter } from './support/answer-counter.ts'
import { openConnections } from './support/connections.ts'
import { everyAttack } from './support/promises.ts'
import { type Measured, useStage } from './support/stage.ts'

const stage = useStage('C answers that nobody reads')
let measured: Measured
let left: number
let readSlowly: Readonly<Record<string, number>>

const unread = 110
const patienceMilliseconds = 30_000
/** Connections that have a reason: the probes' and the slow reader's. */
const others = 6

beforeAll(async () => {
  const request = { method: 'GET', path: '/companies?limit=100' } as const
  const slow = readAt(65_536, patienceMilliseconds + 10_000)
  await sleep(500)
  measured = await stage.measure(() => {
    const attack = stage.attack({
      ...{ connections: unread, request, unread: true },
      hangUpMilliseconds: patienceMilliseconds + 10_000,
    })
    void sleep(patienceMilliseconds + 8000).then(async () => {
      left = await openConnections(stage.server.url)
    })
    return attack
  })
  readSlowly = await slow
  await stage.report(`connections open after ${(patienceMilliseconds + 8000) / 1000} s`, left)
})

/** Reads a long answer so many bytes a second, and what is left of it at once when the time is over. */
async function readAt(bytesPerSecond: number, milliseconds: number): Promise<Readonly<Record<string, number>>> {
  const { hostname, port } = new URL(stage.server.url)
  const counter = new AnswerCounter()
  const socket = connect({ host: hostname, port: Number(port) })
  const ended = new Promise<void>(resolve => socket.once('close', () => resolve()))
  const parse = counter.parser(() => socket.destroy())
  socket.on('error', () => {})
  const headers = ['Host: crm.example.com', `Authorization: Bearer ${stage.scene.loud.token}`]
  socket.write(`GET /api/v1/crm/companies?limit=100 HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`)
  const until = performance.now() + milliseconds
  let allowed = 0
  // Read by hand, a socket takes no more from the kernel than fits in its own small buffer.
  socket.on('readable', () => {})
  while (!socket.destroyed) {
    await sleep(250)
    allowed += performance.now() < until ? bytesPerSecond / 4 : Number.POSITIVE_INFINITY
    while (allowed > 0) {
      const part = socket.read()
      if (part === null) break
      allowed -= part.length
      parse(part)
    }
  }
  await ended
  return counter.statuses
}

test('a connection on which nothing is read for 30 s is closed', () => {
  expect(left).toBeLessThanOrEqual(others)
})

test('a client that reads slowly but steadily has its whole answer', () => {
  expect(readSlowly).toEqual({ 200: 1 })
})

everyAttack(stage, () => measured)
