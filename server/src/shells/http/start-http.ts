import type { Config } from '../../config.ts'
import type { Services } from '../../kernel/index.ts'
import { openApiDocument } from '../../kernel/openapi/index.ts'
import { nestedResources, operations, resources } from '../../modules.ts'
import type { Metrics } from './health.ts'
import { addOperatingRoutes } from './operating-routes.ts'
import { explainingListen, hostOf } from './port.ts'
import { createHttpServer } from './server.ts'

/** The API, listening. */
export interface Http {
  readonly address: string
  /** Stops to listen, and resolves when the last request was answered, after at most 25 s. */
  stop(): Promise<void>
  /** Closes all connections at once. */
  closeConnections(): void
}

/** Starts to listen. Throws what is wrong with the address, and which setting changes it. */
export async function startHttp(services: Services, metrics: Metrics, config: Config): Promise<Http> {
  const { publicBaseUrl, trustedProxies } = config
  const onAnswer = metrics.observe.bind(metrics)
  const server = createHttpServer({ services, operations, trustedProxies, onAnswer })
  const described = { operations, resources: [...resources, ...nestedResources] }
  addOperatingRoutes(server, services, metrics, openApiDocument({ ...described, publicBaseUrl, version: '1.0.0' }))
  const stop = () => server.close()
  try {
    const address = await explainingListen(config, () => server.listen({ host: hostOf(config), port: config.port }))
    return { address, stop, closeConnections: () => server.server.closeAllConnections() }
  } catch (error) {
    await stop()
    throw error
  }
}
