import { isObject, isTexts, isUuid, type JsonObject } from '../kernel/schema/index.ts'
import { ArchiveError } from './archive-error.ts'

export const manifestName = 'manifest.json'
export const secretName = 'secret'

const format = 'crm-archive'
const formatVersion = 2
/** The manifest of a backup by release 0.1.0: the same, without an organization. */
const formerFormat = 'crm-backup'
const formerVersion = 1

/** The rows of a table: an entry of that name in the format of `copy`. */
export interface ArchivedTable {
  readonly name: string
  readonly columns: readonly string[]
  readonly rows: number
  readonly bytes: number
  readonly sha256: string
}

/** The organization in an archive. */
export interface ArchivedOrganization {
  readonly id: string
  readonly name: string
}

/** The type, origin and contents of an archive. The manifest is the last entry, so a file without one is incomplete. */
export interface Manifest {
  /** The version of the product that wrote the archive. */
  readonly product: string
  /** null: all organizations and the job queue; the archive is a backup of the installation. */
  readonly organization: ArchivedOrganization | null
  /** The migrations of the source database, and the revision of its job queue. */
  readonly migrations: readonly string[]
  readonly queueRevision: number
  /** The time of the snapshot. */
  readonly snapshotAt: string
  readonly epoch: number
  /** Identifies the secret of the installation, so that another installation can compare it with its own. */
  readonly secretMark: string
  /** In an order in which they can be loaded: a table comes after those that it references. */
  readonly tables: readonly ArchivedTable[]
  /** How many stored files the archive contains; null if they were omitted. */
  readonly files: number | null
  readonly hasSecret: boolean
}

/** The entry of a table. */
export function tableEntry(name: string): string {
  return `tables/${name}`
}

export function manifestText(manifest: Manifest): string {
  return `${JSON.stringify({ format, formatVersion, ...manifest }, null, 2)}\n`
}

/**
 * Parses a manifest, including that of release 0.1.0. Throws an `ArchiveError` for a text that is not a manifest, or one of another format
 * version.
 */
export function readManifest(text: string): Manifest {
  const found = parsed(text)
  const isFormer = isObject(found) && found.format === formerFormat
  if (!isObject(found) || !(isFormer || found.format === format)) throw new ArchiveError(noArchive)
  const expected = isFormer ? formerVersion : formatVersion
  if (found.formatVersion !== expected)
    throw new ArchiveError(`the archive has the format ${String(found.formatVersion)}, and not ${expected}`)
  const { tables, migrations, files, hasSecret, organization = null } = found
  if (!Array.isArray(tables) || !isTexts(migrations) || migrations.length === 0) throw notWhole()
  return {
    product: textOf(found.product),
    organization: organization === null ? null : organizationNamed(organization),
    migrations,
    queueRevision: countOf(found.queueRevision),
    snapshotAt: textOf(found.snapshotAt),
    epoch: countOf(found.epoch),
    secretMark: textOf(found.secretMark),
    tables: tables.map(tableOf),
    files: files === null ? null : countOf(files),
    hasSecret: hasSecret === true,
  }
}

export const noArchive = 'this is no file that "backup" or "organization export" has written, or it was cut off'

/** The organization of a header or manifest. Throws an `ArchiveError` if it names none. */
export function organizationNamed(value: unknown): ArchivedOrganization {
  const { id, name }: JsonObject = isObject(value) ? value : {}
  if (typeof id !== 'string' || !isUuid(id) || typeof name !== 'string')
    throw new ArchiveError('the manifest names no organization')
  return { id: id.toLowerCase(), name }
}

function tableOf(value: unknown): ArchivedTable {
  const table: JsonObject = isObject(value) ? value : {}
  const { columns } = table
  if (!isTexts(columns)) throw notWhole()
  return {
    name: textOf(table.name),
    columns,
    rows: countOf(table.rows),
    bytes: countOf(table.bytes),
    sha256: textOf(table.sha256),
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ArchiveError('the manifest is not JSON: the file is damaged', { cause: error })
  }
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw notWhole()
  return value
}

function countOf(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw notWhole()
  return value
}

function notWhole(): ArchiveError {
  return new ArchiveError('the manifest is not whole')
}
