import { createHash } from 'node:crypto'
import { chmod, lchown, lstat, mkdir, realpath, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Account, closedFolder } from './account.ts'
import type { Location } from './location.ts'

// The longest path of a unix socket on macOS, in bytes; Linux allows 107.
const longestSocketPath = 103

/**
 * Creates the folder of the server's socket, accessible only to the account (or the current user): this protects the database. The folder
 * is beside the cluster, or in the temporary folder when that path is too long for a socket.
 */
export async function ensureSocketDirectory({ home, account }: Location): Promise<string> {
  const beside = join(home, 'socket')
  const directory = fits(beside) ? beside : await shortDirectory(home, account)
  await mkdir(directory, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  // In a folder shared by all users, another user may have created a folder or a link under this name.
  const found = await lstat(directory)
  const own = process.getuid?.()
  if (!found.isDirectory() || ![own, account?.uid].includes(found.uid)) {
    throw new Error(`${directory} should be the folder of the database's socket, but belongs to user ${found.uid}`)
  }
  await chmod(directory, 0o700)
  if (account) await lchown(directory, account.uid, account.gid)
  return directory
}

/** Removes a folder in the temporary folder; one beside the cluster stays. */
export async function removeSocketDirectory(directory: string, home: string): Promise<void> {
  if (directory !== join(home, 'socket')) await rmdir(directory).catch(() => {})
}

async function shortDirectory(home: string, account: Account | undefined): Promise<string> {
  const name = `crm-${createHash('sha256').update(home).digest('hex').slice(0, 16)}`
  for (const base of [tmpdir(), '/tmp']) {
    const directory = join(await realpath(base), name)
    if (fits(directory) && !(account && (await closedFolder(await realpath(base), account)))) return directory
  }
  throw new Error(`The path ${home} is too long for the database's socket. Set CRM_DATA_DIR to a shorter one.`)
}

const fits = (directory: string): boolean => Buffer.byteLength(join(directory, '.s.PGSQL.5432')) <= longestSocketPath
