import { randomUUID } from 'node:crypto'
import type { SampleWriter } from './features/demo/index.ts'
import { createHttpServer } from './http/index.ts'
import type { Installation } from './installation.ts'
import { operations } from './operations.ts'
import { createServices } from './services.ts'

/**
 * Calls the API without a socket, through every gate, as an integration with this token. What goes wrong inside is
 * thrown, because nobody reads a log here.
 */
export function inProcessWriter(installation: Installation, token: string): SampleWriter {
  const { database, secret } = installation
  const failures: unknown[] = []
  // Counters of its own: filling the sample data takes nothing from the limits of a server.
  const services = createServices({
    config: { redisUrl: undefined },
    database,
    secret,
    onFailure: error => failures.push(error),
  })
  const server = createHttpServer({ services, operations, trustedProxies: [] })
  return {
    async call(method, path, body) {
      const answer = await server.inject({
        method: methodOf(method),
        url: path,
        headers: {
          authorization: `Bearer ${token}`,
          'idempotency-key': randomUUID(),
          'content-type': 'application/json',
        },
        ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
      })
      if (failures.length > 0) throw failures[0]
      return { status: answer.statusCode, body: answer.json() }
    },
    async close() {
      await server.close()
      await services.counters.close()
    },
  }
}

const methods = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const

function methodOf(method: string): (typeof methods)[number] {
  const known = methods.find(candidate => candidate === method)
  if (known === undefined) throw new Error(`no such method: ${method}`)
  return known
}
