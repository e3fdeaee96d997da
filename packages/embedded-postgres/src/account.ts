import { chmod, lchown, lstat, readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** The user and group that PostgreSQL runs as when the product runs as root. PostgreSQL refuses to run as root. */
export interface Account {
  uid: number
  gid: number
}

// An id that no account has (outside the ranges of Debian and systemd). It is not "nobody": a program that runs as the same user as the
// database can read its files.
const dedicated: Account = { uid: 65527, gid: 65527 }

/**
 * Chooses the user that runs PostgreSQL. For an ordinary user the result is undefined: PostgreSQL runs as that user. For root it is the
 * owner of the cluster, or else the owner of the data directory, so that root and that owner can both use them later.
 */
export async function databaseAccount(dataDirectory: string, cluster: string): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const owners = [await stat(cluster).catch(() => undefined), await stat(dataDirectory)]
  const owner = owners.find(folder => folder && folder.uid !== 0)
  return owner ? { uid: owner.uid, gid: owner.gid } : dedicated
}

/** Unlike the server, initdb requires a user with a name. For a user id without one it runs as "nobody". */
export function initdbAccount(account: Account | undefined): Account | undefined {
  if (account?.uid !== dedicated.uid) return account
  return { uid: process.platform === 'darwin' ? 1 : 65534, gid: account.gid }
}

/** The first folder on the way to `path`, including `path`, that the account may not enter. */
export async function closedFolder(path: string, account: Account): Promise<string | undefined> {
  const parent = dirname(path)
  const closed = parent === path ? undefined : await closedFolder(parent, account)
  if (closed !== undefined) return closed
  const { uid, gid, mode } = await stat(path)
  const mayPass = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001
  return (mode & mayPass) === 0 ? path : undefined
}

/**
 * Lets the group that PostgreSQL runs as pass through a folder that only root may enter. The group may not list it, and has no other
 * member.
 */
export async function openTo(account: Account, folder: string): Promise<void> {
  const { uid, mode } = await stat(folder)
  if (uid !== 0 || (mode & 0o077) !== 0) return
  await lchown(folder, 0, account.gid).catch(refuse)
  await chmod(folder, 0o710)
}

/** Gives a folder and everything in it to the account. Does not follow links, which may point anywhere. */
export async function giveTo(account: Account, path: string): Promise<void> {
  await lchown(path, account.uid, account.gid).catch(refuse)
  if (!(await lstat(path)).isDirectory()) return
  for (const name of await readdir(path)) await giveTo(account, join(path, name))
}

/** In a container, root may lack the privilege to change owners. */
function refuse(error: unknown): never {
  throw new Error(
    'PostgreSQL does not run as root, and this root may not hand its files to another user. ' +
      'Start the product as an ordinary user, or set DATABASE_URL.',
    { cause: error },
  )
}
