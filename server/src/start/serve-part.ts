import { stopOrphanedPostgres } from '@crm-server/embedded-postgres'
import type { Hold } from '../kernel/index.ts'
import { compileSchemas } from '../kernel/schema/index.ts'
import type { Config } from './config.ts'
import { openInstallation } from './installation.ts'
import { createLogger } from './logger.ts'
import type { Stop } from './processes/messages.ts'
import { ParentProcess } from './processes/parent.ts'
import { nextSignal, type Reason, type Role, type Running, serveUntilSignal } from './serve.ts'
import { startTracing } from './start-tracing.ts'

/**
 * Runs one of the processes of a server, until the first process or a signal ends it. The first process has opened and migrated the
 * database; when it is gone, this one ends at once. `holdGroups` is for tests: each group of writes awaits it.
 */
export async function servePart(config: Config, role: Role, holdGroups: Hold | null = null): Promise<number> {
  const signal = nextSignal(['SIGINT', 'SIGTERM'])
  // Closing a terminal sends SIGHUP to all processes. The first process decides what it means.
  process.on('SIGHUP', () => {})
  const parent = ParentProcess.ofThisProcess()
  void parent.lost.then(() => endAlone(config))
  try {
    const asked = Promise.race([
      signal.then((why): Reason => ({ status: 0, why, leave: 'drain' })),
      parent.stop.then(reasonOf),
    ])
    return await workOn(config, { role, parent, asked, holdGroups })
  } finally {
    await parent.leave()
  }
}

type Work = Pick<Running, 'role' | 'asked' | 'holdGroups'> & { readonly parent: ParentProcess }

async function workOn(config: Config, work: Work): Promise<number> {
  const logger = createLogger({ pid: process.pid })
  const stopTracing = await startTracing(config, logger)
  const installation = await openInstallation(config, { as: 'part', log: line => logger.info(line) })
  try {
    await compileSchemas()
    return await serveUntilSignal({ ...work, installation, logger, onReady: async () => work.parent.ready() })
  } finally {
    await installation.close()
    await stopTracing()
  }
}

/** Ends this process, whose first process was killed, and the embedded database with it, so that nothing runs beside the next server. */
async function endAlone({ databaseUrl, dataDirectory }: Config): Promise<never> {
  try {
    if (databaseUrl === undefined) await stopOrphanedPostgres({ dataDirectory })
  } finally {
    process.exit(1)
  }
}

function reasonOf(stop: Stop): Reason {
  return stop === 'database lost' ? { status: 1, why: stop, leave: 'stop' } : { status: 0, why: stop, leave: stop }
}
