import type { Socket } from 'node:net'
import { apiDocument } from '../../api-document.ts'
import type { Config } from '../../config.ts'
import type { Services } from '../../kernel/index.ts'
import { operations } from '../../modules.ts'
import type { Metrics } from './health.ts'
import { addOperatingRoutes } from './operating-routes.ts'
import { explainingListen, hostOf } from './port.ts'
import { createHttpServer } from './server.ts'

/** A client that has been silent for so many milliseconds expects its connection to be closed. */
const handOverSilence = 5000

/** The API, serving requests. */
export interface Http {
  /** Takes no connections any more, and resolves when the last request was answered, after at most 25 s. */
  stop(): Promise<void>
  /** The same while others take connections: nobody who goes on using one notices. */
  handOver(): Promise<void>
  /** Closes all connections at once. */
  closeConnections(): void
}

/** Starts to listen. Throws what is wrong with the address, and which setting changes it. */
export async function startHttp(
  services: Services,
  metrics: Metrics,
  config: Config,
): Promise<Http & { readonly address: string }> {
  const { server, http } = await prepareHttp(services, metrics, config)
  try {
    const address = await explainingListen(config, () => server.listen({ host: hostOf(config), port: config.port }))
    services.files.links.leadTo(address)
    return { ...http, address }
  } catch (error) {
    await http.stop()
    throw error
  }
}

/** Serves the connections that another process accepts: `feed` is given what takes them. */
export async function feedHttp(
  services: Services,
  metrics: Metrics,
  config: Config,
  feed: (take: (connection: Socket) => void) => void,
): Promise<Http> {
  const { server, http } = await prepareHttp(services, metrics, config)
  await server.ready()
  // From then on Node.js watches for requests that take too long to come.
  server.server.emit('listening')
  feed(connection => {
    connection.allowHalfOpen = true
    server.server.emit('connection', connection)
    connection.resume()
  })
  return http
}

async function prepareHttp(services: Services, metrics: Metrics, { publicBaseUrl, trustedProxies }: Config) {
  const onAnswer = metrics.observe.bind(metrics)
  let silence = 0
  const server = createHttpServer({ services, operations, trustedProxies, onAnswer, silence: () => silence })
  addOperatingRoutes(server, services, metrics, await apiDocument(publicBaseUrl))
  const stop = () => server.close()
  const handOver = () => {
    silence = handOverSilence
    return stop()
  }
  const http: Http = { stop, handOver, closeConnections: () => server.server.closeAllConnections() }
  return { server, http }
}
