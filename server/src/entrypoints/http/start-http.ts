import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Services } from '../../kernel/index.ts'
import { cabinetOperations, operations } from '../../modules.ts'
import type { Config } from '../../start/config.ts'
import { addCabinetPages, cabinetRoutesOf, organizationRoutes } from './cabinet/index.ts'
import type { ConnectionPlace } from './connection-shares.ts'
import { Farewell } from './connections.ts'
import { addHealthRoutes, type Metrics } from './health.ts'
import { explainingListen, listeningHost } from './port.ts'
import { apiDocument } from './reference/api-document.ts'
import { addReferenceRoutes } from './reference/reference-routes.ts'
import { assignRequestId } from './request-head.ts'
import { createHttpServer, type HttpServerOptions } from './server.ts'

/** When other processes take over, a connection is closed after this many silent milliseconds: its client is unlikely to use it soon. */
const handOverSilence = 5000

/**
 * How a process stops: it serves until its balancer has noticed (`drain`), other processes take over its connections (`hand over`), or it
 * stops without waiting (`stop`).
 */
export type Leave = 'drain' | 'hand over' | 'stop'

/** The API, serving requests. */
export interface Http {
  /** From now on `/readyz` reports that the server is stopping, and each answer closes its connection. Requests are served as before. */
  drain(): void
  /**
   * Accepts no more connections, and resolves when the last request was answered, after at most 25 s. If other processes take over, a
   * client that goes on using its connection is answered, and learns from the answer that the connection closes.
   */
  stop(leave: Leave): Promise<void>
  /** Closes all connections at once. */
  closeConnections(): void
}

/** The listeners that write to the log. */
type Listeners = Pick<HttpServerOptions, 'onUntrustedProxy' | 'onAnswer'>

/** Starts to listen. Throws an error that says what is wrong with the address, and which setting changes it. */
export async function startHttp(
  services: Services,
  metrics: Metrics,
  config: Config,
  listeners: Listeners,
): Promise<Http & { readonly address: string }> {
  const { server, http } = await prepareHttp(services, metrics, config, listeners)
  try {
    const address = await explainingListen(config, () =>
      server.listen({ host: listeningHost(config), port: config.port }),
    )
    services.files.links.leadTo(address)
    return { ...http, address }
  } catch (error) {
    await http.stop('stop')
    throw error
  }
}

/** Serves connections that another process accepts: calls `feed` with the function that takes one. */
export async function feedHttp(
  services: Services,
  metrics: Metrics,
  config: Config,
  listeners: Listeners,
  feed: (take: (connection: Socket, place: ConnectionPlace) => void) => void,
): Promise<Http> {
  const places = new WeakMap<Socket, ConnectionPlace>()
  const enter = (connection: Socket) => places.get(connection) ?? null
  const { server, http } = await prepareHttp(services, metrics, config, { ...listeners, enter })
  await server.ready()
  // From then on Node.js enforces its timeouts for incoming requests.
  server.server.emit('listening')
  feed((connection, place) => {
    places.set(connection, place)
    connection.allowHalfOpen = true
    server.server.emit('connection', connection)
    connection.resume()
  })
  return http
}

async function prepareHttp(
  services: Services,
  metrics: Metrics,
  config: Config,
  { onAnswer = [], ...options }: Listeners & Pick<HttpServerOptions, 'enter'>,
) {
  const { publicBaseUrl, trustedProxies, crossOrigin, shutdownDelay } = config
  const farewell = new Farewell()
  const listeners = [metrics.observe, ...onAnswer]
  const server = createHttpServer({
    services,
    operations,
    trustedProxies,
    crossOrigin,
    routes: config.cabinet ? cabinetRoutesOf(services) : [],
    cabinet: config.cabinet ? () => organizationRoutes([...operations, ...cabinetOperations], services) : undefined,
    onAnswer: listeners,
    farewell,
    ...options,
  })
  addOperatingRoutes(server, services, metrics, farewell, {
    document: await apiDocument(publicBaseUrl),
    cabinet: config.cabinet,
  })
  const http: Http = {
    drain: () => farewell.announce(),
    async stop(leave) {
      if (leave === 'hand over') farewell.waitForSilence(handOverSilence)
      else farewell.announce()
      if (leave === 'drain') await sleep(shutdownDelay * 1000)
      await server.close()
    },
    closeConnections: () => server.server.closeAllConnections(),
  }
  return { server, http }
}

/**
 * Adds the routes that are not part of the API: probes, metrics, the OpenAPI document and the reference page (contract
 * section 16), and the pages for people. `/` leads to these, or to the reference. They do not pass the gates, so their request id is assigned here: every answer carries `X-Request-Id`
 * (contract section 1, gate 0).
 */
function addOperatingRoutes(
  server: FastifyInstance,
  services: Services,
  metrics: Metrics,
  farewell: Farewell,
  { document, cabinet }: { readonly document: object; readonly cabinet: boolean },
): void {
  server.register(async routes => {
    routes.addHook('onRequest', (request, reply, next) => {
      const { requestId, clientRequestId } = assignRequestId(request.headers['x-request-id'])
      reply.header('X-Request-Id', clientRequestId ?? requestId)
      next()
    })
    addHealthRoutes(routes, services, metrics, farewell)
    addReferenceRoutes(routes, document)
    if (cabinet) addCabinetPages(routes)
    // Relative, like all addresses: a proxy may add a prefix.
    routes.get('/', (_request, reply) => reply.redirect(cabinet ? 'cabinet/' : 'reference'))
  })
}
