import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ArchiveError } from './archive-error.ts'
import { type BucketAccess, bucketPlace, fileTarget, objectTarget } from './archive-place.ts'
import { openArchive } from './open-archive.ts'
import { type ArchiveParts, type WrittenManifest, writeArchive } from './write-archive.ts'
import type { ArchiveTarget } from './written-archive.ts'

/** A name such as `crm-backup-2026-03-31T021500Z.zip`: alphabetical order is the order of time. */
const nameForm = /^crm-backup-\d{4}-\d{2}-\d{2}T\d{6}Z\.zip$/u

/** The location of dated backups: a folder, or a key prefix in a bucket. */
interface BackupFolder {
  /** The location of a backup by its name, in the form that `restore` takes. */
  at(name: string): string
  target(name: string): Promise<ArchiveTarget>
  /** The names of all entries, unordered. */
  names(): Promise<readonly string[]>
  remove(name: string): Promise<void>
}

export interface DatedBackup extends WrittenManifest {
  /** The location of the new backup, in the form that `restore` takes. */
  readonly file: string
  /** Older backups that were removed. */
  readonly removed: readonly string[]
}

interface DatedOptions {
  readonly withFiles: boolean
  readonly secretText: string | null
  /** How many backups to keep, including the new one; null: all. */
  readonly keep: number | null
  readonly access: BucketAccess
  readonly now: Date
}

/**
 * Writes a backup with a dated name into a folder or a bucket, verifies it, and then removes the oldest ones beyond `keep`. Entries without
 * such a name are not touched. Throws the errors of `writeArchive` and `openArchive`; in that case no backup is removed, and the new one
 * does not exist.
 */
export async function backUpInto(parts: ArchiveParts, place: string, options: DatedOptions): Promise<DatedBackup> {
  const { keep, access, now, ...content } = options
  const folder = await folderAt(place, access)
  const name = `crm-backup-${now.toISOString().slice(0, 19).replaceAll(':', '')}Z.zip`
  const written = await writeArchive(parts, await folder.target(name), { organizationId: null, ...content })
  try {
    const { content: read } = await openArchive(folder.at(name), access)
    read.close()
  } catch (error) {
    await folder.remove(name)
    throw error
  }
  const backups = (await folder.names()).filter(each => nameForm.test(each)).toSorted()
  const removed = keep === null ? [] : backups.slice(0, Math.max(0, backups.length - keep))
  for (const each of removed) await folder.remove(each)
  return { ...written, file: folder.at(name), removed: removed.map(each => folder.at(each)) }
}

async function folderAt(place: string, access: BucketAccess): Promise<BackupFolder> {
  const bucket = bucketPlace(place, access)
  if (bucket === null) return diskFolder(place)
  const { objects, key } = bucket
  const prefix = key === '' ? '' : `${key}/`
  const at = (name: string) => `${place.replace(/\/+$/u, '')}/${name}`
  return {
    at,
    async target(name) {
      if ((await objects.stat(prefix + name)) !== null) throw new ArchiveError(`${at(name)} is there already`)
      return objectTarget(objects, prefix + name)
    },
    async names() {
      const names: string[] = []
      for await (const { key: found } of objects.list(prefix)) names.push(found.slice(prefix.length))
      return names
    },
    remove: name => objects.remove(prefix + name),
  }
}

async function diskFolder(folder: string): Promise<BackupFolder> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if (!(await stat(folder)).isDirectory()) throw new ArchiveError(`${folder} is no folder`)
  return {
    at: name => join(folder, name),
    target: name => fileTarget(join(folder, name), { replace: false }),
    names: () => readdir(folder),
    remove: name => rm(join(folder, name), { force: true }),
  }
}
