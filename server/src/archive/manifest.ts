import { isObject, isUuid, type JsonObject } from '../kernel/schema/index.ts'
import { ArchiveError } from './archive-error.ts'

export const manifestName = 'manifest.json'
export const secretName = 'secret'

const format = 'crm-archive'
const formatVersion = 2
/** What release 0.1.0 wrote into a backup: the same, without an organization. */
const formerFormat = 'crm-backup'
const formerVersion = 1

/** The rows of a table, as `copy` wrote them into an entry of that name. */
export interface ArchivedTable {
  readonly name: string
  readonly columns: readonly string[]
  readonly rows: number
  readonly bytes: number
  readonly sha256: string
}

/** The organization that an archive holds. */
export interface ArchivedOrganization {
  readonly id: string
  readonly name: string
}

/** What an archive is, where it comes from, and what is in it. It is the last entry, so that a file without one is not whole. */
export interface Manifest {
  /** The version of the product that wrote it. */
  readonly product: string
  /** null: all of them, with the job queue, which is a backup of the installation. */
  readonly organization: ArchivedOrganization | null
  /** The migrations of the database that it comes from, and the revision of its job queue. */
  readonly migrations: readonly string[]
  readonly queueRevision: number
  /** The moment of which all rows are. */
  readonly snapshotAt: string
  readonly epoch: number
  /** Tells whether another installation has the secret of this one. */
  readonly secretMark: string
  /** In an order in which they can be written: a table stands behind those that it refers to. */
  readonly tables: readonly ArchivedTable[]
  /** How many files of the store are in it; null where they were left out. */
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

/** Reads the text of a manifest, of release 0.1.0 as well. Throws an `ArchiveError` for what is none, or one of another form. */
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

/** The organization that a head or manifest names. Throws an `ArchiveError` where it names none. */
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

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(each => typeof each === 'string')
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
