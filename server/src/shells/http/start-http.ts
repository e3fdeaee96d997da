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

/** The API, listening. */
export interface Http {
  readonly address: string
  /** Stops to listen, and resolves when the last request was answered, after at most 25 s. */
  stop(): Promise<void>
  /** The same while others listen on: nobody who goes on using a connection notices. */
  handOver(): Promise<void>
  /** Closes all connections at once. */
  closeConnections(): void
}

/** Starts to listen. Throws what is wrong with the address, and which setting changes it. */
export async function startHttp(services: Services, metrics: Metrics, config: Config): Promise<Http> {
  const { publicBaseUrl, trustedProxies } = config
  const onAnswer = metrics.observe.bind(metrics)
  let silence = 0
  const server = createHttpServer({ services, operations, trustedProxies, onAnswer, silence: () => silence })
  addOperatingRoutes(server, services, metrics, await apiDocument(publicBaseUrl))
  const stop = () => server.close()
  const handOver = () => {
    silence = handOverSilence
    return stop()
  }
  try {
    const address = await explainingListen(config, () => server.listen({ host: hostOf(config), port: config.port }))
    services.files.links.leadTo(address)
    return { address, stop, handOver, closeConnections: () => server.server.closeAllConnections() }
  } catch (error) {
    await stop()
    throw error
  }
}
