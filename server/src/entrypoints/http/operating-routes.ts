import type { FastifyInstance } from 'fastify'
import type { Services } from '../../kernel/index.ts'
import type { Farewell } from './farewell.ts'
import { addHealthRoutes, type Metrics } from './health.ts'
import { addReferenceRoutes } from './reference/reference-routes.ts'
import { assignRequestId } from './request-head.ts'

/**
 * Adds the routes that are not part of the API: probes, metrics, the OpenAPI document and the reference page (contract
 * section 16). They do not pass the gates, so their request id is assigned here: every answer carries `X-Request-Id`
 * (contract section 1, gate 0).
 */
export function addOperatingRoutes(
  server: FastifyInstance,
  services: Services,
  metrics: Metrics,
  farewell: Farewell,
  document: object,
): void {
  server.register(async routes => {
    routes.addHook('onRequest', (request, reply, next) => {
      const { requestId, clientRequestId } = assignRequestId(request.headers['x-request-id'])
      reply.header('X-Request-Id', clientRequestId ?? requestId)
      next()
    })
    addHealthRoutes(routes, services, metrics, farewell)
    addReferenceRoutes(routes, document)
  })
}
