import type { Logger } from 'pino'
import type { Config } from './config.ts'
import { createServices } from './create-services.ts'
import { type Installation, openInstallation } from './installation.ts'
import type { Hold, RefusedToken, Services } from './kernel/index.ts'
import { compileSchemas } from './kernel/schema/index.ts'
import { isDiskFull, keepStatistics, migrate } from './kernel/sql/index.ts'
import { createLogger } from './logger.ts'
import { assertCanListen, Metrics, startHttp } from './shells/http/index.ts'
import { startWorker } from './shells/worker/index.ts'
import { startTracing } from './start-tracing.ts'

/** What a process does: answer requests, work on jobs, or both. */
export type Role = 'all' | 'api' | 'worker'

/** Called when the database is ready, when the process does what it is there for, and before each group of writes. */
export interface ServeHooks {
  readonly holdLanes: Hold | null
  beforeStart(installation: Installation): Promise<void>
  /** `address` is null where nothing listens. */
  afterStart(installation: Installation, address: string | null): Promise<void>
}

/** How long a server that has lost its database waits for slow clients. */
const lostMilliseconds = 3000

/** A part of the process that runs until it is stopped. */
interface Shell {
  /** Takes nothing new, and resolves when what has begun is done. */
  stop(): Promise<void>
}

/**
 * Runs the server until a signal and resolves to the exit status. After SIGTERM or SIGINT requests are answered for at most 25 s, and
 * jobs end their chunk.
 */
export async function serve(config: Config, role: Role, hooks: ServeHooks): Promise<number> {
  const signal = nextSignal()
  const logger = createLogger()
  const stopTracing = await startTracing(config, logger)
  if (role !== 'worker') await assertCanListen(config)
  const installation = await openInstallation(config, { as: 'server', log: line => logger.info(line) })
  try {
    const { database, databaseLost } = installation
    const filled = migrate(database).then(() => hooks.beforeStart(installation))
    await Promise.all([filled, compileSchemas()])
    const services = servicesOf(installation, logger, hooks.holdLanes)
    const stopSharing = await startServices(services)
    const shells: Shell[] = []
    try {
      const metrics = role === 'worker' ? null : new Metrics(services)
      const http = metrics && (await startHttp(services, metrics, config))
      if (http) {
        shells.push(http)
        services.files.links.leadTo(http.address)
      }
      // The embedded database has one server at a time.
      const worker = { services, logger, isAlone: config.databaseUrl === undefined }
      if (role !== 'api') shells.push(await startWorker({ ...worker, onEnd: ended => metrics?.observeJob(ended) }))
      await hooks.afterStart(installation, http?.address ?? null)
      const lost = databaseLost.then(reason => ({ status: 1, why: `database lost. ${reason}` }))
      const { status, why } = await Promise.race([signal.then(name => ({ status: 0, why: name })), lost])
      logger.info(`stopping: ${why}`)
      if (status === 0) return 0
      // No request can succeed any more. Running requests fail at once, and slow clients are not waited for.
      database.abandon()
      setTimeout(() => http?.closeConnections(), lostMilliseconds).unref()
      return status
    } finally {
      await Promise.all(shells.map(shell => shell.stop()))
      await stopSharing()
    }
  } finally {
    await installation.close()
    await stopTracing()
  }
}

function servicesOf({ config, database, secret }: Installation, logger: Logger, holdLanes: Hold | null): Services {
  const onFailure = (error: unknown, facts: Readonly<Record<string, unknown>>) =>
    isDiskFull(error)
      ? logger.error(facts, 'a request failed: the disk of the database is full, make room there')
      : logger.error({ err: error, ...facts }, 'a request failed')
  const onRefusedToken = (refused: RefusedToken) => logger.warn(refused, 'a token was refused')
  return createServices({ config, database, secret, onFailure, onRefusedToken, holdLanes })
}

/** Starts what the parts of the process share; returns how to stop it. */
async function startServices(services: Services): Promise<() => Promise<void>> {
  await services.counters.start()
  services.authentication.start()
  const stopStatistics = keepStatistics(services.database)
  return async () => {
    stopStatistics()
    await services.authentication.stop()
    await services.counters.close()
  }
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
