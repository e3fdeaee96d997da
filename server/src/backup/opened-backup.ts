import { BackupError } from './backup-error.ts'
import { type Manifest, manifestName, readManifest, secretName, tableEntry } from './manifest.ts'
import { Measure } from './measure.ts'
import { ReadArchive } from './read-archive.ts'

const mostManifestBytes = 16 * 1024 ** 2
const mostSecretBytes = 4096

/** A backup whose tables are all there, and as they were written. */
export interface OpenedBackup {
  readonly archive: ReadArchive
  readonly manifest: Manifest
  /** The secret of the installation that it comes from; null where it was left out. */
  readonly secretText: string | null
}

/**
 * Opens a backup and reads all of it once. Throws a `BackupError` for what is missing, too much, or not as it was written. Whoever opens
 * it closes the archive.
 */
export async function openBackup(path: string): Promise<OpenedBackup> {
  const archive = await ReadArchive.open(path)
  try {
    const manifest = readManifest(await archive.text(manifestName, mostManifestBytes))
    await verify(archive, manifest)
    const secretText = manifest.hasSecret ? await archive.text(secretName, mostSecretBytes) : null
    return { archive, manifest, secretText }
  } catch (error) {
    archive.close()
    throw error
  }
}

async function verify(archive: ReadArchive, manifest: Manifest): Promise<void> {
  const tables = new Map(manifest.tables.map(table => [tableEntry(table.name), table]))
  if (tables.size !== manifest.tables.length) throw new BackupError('the manifest of the backup tells of a table twice')
  for (const [entry, { name, rows, bytes, sha256 }] of tables) {
    const measure = new Measure()
    for await (const _ of measure.of(archive.read(entry)));
    if (measure.bytes !== bytes || measure.lines !== rows || measure.sha256() !== sha256)
      throw new BackupError(`the rows of ${name} are not those that the manifest tells of: the backup is damaged`)
  }
  const others = archive.names.filter(name => name !== manifestName && !tables.has(name))
  const files = others.filter(name => name !== secretName)
  const strange = files.find(name => !name.startsWith('files/'))
  if (strange !== undefined) throw new BackupError(`the backup has ${strange}, of which its manifest tells nothing`)
  if (files.length !== (manifest.files ?? 0))
    throw new BackupError(`of ${manifest.files ?? 0} files the backup has ${files.length}: it is not whole`)
  for (const name of files) for await (const _ of archive.read(name));
}
