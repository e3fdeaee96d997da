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
  /** Whether the server was already running, left by an owner that died. */
  adopted: boolean
}

interface Options {
  log?: (line: string) => void
  settings?: Record<string, string>
}

/**
 * Returns a ready server for the cluster of `location`, whose lock the caller holds. Adopts the server that a dead owner left; otherwise
 * installs, creates and starts what is needed. Throws an error with the end of the server's log.
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

/** Adopts a server only if it is identical to the one that would be started now. Restarts one of another version or with other settings. */
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

/** Returns undefined when the start failed for a temporary reason and `mayRetry` is set. */
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
  // The sessions of a killed server take a moment to end, and PostgreSQL does not start before that.
  'pre-existing shared memory block',
  // The previous owner died just after it launched a server. That server now runs and can be adopted.
  'lock file "postmaster.pid" already exists',
]
