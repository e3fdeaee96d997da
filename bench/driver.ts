import { randomUUID } from 'node:crypto'
import autocannon from 'autocannon'
import { percentile } from './percentile.ts'
import type { Connection, DriverAnswer, Round, RoundResult } from './protocol.ts'
import { requestsOf } from './requests.ts'

// The process that sends the requests, separate from both servers: its cost affects both equally.

process.on('message', (round: Round) => {
  run(round).then(
    result => answer({ result }),
    (error: unknown) => answer({ failure: error instanceof Error ? error.message : String(error) }),
  )
})
process.on('disconnect', () => process.exit(0))
// Ctrl-C reaches every process of the terminal; the bench ends this one itself.
process.on('SIGINT', () => {})

function answer(message: DriverAnswer): void {
  process.send?.(message)
}

/** Loads one server with all connections at the same time; throws at the first answer that is not a success. */
async function run({ url, operation, seconds, connections }: Round): Promise<RoundResult> {
  const times: number[] = []
  let failure: string | null = null
  let opened = 0
  let first = 0
  let last = 0
  const load = autocannon({
    url,
    connections: connections.length,
    duration: seconds,
    sampleInt: 50,
    timeout: 30,
    setupClient(client) {
      const connection = connections[opened]
      opened += 1
      if (connection === undefined) return
      const next = requestsOf(operation, connection)
      client.setRequests([
        {
          method: 'GET',
          path: '/',
          headers: {},
          setupRequest(request) {
            const { method, path, body = '' } = next()
            return { ...request, method, path, body, headers: headersOf(connection, method) }
          },
          onResponse(status, body) {
            if (status < 300 && !(operation === 'batch' && hasRefusedElement(body))) return
            failure ??= `${status} for ${operation} at ${url}: ${body.slice(0, 2000)}`
            load.stop()
          },
        },
      ])
    },
  })
  load.on('response', (_client, _status, _bytes, milliseconds) => {
    times.push(milliseconds)
    last = performance.now()
    first ||= last
  })
  const { errors, timeouts } = await load
  if (failure !== null) throw new Error(failure)
  if (errors + timeouts > 0) throw new Error(`${errors} broken connections, ${timeouts} timeouts at ${url}`)
  if (times.length < 2) throw new Error(`only ${times.length} answers for ${operation} at ${url}`)
  times.sort((one, other) => one - other)
  // The time from the first answer to the last: requests in flight at the end count for neither.
  const perSecond = (times.length - 1) / ((last - first) / 1000)
  return { requests: times.length, perSecond, p50: percentile(times, 0.5), p99: percentile(times, 0.99) }
}

/** The same headers for both servers: the product reads the token, the bare server the two ids. */
function headersOf({ token, organizationId, applicationId }: Connection, method: string): Record<string, string> {
  const headers = {
    authorization: `Bearer ${token}`,
    'x-organization': organizationId,
    'x-application': applicationId,
  }
  if (method === 'GET') return headers
  return { ...headers, 'content-type': 'application/json', 'idempotency-key': randomUUID() }
}

function hasRefusedElement(body: string): boolean {
  return /"failed":[1-9]/u.test(body.slice(-200))
}
