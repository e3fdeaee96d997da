import type { Logger } from 'pino'
import {
  AccessLog,
  assertCanListen,
  feedHttp,
  type Http,
  type HttpServerOptions,
  type Leave,
  Metrics,
  startHttp,
} from '../entrypoints/http/index.ts'
import { startWorker } from '../entrypoints/worker/index.ts'
import type { Hold, RefusedToken, Services } from '../kernel/index.ts'
import { compileSchemas } from '../kernel/schema/index.ts'
import { isDiskFull, keepStatistics } from '../kernel/sql/index.ts'
import type { Config } from './config.ts'
import { createServices } from './create-services.ts'
import { type Installation, openInstallation } from './installation.ts'
import { announce, createLogger } from './logger.ts'
import { prepareDatabase } from './prepare-database.ts'
import type { ParentProcess } from './processes/parent.ts'
import { startTracing } from './start-tracing.ts'

/** What a process does: answer requests, work on jobs, or both. */
export type Role = 'all' | 'api' | 'worker'

/** Called when the database is ready, and when the server does its work. */
export interface StartHooks {
  beforeStart(installation: Installation): Promise<void>
  /** `address` is null if nothing listens. */
  afterStart(installation: Installation, address: string | null): Promise<void>
}

export interface ServeHooks extends StartHooks {
  /** Awaited by each group of writes. */
  readonly holdGroups: Hold | null
}

/** How long a server that has lost its database waits for slow clients. */
const lostMilliseconds = 3000

/** A part of the process that runs until it is stopped. */
interface Shell {
  /** Starts nothing new, and resolves when running work is done. */
  stop(leave: Leave): Promise<void>
}

/** Why a process stops, and how. */
export interface Reason {
  readonly status: number
  readonly why: string
  readonly leave: Leave
}

/**
 * Runs the server until a signal and resolves to the exit status. After SIGTERM or SIGINT it serves for the configured time, and then
 * completes running requests for at most 25 s; jobs finish their chunk.
 */
export async function serve(config: Config, role: Role, hooks: ServeHooks): Promise<number> {
  // Closing the terminal sends SIGHUP.
  const signal = nextSignal(['SIGINT', 'SIGTERM', 'SIGHUP'])
  const logger = createLogger()
  announce(config, logger)
  const stopTracing = await startTracing(config, logger)
  if (role !== 'worker') await assertCanListen(config)
  const installation = await openInstallation(config, { as: 'server', log: line => logger.info(line) })
  try {
    const filled = prepareDatabase(installation, logger).then(() => hooks.beforeStart(installation))
    await Promise.all([filled, compileSchemas()])
    const stopStatistics = keepStatistics(installation.database)
    const asked = signal.then((why): Reason => ({ status: 0, why, leave: 'drain' }))
    const onReady = (address: string | null) => hooks.afterStart(installation, address)
    const { holdGroups } = hooks
    return await serveUntilSignal({ installation, role, logger, asked, holdGroups, onReady }).finally(stopStatistics)
  } finally {
    await installation.close()
    await stopTracing()
  }
}

export interface Running {
  readonly installation: Installation
  readonly role: Role
  readonly logger: Logger
  /** Resolves when the process must stop. */
  readonly asked: Promise<Reason>
  /** The process that has started this one as one of several of a server. */
  readonly parent?: ParentProcess
  /** Awaited by each group of writes. */
  readonly holdGroups: Hold | null
  /** Called when the process does its work. */
  onReady(address: string | null): Promise<void>
}

/** Does the work of a process until it is told to stop or has lost its database, and resolves to the exit status. */
export async function serveUntilSignal(running: Running): Promise<number> {
  const { installation, role, logger, asked, parent, onReady } = running
  const { config, database, databaseLost } = installation
  const services = servicesOf(running)
  const stopSharing = await startServices(services, parent)
  const entrypoints: Shell[] = []
  let leave: Leave = 'stop'
  try {
    const metrics = metricsOf(services, role, parent)
    const http = role === 'worker' || metrics === null ? null : await serveRequests(running, services, metrics)
    if (http !== null) entrypoints.push(http)
    // The embedded database has one server at a time, which has one process for jobs.
    const outbound = { allowedNetworks: config.outboundAllowedNetworks }
    const worker = { services, logger, isAlone: config.databaseUrl === undefined, outbound }
    const observer = metrics?.webhooks ?? { onCall: () => {}, onUnderWay: () => {} }
    if (role !== 'api')
      entrypoints.push(await startWorker({ ...worker, onEnd: ended => metrics?.observeJob(ended), observer }))
    await onReady(http?.address ?? null)
    const lost = databaseLost.then((reason): Reason => ({ status: 1, why: `database lost. ${reason}`, leave }))
    const reason = await Promise.race([asked, lost])
    logger.info(`stopping: ${reason.why}`)
    services.feedWaits.end()
    leave = reason.leave
    if (reason.status === 0) return 0
    // No request can succeed any more. Running requests fail at once, and slow clients are not waited for.
    database.abandon()
    setTimeout(() => http?.closeConnections(), lostMilliseconds).unref()
    return reason.status
  } finally {
    await Promise.all(entrypoints.map(shell => shell.stop(leave)))
    await stopSharing()
  }
}

function servicesOf({ installation, logger, parent, holdGroups }: Running): Services {
  const { config, database, databaseFolder, secret } = installation
  const onFailure = (error: unknown, facts: Readonly<Record<string, unknown>>) =>
    isDiskFull(error)
      ? logger.error(facts, 'a request failed: the disk of the database is full, make room there')
      : logger.error({ err: error, ...facts }, 'a request failed')
  const onRefusedToken = (refused: RefusedToken) => logger.warn(refused, 'a token was refused')
  const parentCounter = parent?.counts
  return createServices({
    config,
    database,
    databaseFolder,
    secret,
    onFailure,
    onRefusedToken,
    parentCounter,
    holdGroups,
  })
}

/** Starts to answer requests, on its own port or on connections that the parent accepts; then it has no address. */
async function serveRequests(
  { installation: { config }, logger, parent }: Running,
  services: Services,
  metrics: Metrics,
): Promise<Http & { readonly address?: string }> {
  const onUntrustedProxy = (address: string) =>
    logger.warn(
      { address },
      'an address has its share of connections and forwards requests of others: list it in TRUSTED_PROXIES if it is your proxy',
    )
  const listeners = { onUntrustedProxy, ...accessLogOf(config, logger) }
  if (parent === undefined) return startHttp(services, metrics, config, listeners)
  void parent.address.then(address => services.files.links.leadTo(address))
  const http = await feedHttp(services, metrics, config, listeners, serve => parent.takeConnections(serve))
  void parent.draining.then(() => {
    http.drain()
    services.feedWaits.end()
  })
  void parent.lost.then(() => http.closeConnections())
  return http
}

/** Writes answered requests to the access log, if it is on. */
function accessLogOf({ accessLog }: Config, logger: Logger): Pick<HttpServerOptions, 'onAnswer'> {
  if (accessLog === undefined) return {}
  const log = new AccessLog(accessLog, line => logger.info(line, 'request'))
  return { onAnswer: [answered => log.note(answered)] }
}

/** The metrics of this process; null if nobody reads them. */
function metricsOf(services: Services, role: Role, parent: ParentProcess | undefined): Metrics | null {
  if (parent === undefined) return role === 'worker' ? null : new Metrics(services)
  const metrics = new Metrics(services, () => parent.metricsOfAll())
  parent.offer(metrics.registry)
  return metrics
}

/** Starts what the parts of the process share; returns a function that stops it. */
async function startServices(services: Services, parent: ParentProcess | undefined): Promise<() => Promise<void>> {
  await services.counters.start()
  services.authentication.start()
  parent?.feeds.join(services.feedTails)
  return async () => {
    services.feedTails.stop()
    await services.authentication.stop()
    await services.counters.close()
  }
}

/** Resolves to the first of these signals to arrive. */
export function nextSignal(names: readonly NodeJS.Signals[]): Promise<string> {
  return new Promise(resolve => {
    for (const name of names) {
      process.once(name, () => {
        resolve(name)
        // A second signal ends the process at once.
        process.once(name, () => process.exit(130))
      })
    }
  })
}
