import { ArchiveError } from './archive-error.ts'
import { type ArchiveSource, type BucketAccess, sourceAt } from './archive-place.ts'
import { FormerFile } from './former-file.ts'
import { type Manifest, manifestName, readManifest, secretName, tableEntry } from './manifest.ts'
import { Measure } from './measure.ts'
import { ReadArchive } from './read-archive.ts'

const mostManifestBytes = 16 * 1024 ** 2
const mostSecretBytes = 4096

/** An archive whose tables and files are verified: all are present and unchanged. */
export interface OpenedArchive {
  readonly content: ReadArchive | FormerFile
  readonly manifest: Manifest
  /** The secret of the source installation; null if it was omitted. */
  readonly secretText: string | null
}

/**
 * Opens an archive at a path or in a bucket, or an organization file of release 0.1.0, and reads all of it once. Throws an `ArchiveError`
 * if anything is missing, unexpected, or changed. The caller closes its content.
 */
export async function openArchive(place: string, access: BucketAccess): Promise<OpenedArchive> {
  const source = await sourceAt(place, access)
  if (await FormerFile.isIn(source)) {
    const content = new FormerFile(source)
    return { content, manifest: await content.verify(), secretText: null }
  }
  return openZip(source)
}

async function openZip(source: ArchiveSource): Promise<OpenedArchive> {
  const content = await ReadArchive.open(source)
  try {
    const manifest = readManifest(await content.text(manifestName, mostManifestBytes))
    await verify(content, manifest)
    const secretText = manifest.hasSecret ? await content.text(secretName, mostSecretBytes) : null
    return { content, manifest, secretText }
  } catch (error) {
    content.close()
    throw error
  }
}

async function verify(archive: ReadArchive, manifest: Manifest): Promise<void> {
  const tables = new Map(manifest.tables.map(table => [tableEntry(table.name), table]))
  if (tables.size !== manifest.tables.length) throw new ArchiveError('the manifest names a table twice')
  for (const [entry, { name, rows, bytes, sha256 }] of tables) {
    const measure = new Measure()
    for await (const _ of measure.of(archive.read(entry)));
    if (measure.bytes !== bytes || measure.lines !== rows || measure.sha256() !== sha256)
      throw new ArchiveError(`the rows of ${name} are not those of the manifest: the file is damaged`)
  }
  const others = archive.names.filter(name => name !== manifestName && !tables.has(name))
  const files = others.filter(name => name !== secretName)
  const strange = files.find(name => !name.startsWith('files/'))
  if (strange !== undefined) throw new ArchiveError(`the archive has ${strange}, which its manifest does not name`)
  if (files.length !== (manifest.files ?? 0))
    throw new ArchiveError(`the archive has ${files.length} of ${manifest.files ?? 0} files: it is not whole`)
  for (const name of files) for await (const _ of archive.read(name));
}
