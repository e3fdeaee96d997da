import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ArchiveError } from './archive-error.ts'
import { type BucketAccess, bucketPlace, fileTarget, objectTarget } from './archive-place.ts'
import { openArchive } from './open-archive.ts'
import { type ArchiveParts, type WrittenManifest, writeArchive } from './write-archive.ts'
import type { ArchiveTarget } from './written-archive.ts'

/** A name such as `crm-backup-2026-03-31T021500Z.zip`: names in their order are in the order of time. */
const nameForm = /^crm-backup-\d{4}-\d{2}-\d{2}T\d{6}Z\.zip$/u

/** Where dated backups lie: a folder, or the beginning of keys in a bucket. */
interface BackupFolder {
  /** What is there by a name, as `restore` takes it. */
  at(name: string): string
  target(name: string): Promise<ArchiveTarget>
  /** The names of everything in it, in no order. */
  names(): Promise<readonly string[]>
  remove(name: string): Promise<void>
}

export interface DatedBackup extends WrittenManifest {
  /** Where it lies, as `restore` takes it. */
  readonly file: string
  /** Older backups that were removed. */
  readonly removed: readonly string[]
}

interface DatedOptions {
  readonly withFiles: boolean
  readonly secretText: string | null
  /** How many backups stay, this one among them; null: all. */
  readonly keep: number | null
  readonly access: BucketAccess
  readonly now: Date
}

/**
 * Writes a backup with a dated name into a folder or a bucket, reads it back, and then removes the oldest beyond `keep`. What has not
 * such a name is left alone. Throws what `writeArchive` and `openArchive` throw; then no backup was removed, and the new one is not there.
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
