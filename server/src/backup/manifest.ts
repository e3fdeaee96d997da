import { isObject, type JsonObject } from '../kernel/schema/index.ts'
import { BackupError } from './backup-error.ts'

export const manifestName = 'manifest.json'
export const secretName = 'secret'

const format = 'crm-backup'
const formatVersion = 1

/** The rows of a table, as `copy` wrote them into an entry of that name. */
export interface BackedUpTable {
  readonly name: string
  readonly columns: readonly string[]
  readonly rows: number
  readonly bytes: number
  readonly sha256: string
}

/** What a backup is, where it comes from, and what is in it. It is the last entry, so that a file without one is not whole. */
export interface Manifest {
  /** The version of the product that wrote it. */
  readonly product: string
  /** The migrations of the database that it comes from, and the revision of its job queue. */
  readonly migrations: readonly string[]
  readonly queueRevision: number
  /** The moment of which all rows are. */
  readonly snapshotAt: string
  readonly epoch: number
  readonly secretMark: string
  /** In an order in which they can be written: a table stands behind those that it refers to. */
  readonly tables: readonly BackedUpTable[]
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

/** Reads the text of a manifest. Throws a `BackupError` for what is none, or one of another form. */
export function readManifest(text: string): Manifest {
  const found = parsed(text)
  if (!isObject(found) || found.format !== format) throw new BackupError('this is no file that "backup" has written')
  if (found.formatVersion !== formatVersion)
    throw new BackupError(`the backup has the format ${String(found.formatVersion)}, and not ${formatVersion}`)
  const { tables, migrations, files, hasSecret } = found
  if (!Array.isArray(tables) || !isTexts(migrations) || migrations.length === 0) throw notWhole()
  return {
    product: textOf(found.product),
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

function tableOf(value: unknown): BackedUpTable {
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
    throw new BackupError('the manifest of the backup is not JSON: the file is damaged', { cause: error })
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

function notWhole(): BackupError {
  return new BackupError('the manifest of the backup is not whole')
}
