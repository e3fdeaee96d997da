import { randomBytes, randomUUID } from 'node:crypto'
import { chmod, constants, copyFile, link, readFile, rm, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import {
  createDataDirectory,
  explainingFolder,
  openEmbeddedPostgres,
  removeMatching,
  startEmbeddedPostgres,
} from '@crm-server/embedded-postgres'
import { type Author, Secret } from '../kernel/index.ts'
import { Database, type DatabaseLocation, type WhenOther } from '../kernel/sql/index.ts'
import type { Config } from './config.ts'
import { whyUnreachable } from './database-url.ts'

/** What every process of an installation uses: its database and its secret. */
export interface Installation {
  readonly config: Config
  readonly database: Database
  readonly location: DatabaseLocation
  /** The folder of the embedded database; undefined without one. */
  readonly databaseFolder: string | undefined
  readonly secret: Secret
  /** The author that audit entries name for changes of this process itself. */
  readonly author: Author
  /** Resolves to the reason when the embedded database ends unexpectedly; never if there is none. */
  readonly databaseLost: Promise<string>
  close(): Promise<void>
}

/** The user of the operating system, which has no name in some containers. */
function commandUser(): string {
  try {
    return userInfo().username
  } catch {
    return 'unknown'
  }
}

interface Options {
  /**
   * A `server` owns the embedded database; a `part`, one of its processes, uses it. A `command` uses the database of a running server, or
   * starts one for its own duration.
   */
  readonly as: 'server' | 'part' | 'command'
  /** How many processes of the server answer requests. */
  readonly processes?: number
  readonly log?: (line: string) => void
  /** Whether a command creates an embedded database if there is none; a server always does. */
  readonly create?: boolean
  /** What to do if the database is not the one that the installation recorded; by default the epoch is raised. */
  readonly whenOther?: WhenOther
}

/** Opens the database (embedded or by URL) and the secret. Throws with a reason for the operator. */
export async function openInstallation(config: Config, options: Options): Promise<Installation> {
  const { as, processes = 1, log, whenOther } = options
  const { location, folder, stop, lost } = await openDatabase(config, options)
  try {
    const former = config.previousSecret === undefined ? [] : [config.previousSecret]
    const secret = new Secret(await installationSecret(config), former)
    // Connections also end when everything is being closed; that is not logged.
    let closing = false
    const onError = (error: Error) => {
      if (!closing) log?.(`database connection: ${error.message}`)
    }
    const database = new Database({
      location,
      onError,
      connections: pointConnections[as === 'server' && processes > 1 ? 'first' : as],
      ...(whenOther === undefined ? {} : { whenOther }),
    })
    const close = async () => {
      closing = true
      await database.close()
      await stop()
    }
    // A `part` is started by a process that has already reached the database.
    if (as !== 'part' && config.databaseUrl !== undefined) await reach(config.databaseUrl, database)
    const author: Author = { type: 'system', uuid: null, jobId: null, commandUser: commandUser() }
    return { config, database, author, location, databaseFolder: folder, secret, databaseLost: lost, close }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Throws a message for the operator if the database cannot be reached. */
async function reach(url: string, database: Database): Promise<void> {
  try {
    await database.reach()
  } catch (error) {
    const reason = whyUnreachable(url, database.address, error)
    await database.close()
    throw new Error(reason, { cause: error })
  }
}

/** The secret itself, for a backup that includes it: the configured one, or that of the data directory. */
export async function installationSecret({ secret, dataDirectory }: Config): Promise<string> {
  return secret ?? explainingFolder(dataDirectory, () => keptSecret(dataDirectory, newSecret))
}

/** Gives an installation the secret of a backup before it is opened. Throws if it has another one, because that may already be in use. */
export async function placeSecret(config: Config, text: string): Promise<void> {
  const { secret, dataDirectory } = config
  if (secret === undefined) await createDataDirectory(dataDirectory)
  const present = secret ?? (await explainingFolder(dataDirectory, () => keptSecret(dataDirectory, () => text)))
  if (present === text) return
  const where = secret === undefined ? `the file ${join(dataDirectory, 'secret')}` : 'CRM_SECRET'
  throw new Error(`${where} is not the secret of the backup: take it away if nothing was made with it`)
}

async function openDatabase({ databaseUrl, dataDirectory }: Config, { as, processes = 1, create, log }: Options) {
  if (databaseUrl !== undefined) {
    const location: DatabaseLocation = { url: databaseUrl }
    return { location, folder: undefined, stop: async () => {}, lost: new Promise<never>(() => {}) }
  }
  const options = { dataDirectory, settings: settingsFor(processes), ...(log === undefined ? {} : { log }) }
  const embedded = await (as === 'server'
    ? startEmbeddedPostgres(options)
    : openEmbeddedPostgres({ ...options, create: create === true }))
  await removeLeftovers(dataDirectory)
  const location: DatabaseLocation = embedded.connection
  return { location, folder: embedded.folder, stop: () => embedded.stop(), lost: embedded.lost }
}

function settingsFor(processes: number): Record<string, string> {
  return processes === 1 ? {} : { max_connections: String(maxConnections(processes)) }
}

/** Removes incomplete files of killed processes. */
async function removeLeftovers(dataDirectory: string): Promise<void> {
  await removeMatching(join(dataDirectory, 'secret'), '.partial-')
  await removeMatching(join(dataDirectory, 'doctor'), '-')
}

const newSecret = () => randomBytes(32).toString('base64url')

/** The secret in the data directory. It is created once, even if two processes start at the same time. */
async function keptSecret(dataDirectory: string, make: () => string): Promise<string> {
  const file = join(dataDirectory, 'secret')
  const read = () =>
    readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null
      throw error
    })
  const known = await read()
  if (known !== null) return usable(known, file)
  const draft = `${file}.partial-${randomUUID()}`
  try {
    await writeFile(draft, `${make()}\n`, { mode: 0o600 })
    await chmod(draft, 0o600)
    // `link` fails if the file exists, so the first process wins.
    await link(draft, file).catch(async () => {
      // Some volumes do not support hard links.
      await copyFile(draft, file, constants.COPYFILE_EXCL).catch(() => {})
    })
  } finally {
    await rm(draft, { force: true })
  }
  const secret = await read()
  if (secret === null) throw new Error(`the secret could not be kept in ${file}`)
  return usable(secret, file)
}

function usable(secret: string, file: string): string {
  if (secret.trim().length < 16) throw new Error(`the secret in ${file} is too short: restore it from a backup`)
  return secret.trim()
}

/** Which kind of process opens connections to the database: a server, one of its processes, the first of several, or a command. */
type Opener = 'server' | 'first' | 'part' | 'command'

/** Connections of each kind of process for writes and look-ups by key. Two parts have as many as a server of one process. */
const pointConnections: Readonly<Record<Opener, number>> = { server: 12, part: 6, first: 2, command: 2 }

/** The most connections of all kinds that one of several processes opens; the process that works on jobs opens this many. */
const mostOfPart = 13

/** For the first process, commands beside the server, long transactions, and connections that PostgreSQL reserves. */
const others = 34

/** The `max_connections` of an embedded database for a server with this many processes that answer requests. */
export function maxConnections(processes: number): number {
  // One more process works on jobs, and one may be replacing another.
  return (processes + 2) * mostOfPart + others
}
