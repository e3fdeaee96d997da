import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { assertReachable, type DatabaseConnection } from './connection.ts'
import { type DataDirectoryLock, type Holder, type LockState, tryToLock } from './data-directory-lock.ts'
import { ensurePostmaster } from './ensure-postmaster.ts'
import { diskFullReason, explainingFolder, saysDiskFull } from './folder-error.ts'
import { hasCluster, type Location, locate } from './location.ts'
import { findPostmaster } from './postmaster.ts'
import { endOfProcess } from './process-identity.ts'
import { ensureSocketDirectory, removeSocketDirectory } from './socket-directory.ts'
import { stopPostmaster } from './stop-postmaster.ts'

export type { DatabaseConnection } from './connection.ts'
export { explainingFolder } from './folder-error.ts'
export { createDataDirectory } from './location.ts'
export { removeMatching } from './remove-matching.ts'

export interface EmbeddedPostgres {
  readonly connection: DatabaseConnection
  /** The folder of the cluster. */
  readonly folder: string
  /** Stops the server cleanly (SIGINT, fast shutdown) and waits for it. Also resolves when the server is already gone. */
  stop(): Promise<void>
  /** Resolves when the database process ends without a call of stop(). The value is the reason, as a sentence. */
  readonly lost: Promise<string>
}

export interface EmbeddedPostgresOptions {
  /** Created when missing. It contains everything that the database needs. */
  dataDirectory: string
  /** Receives messages for the operator, one line of text per call. */
  log?: (line: string) => void
  /** PostgreSQL parameters that replace the built-in ones, such as `{ shared_buffers: '1GB' }`. Its addresses cannot be replaced. */
  settings?: Record<string, string>
}

/** Another live process owns the database of this data directory. */
export class DataDirectoryInUseError extends Error {
  override readonly name = 'DataDirectoryInUseError'
  readonly pid: number

  constructor(dataDirectory: string, pid: number) {
    super(`The data directory ${dataDirectory} is in use by process ${pid}. Stop that process or set CRM_DATA_DIR.`)
    this.pid = pid
  }
}

const patience = { command: 30_000, server: 90_000 }

/**
 * Starts the PostgreSQL cluster below `dataDirectory`, or adopts it after a kill -9 of its previous owner, and owns it until stop(). Waits
 * up to 30 s for a running command or a stopping server. Throws DataDirectoryInUseError when another server owns the directory, and an
 * Error with the end of the server's log when PostgreSQL does not start.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  return atLocation(options, async location => {
    const waitingSince = Date.now()
    for (;;) {
      const attempt = await tryToLock(location.lock, 'server')
      if ('lock' in attempt) return run(location, attempt.lock, options, 'always')
      const passing = attempt.holder.role === 'command' || attempt.holder.state.name === 'stopping'
      await waitFor(attempt.holder, passing ? waitingSince + patience.command : 0, location)
    }
  })
}

/**
 * Opens the database for a command. If a server runs, uses its database, and stop() leaves that alone; otherwise starts one that runs until
 * stop(). Waits for another command (30 s) and for a server that is starting (90 s), then throws DataDirectoryInUseError. If there is no
 * database, creates one, or with `create: false` throws and creates nothing.
 */
export async function openEmbeddedPostgres({
  create = true,
  ...options
}: EmbeddedPostgresOptions & { readonly create?: boolean }): Promise<EmbeddedPostgres> {
  if (!create && !(await explainingFolder(options.dataDirectory, () => hasCluster(options.dataDirectory))))
    throw new Error(
      `There is no database in ${options.dataDirectory}. Set CRM_DATA_DIR to the data directory of the server, or ` +
        'DATABASE_URL to its PostgreSQL; the first start of a server makes a database here.',
    )
  return atLocation(options, async location => {
    const waitingSince = Date.now()
    for (;;) {
      const attempt = await tryToLock(location.lock, 'command')
      if ('lock' in attempt) return run(location, attempt.lock, options, 'if started here')
      const { role, state } = attempt.holder
      if (role === 'server' && state.name === 'ready') return borrow(state, location)
      await waitFor(attempt.holder, waitingSince + patience[role], location)
    }
  })
}

/**
 * Stops the database of a server that was killed. Called by a process that has outlived the server. Does nothing if another server or
 * command has already taken over the data directory.
 */
export async function stopOrphanedPostgres(options: Pick<EmbeddedPostgresOptions, 'dataDirectory'>): Promise<void> {
  return atLocation(options, async location => {
    const attempt = await tryToLock(location.lock, 'command')
    if ('holder' in attempt) return
    try {
      const orphan = await findPostmaster(location.cluster)
      if (orphan !== undefined) await stopPostmaster(orphan.identity)
      await removeSocketDirectory(await ensureSocketDirectory(location), location.home)
    } finally {
      await attempt.lock.release()
    }
  })
}

async function atLocation<Result>(
  { dataDirectory, log }: EmbeddedPostgresOptions,
  use: (location: Location) => Promise<Result>,
): Promise<Result> {
  const location = await explainingFolder(dataDirectory, () => locate(dataDirectory, log))
  return explainingFolder(location.home, () => use(location))
}

async function waitFor(holder: Holder, deadline: number, location: Location): Promise<void> {
  if (Date.now() > deadline) throw new DataDirectoryInUseError(location.dataDirectory, holder.pid)
  await sleep(20 + Math.random() * 20)
}

async function borrow(
  { connection, postmaster }: Extract<LockState, { name: 'ready' }>,
  { cluster }: Location,
): Promise<EmbeddedPostgres> {
  await assertReachable(connection)
  const lost = endOfProcess(postmaster).then(() => 'The server that it belongs to ended.')
  return { connection, folder: cluster, stop: async () => {}, lost }
}

async function run(
  location: Location,
  lock: DataDirectoryLock,
  options: EmbeddedPostgresOptions,
  stops: 'always' | 'if started here',
): Promise<EmbeddedPostgres> {
  try {
    const postmaster = await ensurePostmaster(location, options)
    const { connection, identity } = postmaster
    const end = async () => {
      if (stops === 'if started here' && postmaster.adopted) return
      await stopPostmaster(identity)
      await removeSocketDirectory(connection.host, location.home)
    }
    await lock.publish({ name: 'ready', connection, postmaster: identity }).catch(async (error: unknown) => {
      await end()
      throw error
    })
    let stopped: Promise<void> | undefined
    const stop = async () => {
      // This state only makes others wait; a full disk must not prevent the database from stopping.
      await lock.publish({ name: 'stopping' }).catch(() => {})
      await end()
      await lock.release()
    }
    return {
      connection,
      folder: location.cluster,
      stop: () => (stopped ??= stop()),
      lost: new Promise(resolve => postmaster.ended.then(() => stopped ?? resolve(reasonOfLoss(location)))),
    }
  } catch (error) {
    await lock.release()
    throw error
  }
}

async function reasonOfLoss({ home, log }: Location): Promise<string> {
  const text = await readFile(log, 'utf8').catch(() => '')
  return saysDiskFull(text) ? diskFullReason(home) : `It ended by itself; the end of ${log} tells why.`
}
