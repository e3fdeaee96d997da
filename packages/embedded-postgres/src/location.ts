import { access, constants, mkdir, realpath, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { type Account, closedFolder, databaseAccount, openTo } from './account.ts'
import { isLocked } from './data-directory-lock.ts'
import { homeElsewhere, readRecordedHome } from './home-elsewhere.ts'

/** Where the parts of the database are, and which user runs it. */
export interface Location {
  dataDirectory: string
  /** The folder that holds everything below: the data directory itself, or the one recorded in it. */
  home: string
  cluster: string
  lock: string
  log: string
  /** The user to run PostgreSQL as; undefined means the current one. */
  account: Account | undefined
}

/**
 * Finds the database of a data directory, or chooses the folder of a new one. Creates the data directory when missing. Throws when the user
 * that runs PostgreSQL cannot get there, or when the database belongs to another user.
 */
export async function locate(dataDirectory: string, log?: (line: string) => void): Promise<Location> {
  const directory = await createDataDirectory(dataDirectory)
  await assertWritable(directory)
  const recorded = await readRecordedHome(directory)
  if (recorded !== undefined) return located(directory, recorded)

  const account = await databaseAccount(directory, join(directory, 'postgres'))
  if (account) await openTo(account, directory)
  const closed = account && (await closedFolder(directory, account))
  if (!account || !closed) return located(directory, directory)

  const hasCluster = await stat(join(directory, 'postgres')).then(
    () => true,
    () => false,
  )
  if (hasCluster) throw closedError(directory, closed)
  return located(directory, await homeElsewhere(directory, account, closedError(directory, closed), log))
}

/** Whether a cluster exists or another process is creating one. Creates nothing. A folder that cannot be read counts as a cluster. */
export async function hasCluster(dataDirectory: string): Promise<boolean> {
  const directory = resolve(dataDirectory)
  const home = (await readRecordedHome(directory)) ?? directory
  const missing = await stat(join(home, 'postgres')).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  )
  return !missing || isLocked(join(home, 'postgres.lock'))
}

async function located(dataDirectory: string, home: string): Promise<Location> {
  const cluster = join(home, 'postgres')
  await assertWritable(home)
  const account = await databaseAccount(dataDirectory, cluster)
  const closed = account && (await closedFolder(home, account))
  if (closed) throw closedError(home, closed)
  return { dataDirectory, home, cluster, lock: join(home, 'postgres.lock'), log: join(home, 'postgres.log'), account }
}

/** Creates the data directory when missing, and resolves to its real path. A new one is accessible to its owner only. */
export async function createDataDirectory(path: string): Promise<string> {
  const directory = resolve(path)
  await mkdir(dirname(directory), { recursive: true })
  await mkdir(directory, { mode: 0o700 }).catch(async (error: NodeJS.ErrnoException) => {
    // An existing folder is left as it is; anything else under this name is an error.
    if (error.code !== 'EEXIST' || !(await stat(directory)).isDirectory()) throw error
  })
  return realpath(directory)
}

/** Checks the rights first, so that nothing is begun in a folder that cannot be used. */
const assertWritable = (folder: string): Promise<void> => access(folder, constants.W_OK | constants.X_OK)

function closedError(path: string, closed: string): Error {
  return new Error(
    `PostgreSQL does not run as root, and the unprivileged user it runs as instead cannot enter ${closed}, ` +
      `which leads to ${path}. Set CRM_DATA_DIR to a folder outside ${closed} (for example /var/lib/crm-server/data), ` +
      'or start the product as an ordinary user.',
  )
}
