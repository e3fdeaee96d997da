import { closeSync, openSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { assertCanListen, ConnectionShares } from '../entrypoints/http/index.ts'
import { memoryCounter } from '../kernel/index.ts'
import { keepStatistics } from '../kernel/sql/index.ts'
import type { Config } from './config.ts'
import { openInstallation } from './installation.ts'
import { announce, createLogger } from './logger.ts'
import { prepareDatabase } from './prepare-database.ts'
import type { PartRole } from './processes/child.ts'
import { Children } from './processes/children.ts'
import { ConnectionBalancer } from './processes/connection-balancer.ts'
import { FollowedFeeds } from './processes/followed-feeds.ts'
import { JointMetrics } from './processes/joint-metrics.ts'
import { addAll } from './processes/shared-counts.ts'
import { nextSignal, type StartHooks } from './serve.ts'

/** A server of several processes. */
export interface ProcessOptions {
  /** How many processes answer requests. */
  readonly processes: number
  /** Whether another process works on jobs. */
  readonly worksOnJobs: boolean
}

/**
 * Runs one server of several processes until a signal, and resolves to the exit status. This process owns the database, the counters of
 * requests and the metrics of all, and answers no requests. The others answer requests, on one port, and one more works on jobs.
 */
export async function serveProcesses(config: Config, options: ProcessOptions, hooks: StartHooks): Promise<number> {
  const { processes } = options
  const logger = createLogger({ pid: process.pid })
  announce(config, logger)
  const onFailure = (error: unknown) => logger.error({ err: error }, 'the metrics of the processes were not added up')
  const metrics = new JointMetrics(() => children.alive, onFailure)
  const entrance = new ConnectionBalancer(new ConnectionShares(config.trustedProxies, processes))
  const feeds = new FollowedFeeds(() => children.alive)
  const counter = memoryCounter()
  const children: Children = new Children({
    roles: rolesOf(options),
    logger,
    onMessage(child, message) {
      metrics.take(child, message)
      entrance.take(child, message)
      feeds.take(child, message)
      if (message.crm === 'ready' && child.role === 'api') entrance.open(child)
      if (message.crm === 'count')
        void addAll(counter, message.counts).then(values => child.tell({ crm: 'counted', values }))
    },
    onLeave: child => entrance.close(child),
    onEnd(child) {
      metrics.forget(child)
      entrance.forget(child)
      feeds.forget(child)
    },
    onLook: () => entrance.look(),
  })
  const asked = Promise.race([nextSignal(['SIGINT', 'SIGTERM']), terminalClosed(() => void children.restart())])
  await assertCanListen(config)
  const installation = await openInstallation(config, { as: 'server', processes, log: line => logger.info(line) })
  try {
    const { database, databaseLost } = installation
    await prepareDatabase(installation, logger)
    await hooks.beforeStart(installation)
    const stopStatistics = keepStatistics(database)
    const lost = databaseLost.then(why => ({ status: 1, why: `database lost. ${why}` }))
    const exhausted = children.exhausted.then(why => ({ status: 1, why }))
    let isLost = false
    try {
      await children.start()
      await hooks.afterStart(installation, await entrance.listen(config))
      const reason = await Promise.race([asked.then(why => ({ status: 0, why })), lost, exhausted])
      isLost = reason.status !== 0
      if (isLost) logger.error(`stopping: ${reason.why}`)
      else {
        logger.info(`stopping: ${reason.why}`)
        children.drain()
        await sleep(config.shutdownDelay * 1000)
        await entrance.end()
      }
      return reason.status
    } finally {
      stopStatistics()
      entrance.cutOff()
      await children.stop(isLost ? 'database lost' : 'stop')
    }
  } finally {
    await installation.close()
  }
}

function rolesOf({ processes, worksOnJobs }: ProcessOptions): PartRole[] {
  const requests = Array.from({ length: processes }, (): PartRole => 'api')
  // In a process of its own, so that those that answer requests are identical, and any of them can be replaced at any time.
  return worksOnJobs ? [...requests, 'worker'] : requests
}

/** Resolves to the name of the signal that a closed terminal sends; calls `otherwise` if the signal comes from elsewhere. */
function terminalClosed(otherwise: () => void): Promise<string> {
  const hadTerminal = hasTerminal()
  return new Promise(resolve => {
    process.on('SIGHUP', () => (hadTerminal && !hasTerminal() ? resolve('SIGHUP') : otherwise()))
  })
}

/**
 * Whether this process still has the terminal that it was started from. A closed terminal is gone: this distinguishes the SIGHUP that
 * follows from one that an operator sends.
 */
function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return true
  } catch {
    return false
  }
}
