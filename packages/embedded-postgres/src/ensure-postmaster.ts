import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { installBinaries, removeOtherBinaries } from './binaries.ts'
import { assertCreatable, ensureCluster } from './cluster.ts'
import { connectionThrough, type DatabaseConnection, waitUntilReady } from './connection.ts'
import type { Location } from './location.ts'
import { type Command, findPostmaster, launchPostmaster } from './postmaster.ts'
import { endOfProcess, type ProcessIdentity } from './process-identity.ts'
import { serverArguments } from './settings.ts'
import { ensureSocketDirectory } from './socket-directory.ts'
import { stopPostmaster } from './stop-postmaster.ts'

export interface Postmaster {
  connection: DatabaseConnection
  identity: ProcessIdentity
  ended: Promise<unknown>
  /** It was already running, left by an owner that died. */
  adopted: boolean
}

interface Options {
  log?: (line: string) => void
  settings?: Record<string, string>
}

/**
 * Has a ready server for the cluster of `location`, of which the caller holds the lock: adopts the one a dead owner
 * left, otherwise installs, creates and starts what is needed. Throws with the end of the server's log.
 */
export async function ensurePostmaster(location: Location, { log, settings }: Options): Promise<Postmaster> {
  await assertCreatable(location)
  const binaries = await installBinaries(location.home, log)
  await ensureCluster(location, binaries, log)
  const socketDirectory = await ensureSocketDirectory(location)
  const connection = connectionThrough(socketDirectory)
  const program = join(binaries, 'bin', 'postgres')
  const command: Command = [program, ...serverArguments(location.cluster, socketDirectory, settings)]

  const deadline = Date.now() + 20_000
  for (;;) {
    const adopted = await adopt(location, command, connection, log)
    const running = adopted ?? (await start(location, command, connection, Date.now() < deadline))
    if (running) {
      await removeOtherBinaries(binaries)
      return { connection, ...running }
    }
    await sleep(100)
  }
}

type Running = Omit<Postmaster, 'connection'>

/** Only a server that is just what would be started now is adopted: another version or other settings are restarted. */
async function adopt(
  { cluster }: Location,
  command: Command,
  connection: DatabaseConnection,
  log?: (line: string) => void,
): Promise<Running | undefined> {
  const found = await findPostmaster(cluster)
  if (!found) return undefined
  const { identity, commandLine } = found
  const current = commandLine === command.join(' ')
  const answer = current ? await waitUntilReady(connection, identity, 3000) : undefined
  if (answer === 'ready') {
    log?.(`Adopted the running database, process ${identity.pid}`)
    return { identity, ended: endOfProcess(identity), adopted: true }
  }
  log?.(`Restarting the database left by an earlier process (${identity.pid})`)
  await stopPostmaster(identity, answer === 'silent')
  return undefined
}

/** Returns undefined when it failed for a reason that passes by itself and `mayRetry`. */
async function start(
  location: Location,
  command: Command,
  connection: DatabaseConnection,
  mayRetry: boolean,
): Promise<Running | undefined> {
  const launched = await launchPostmaster(location, command)
  let reason = 'ended at once'
  if (launched) {
    const stop = () => stopPostmaster(launched.identity)
    const answer = await waitUntilReady(connection, launched.identity, 60_000).catch(async (error: unknown) => {
      await stop()
      throw error
    })
    if (answer === 'ready') return { ...launched, adopted: false }
    reason = answer === 'ended' ? 'ended while starting' : 'does not answer'
    await stop()
  }
  const log = await readFile(location.log, 'utf8')
  if (mayRetry && passing.some(message => log.includes(message))) return undefined
  throw new Error(`The embedded PostgreSQL ${reason}. The end of ${location.log}:\n${log.slice(-3000).trim()}`)
}

const passing = [
  // Sessions of a killed server take a moment to notice, and PostgreSQL does not start beside them.
  'pre-existing shared memory block',
  // The previous owner died just after launching a server, which now runs and can be adopted.
  'lock file "postmaster.pid" already exists',
]
