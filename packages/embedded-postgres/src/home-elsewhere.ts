import { randomUUID } from 'node:crypto'
import { chmod, link, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Account, closedFolder, openTo } from './account.ts'

const base = '/var/lib/crm-server'

interface HomeRecord {
  home: string
  dataDirectory: string
}

const recordPath = (dataDirectory: string): string => join(dataDirectory, 'postgres-location.json')

/**
 * Moves the database of a data directory that PostgreSQL cannot enter to a folder of /var/lib, and records that folder in the data
 * directory. This makes `npm start` work for root in its home, which is closed to others (0700): the product must not open /root, and
 * PostgreSQL must be able to enter every folder of its path. It does so only on the same file system: a volume mounted for the data is
 * meant to outlive this file system, so the database must stay on it. Otherwise throws `refusal`.
 */
export async function homeElsewhere(
  dataDirectory: string,
  account: Account,
  refusal: Error,
  log?: (line: string) => void,
): Promise<string> {
  const home = join(base, randomUUID())
  await createHome(home, account).catch((error: unknown) => {
    refusal.cause = error
    throw refusal
  })
  if ((await closedFolder(home, account)) || (await stat(home)).dev !== (await stat(dataDirectory)).dev) {
    await rm(home, { recursive: true })
    throw refusal
  }
  if (await writeRecord({ home, dataDirectory }, 'first')) {
    log?.(`The database is kept in ${home}, because PostgreSQL cannot enter ${dataDirectory}: include it in backups`)
    return home
  }
  // Another process was faster: its folder is used.
  await rm(home, { recursive: true })
  return (await readRecordedHome(dataDirectory)) ?? homeElsewhere(dataDirectory, account, refusal, log)
}

/**
 * The folder recorded in the data directory, if any. Throws when that folder is gone, or when this data directory is a copy and the folder
 * belongs to the original.
 */
export async function readRecordedHome(dataDirectory: string): Promise<string | undefined> {
  const path = recordPath(dataDirectory)
  const record = await readRecord(dataDirectory)
  if (!record) return undefined
  if (!(await stat(record.home).catch(() => undefined))) {
    throw new Error(
      `The database of ${dataDirectory} was kept in ${record.home}, which is gone. ` +
        `Restore that folder from a backup, or remove ${path} to begin with an empty database.`,
    )
  }
  if (record.dataDirectory === dataDirectory) return record.home

  const original = await readRecord(record.dataDirectory).catch(() => undefined)
  if (original?.home === record.home) {
    throw new Error(
      `${dataDirectory} is a copy of ${record.dataDirectory}; the database, kept in ${record.home}, was not copied. ` +
        `Remove ${path} to begin with an empty database.`,
    )
  }
  await writeRecord({ home: record.home, dataDirectory }, 'moved')
  return record.home
}

async function createHome(home: string, account: Account): Promise<void> {
  const created = await mkdir(base, { recursive: true })
  if (created !== undefined) await chmod(base, 0o711)
  await mkdir(home, { mode: 0o700 })
  await openTo(account, home)
}

async function readRecord(dataDirectory: string): Promise<HomeRecord | undefined> {
  const path = recordPath(dataDirectory)
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return undefined
  const { home, dataDirectory: original }: Partial<HomeRecord> = JSON.parse(text)
  // Root must not follow a record to a folder that another user chose.
  if (typeof home === 'string' && typeof original === 'string' && dirname(home) === base) {
    return { home, dataDirectory: original }
  }
  throw new Error(`${path} is damaged: it should name the folder of the database below ${base}`)
}

async function writeRecord(record: HomeRecord, occasion: 'first' | 'moved'): Promise<boolean> {
  const path = recordPath(record.dataDirectory)
  const complete = `${path}.${randomUUID()}`
  try {
    await writeFile(complete, JSON.stringify(record, null, 2), { flag: 'wx', flush: true })
    if (occasion === 'moved') {
      await rename(complete, path)
      return true
    }
    await link(complete, path)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  } finally {
    await rm(complete, { force: true })
  }
}
