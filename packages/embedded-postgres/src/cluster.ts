import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { chmod, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { giveTo, initdbAccount } from './account.ts'
import type { Location } from './location.ts'
import { removeMatching } from './remove-matching.ts'

const run = promisify(execFile)

// initdb passes its paths to a shell, where these characters are special even between quotes.
const unquotable = /["$`\\\r\n]/u

/** Throws when the cluster does not exist yet and initdb cannot create it in a folder of this name. */
export async function assertCreatable({ home, cluster }: Location): Promise<void> {
  if (!unquotable.test(home) || (await stat(cluster).catch(() => undefined))) return
  throw new Error(
    `PostgreSQL cannot create a database in ${JSON.stringify(home)}, because of a " or $ or \\ or \` in that path. ` +
      'Set CRM_DATA_DIR to a path without them.',
  )
}

/**
 * Makes sure that the cluster exists and belongs to the account. Creates it under a temporary name and renames it when complete, so an
 * interrupted first start leaves nothing that looks like a database. Throws an error with initdb's own message.
 */
export async function ensureCluster(location: Location, binaries: string, log?: (line: string) => void): Promise<void> {
  const { cluster, account } = location
  await removeMatching(cluster, '.partial-')
  const existing = await stat(cluster).catch(() => undefined)
  if (!existing) await createCluster(location, binaries, log)
  // A backup restored by root, for example, belongs to root.
  else if (account && existing.uid !== account.uid) await giveTo(account, cluster)
}

async function createCluster(
  { home, cluster, account }: Location,
  binaries: string,
  log?: (line: string) => void,
): Promise<void> {
  log?.(`Creating the database in ${cluster}`)
  const partial = `${cluster}.partial-${randomUUID()}`
  const creator = initdbAccount(account)
  try {
    await mkdir(partial, { mode: 0o700 })
    await chmod(partial, 0o700)
    if (creator) await giveTo(creator, partial)
    await initialize(partial, binaries, creator)
    if (account) await giveTo(account, partial)
    await rename(partial, cluster)
  } catch (error) {
    await rm(partial, { recursive: true, force: true })
    throw error
  }
  await flushFolder(home)
}

async function initialize(folder: string, binaries: string, creator: object | undefined): Promise<void> {
  const options = { ...creator, cwd: '/', env: { LC_ALL: 'C', TZ: 'UTC' } }
  try {
    await run(join(binaries, 'bin', 'initdb'), ['-D', folder, ...initdbOptions], options)
    const single = ['--single', '-D', folder, '-c', 'exit_on_error=on', 'postgres']
    const session = run(join(binaries, 'bin', 'postgres'), single, options)
    session.child.stdin?.on('error', () => {}).end(roleAndDatabase)
    await session
  } catch (error) {
    const said = error instanceof Error && 'stderr' in error && error.stderr ? error.stderr : error
    throw new Error(
      `The embedded PostgreSQL could not create its database: ${String(said).trim()}\n` +
        'It needs macOS or a Linux with glibc, a user that has a name, and a file system that lets programs run. ' +
        'Where that is not given, set DATABASE_URL.',
      { cause: error },
    )
  }
}

const initdbOptions = [
  '--username=postgres',
  '--encoding=UTF8',
  // Sorting does not depend on the machine. Which characters are letters (for trigrams and text search) still depends on the machine's
  // locale, and not every macOS has C.UTF-8.
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  process.platform === 'darwin' ? '--locale=en_US.UTF-8' : '--locale=C.UTF-8',
  // Access is controlled by the folder of the socket: every process that may enter it is trusted. Nobody is trusted over the network.
  '--auth-local=trust',
  '--auth-host=reject',
  '--no-instructions',
]

// An ordinary role, as on any other PostgreSQL server: a flaw in the product must not give away superuser rights. Errors of its statements
// go to the client only; in the server's log they would fill the disk and quote personal data.
const roleAndDatabase = `create role crm login createdb;
alter role crm set log_min_messages = 'log';
create database crm owner crm;
`

async function flushFolder(path: string): Promise<void> {
  const folder = await open(path)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
