import { chmod, lchown, lstat, readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** The user and group PostgreSQL runs with when the product itself runs as root, which PostgreSQL refuses. */
export interface Account {
  uid: number
  gid: number
}

// A number no account has (outside the ranges of Debian and systemd), and not "nobody": a program that shares the user of the
// database can read it.
const dedicated: Account = { uid: 65527, gid: 65527 }

/**
 * Chooses the user of the database: undefined for an ordinary user (PostgreSQL simply runs as that one), for root the
 * owner of the cluster, else of the data directory, so that both can be used by root and by that owner later.
 */
export async function databaseAccount(dataDirectory: string, cluster: string): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const owners = [await stat(cluster).catch(() => undefined), await stat(dataDirectory)]
  const owner = owners.find(folder => folder && folder.uid !== 0)
  return owner ? { uid: owner.uid, gid: owner.gid } : dedicated
}

/** initdb, unlike the server, asks for the name of its user, so for one without a name it runs as "nobody". */
export function initdbAccount(account: Account | undefined): Account | undefined {
  if (account?.uid !== dedicated.uid) return account
  return { uid: process.platform === 'darwin' ? 1 : 65534, gid: account.gid }
}

/** The first folder on the way to `path`, itself included, that the account may not pass. */
export async function closedFolder(path: string, account: Account): Promise<string | undefined> {
  const parent = dirname(path)
  const closed = parent === path ? undefined : await closedFolder(parent, account)
  if (closed !== undefined) return closed
  const { uid, gid, mode } = await stat(path)
  const mayPass = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001
  return (mode & mayPass) === 0 ? path : undefined
}

/**
 * A folder that only root may enter is opened to the one group PostgreSQL runs with, for passing through and not for
 * listing: nobody else is a member of it.
 */
export async function openTo(account: Account, folder: string): Promise<void> {
  const { uid, mode } = await stat(folder)
  if (uid !== 0 || (mode & 0o077) !== 0) return
  await lchown(folder, 0, account.gid).catch(refuse)
  await chmod(folder, 0o710)
}

/** Gives a folder and all it holds to the account, without following links: they may point anywhere. */
export async function giveTo(account: Account, path: string): Promise<void> {
  await lchown(path, account.uid, account.gid).catch(refuse)
  if (!(await lstat(path)).isDirectory()) return
  for (const name of await readdir(path)) await giveTo(account, join(path, name))
}

/** Root of a container may lack the privilege to change owners. */
function refuse(error: unknown): never {
  throw new Error(
    'PostgreSQL does not run as root, and this root may not hand its files to another user. ' +
      'Start the product as an ordinary user, or set DATABASE_URL.',
    { cause: error },
  )
}
