import { randomUUID } from 'node:crypto'
import { access, constants, readdir, readFile, rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createDataDirectory, explainingFolder, removeMatching } from '@crm-server/embedded-postgres'
import type { Config } from '../../../start/config.ts'

const oldestNode = [20, 19] as const
const oldestMaintained = 22
const recommended = 24

export function examineNode(version: string): string {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [oldestMajor, oldestMinor] = oldestNode
  if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor)) {
    throw new Error(`Node.js ${oldestNode.join('.')} or later is needed, this is ${version}`)
  }
  return major < oldestMaintained ? `${version}; it gets no more fixes: install Node.js ${recommended}` : version
}

/** Creates the data directory when missing. Throws a message for the operator if this user may not write to it. */
export async function expectWritable(dataDirectory: string): Promise<void> {
  // Only an attempt to write detects read-only file systems and full disks.
  const probe = join(dataDirectory, `doctor-${randomUUID()}`)
  return explainingFolder(dataDirectory, async () => {
    await createDataDirectory(dataDirectory)
    await removeMatching(join(dataDirectory, 'doctor'), '-')
    try {
      await writeFile(probe, 'writable')
    } finally {
      await rm(probe, { force: true })
    }
  })
}

export async function examineDataDirectory(dataDirectory: string): Promise<string> {
  await expectWritable(dataDirectory)
  return explainingFolder(dataDirectory, async () => {
    for (const name of ['spool', 'files']) await expectUsable(join(dataDirectory, name))
    await readIfThere(join(dataDirectory, 'demo-token'))
    return `${dataDirectory} is writable`
  })
}

/** The deepest folder of files is `files/<organization>/<purpose>`. */
const levels = 3

/**
 * Throws if this user may not use a folder, or one inside it: a server that another user started has created folders that belong to that
 * user.
 */
async function expectUsable(folder: string, level = 1): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(nullIfMissing)
  if (entries === null) return
  await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  if (level === levels) return
  for (const entry of entries) if (entry.isDirectory()) await expectUsable(join(folder, entry.name), level + 1)
}

/** The write-ahead log of the embedded database may grow by half a gigabyte before it shrinks again. */
const leastRoom = 512 * 1024 ** 2

/** Returns how much space this user has on the disk of the data directory; throws if that is too little. */
export async function examineRoom(dataDirectory: string): Promise<string> {
  const { bavail, bsize } = await statfs(dataDirectory)
  const room = bavail * bsize
  const megabytes = `${Math.floor(room / 1024 ** 2)} MB`
  if (room < leastRoom)
    throw new Error(`the disk of ${dataDirectory} has ${megabytes} left: make room, 512 MB at least`)
  return `${megabytes} on the disk of ${dataDirectory}`
}

/** Opening the installation creates the secret in the data directory, so this check runs after that. */
export async function examineSecret({ secret, dataDirectory }: Config): Promise<string> {
  if (secret !== undefined) return 'CRM_SECRET is set'
  const file = join(dataDirectory, 'secret')
  const kept = await explainingFolder(dataDirectory, () => readIfThere(file))
  if (kept === null) return 'none yet: the first start makes one'
  if (kept.trim() === '') throw new Error(`${file} is empty`)
  return `kept in ${file}`
}

/** The text of a file; null when there is none. */
const readIfThere = (file: string): Promise<string | null> => readFile(file, 'utf8').catch(nullIfMissing)

function nullIfMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}
