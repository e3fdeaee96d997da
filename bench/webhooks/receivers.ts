import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { percentile } from '../percentile.ts'
import type { ReceiverFigures } from './protocol.ts'

// The process that has all receivers, one for each path. Those of `/hangs`, `/fails` and `/resets` are broken.

/** Milliseconds from each event to the first byte of its call. */
let lags: number[] = []
/** The ids of messages, to find doubled ones. */
let ids = new Set<string>()
let doubled = 0
let broken = 0

const failures: Readonly<Record<string, (request: IncomingMessage, response: ServerResponse) => void>> = {
  '/hangs': () => {},
  '/fails': (_request, response) => void response.writeHead(500).end(),
  '/resets': request => void request.socket.resetAndDestroy(),
}

process.on('message', () => {
  const sorted = Float64Array.from(lags).toSorted()
  const figures: ReceiverFigures = {
    delivered: lags.length,
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
    most: percentile(sorted, 1),
    doubled,
    broken,
  }
  lags = []
  ids = new Set()
  doubled = 0
  broken = 0
  process.send?.(figures)
})
process.on('disconnect', () => process.exit(0))
// Ctrl-C reaches every process of the terminal; the bench ends this one itself.
process.on('SIGINT', () => {})

const server = createServer((request, response) => {
  const arrived = Date.now()
  const fail = failures[request.url ?? '']
  if (fail === undefined) return void take(request, response, arrived).catch(() => {})
  broken += 1
  fail(request, response)
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address !== null && typeof address === 'object') process.send?.({ port: address.port })
})

async function take(request: IncomingMessage, response: ServerResponse, arrived: number): Promise<void> {
  const { timestamp }: { timestamp: string } = JSON.parse(await text(request))
  response.writeHead(204).end()
  lags.push(arrived - Date.parse(timestamp))
  const id = String(request.headers['webhook-id'])
  if (ids.has(id)) doubled += 1
  ids.add(id)
}
