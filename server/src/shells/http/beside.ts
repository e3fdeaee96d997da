import type { FastifyInstance } from 'fastify'
import type { Services } from '../../kernel/index.ts'
import { addHealthRoutes, type Metrics } from './health.ts'
import { addReferenceRoutes } from './reference/reference-routes.ts'
import { assignRequestId } from './request-head.ts'

/**
 * What is served beside the API: probes, metrics, the document and its page. No pipeline names these requests, so this
 * does: every answer carries `X-Request-Id`, as those of the API do (contract section 1, gate 0).
 */
export function addRoutesBeside(server: FastifyInstance, services: Services, metrics: Metrics, document: object): void {
  server.register(async beside => {
    beside.addHook('onRequest', (request, reply, next) => {
      const { requestId, clientRequestId } = assignRequestId(request.headers['x-request-id'])
      reply.header('X-Request-Id', clientRequestId ?? requestId)
      next()
    })
    addHealthRoutes(beside, services, metrics)
    addReferenceRoutes(beside, document)
  })
}
