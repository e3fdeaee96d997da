import type { Logger } from 'pino'
import type { Config } from '../../config.ts'
import { createServices } from '../../create-services.ts'
import { type Installation, openInstallation } from '../../installation.ts'
import type { RefusedToken } from '../../kernel/index.ts'
import { openApiDocument } from '../../kernel/openapi/index.ts'
import { compileSchemas } from '../../kernel/schema/index.ts'
import { isDiskFull, keepStatistics, migrate } from '../../kernel/sql/index.ts'
import { nestedResources, operations, resources } from '../../modules.ts'
import { Metrics } from './health.ts'
import { createLogger } from './logger.ts'
import { addOperatingRoutes } from './operating-routes.ts'
import { assertCanListen, explainingListen, hostOf } from './port.ts'
import { createHttpServer } from './server.ts'

/**
 * Called when the database is ready, before the first request. It makes sample data, and prints messages for the
 * operator.
 */
export interface ServeHooks {
  beforeListen(installation: Installation): Promise<void>
  afterListen(installation: Installation, address: string): Promise<void>
}

/** How long a server that has lost its database waits for slow clients. */
const lostMilliseconds = 3000

/**
 * Runs the server until a signal and resolves to the exit status. After SIGTERM or SIGINT it drains for at most 25 s.
 */
export async function serve(config: Config, hooks: ServeHooks): Promise<number> {
  const signal = nextSignal()
  const logger = createLogger()
  await assertCanListen(config)
  const installation = await openInstallation(config, { as: 'server', log: line => logger.info(line) })
  try {
    const filled = migrate(installation.database).then(() => hooks.beforeListen(installation))
    await Promise.all([filled, compileSchemas()])
    const { server, services, stop } = await start(installation, logger)
    try {
      const listen = () => server.listen({ host: hostOf(config), port: config.port })
      const address = await explainingListen(config, listen)
      services.files.links.leadTo(address)
      await hooks.afterListen(installation, address)
      const lost = installation.databaseLost.then(reason => ({ status: 1, why: `database lost. ${reason}` }))
      const { status, why } = await Promise.race([signal.then(name => ({ status: 0, why: name })), lost])
      logger.info(`stopping: ${why}`)
      if (status === 0) return 0
      // No request can succeed any more. Running requests fail at once, and slow clients are not waited for.
      installation.database.abandon()
      setTimeout(() => server.server.closeAllConnections(), lostMilliseconds).unref()
      return status
    } finally {
      await stop()
    }
  } finally {
    await installation.close()
  }
}

async function start(installation: Installation, logger: Logger) {
  const { config, database, secret } = installation
  const onFailure = (error: unknown, facts: Readonly<Record<string, unknown>>) =>
    isDiskFull(error)
      ? logger.error(facts, 'a request failed: the disk of the database is full, make room there')
      : logger.error({ err: error, ...facts }, 'a request failed')
  const onRefusedToken = (refused: RefusedToken) => logger.warn(refused, 'a token was refused')
  const services = createServices({ config, database, secret, onFailure, onRefusedToken })
  const metrics = new Metrics(database, services.admission)
  const onAnswer = metrics.observe.bind(metrics)
  const server = createHttpServer({ services, operations, trustedProxies: config.trustedProxies, onAnswer })
  const { publicBaseUrl } = config
  const described = { operations, resources: [...resources, ...nestedResources] }
  addOperatingRoutes(server, services, metrics, openApiDocument({ ...described, publicBaseUrl, version: '1.0.0' }))
  await services.counters.start()
  services.authentication.start()
  const stopStatistics = keepStatistics(database)
  const stop = async () => {
    stopStatistics()
    await server.close()
    await services.authentication.stop()
    await services.counters.close()
  }
  return { server, services, stop }
}

function nextSignal(): Promise<string> {
  return new Promise(resolve => {
    // SIGHUP comes when the terminal is closed.
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.once(name, () => {
        resolve(name)
        // A second signal ends the process at once.
        process.once(name, () => process.exit(130))
      })
    }
  })
}
