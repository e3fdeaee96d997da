import { stat } from 'node:fs/promises'
import { WrittenFile } from '../kernel/files/index.ts'
import { productVersion } from '../kernel/product/index.ts'
import {
  copyRowsOut,
  type LongTransaction,
  type StoredTable,
  selectEpoch,
  statement,
  storedTables,
} from '../kernel/sql/index.ts'
import { addFiles } from './backed-up-files.ts'
import { BackupError } from './backup-error.ts'
import { type BackedUpTable, type Manifest, manifestName, manifestText, secretName, tableEntry } from './manifest.ts'
import { type BackupParts, secretMark } from './parts.ts'
import { WrittenArchive } from './written-archive.ts'

export interface BackupOptions {
  readonly withFiles: boolean
  /** The secret of the installation, where it shall be in the backup. */
  readonly secretText: string | null
}

export interface WrittenBackup extends Manifest {
  readonly file: string
  /** Of the file, in bytes. */
  readonly size: number
  /** Files whose rows are in the backup, and whose bytes were removed before they were read. */
  readonly removedFiles: number
}

/**
 * Writes everything of an installation into one file, as it is at one moment, while servers go on: every table as `copy` gives it, the
 * bytes of files and the secret where they are asked for, and last what all of it is. However much that is, little of it is held
 * in memory.
 *
 * Throws a `BackupError` where the file is there already; whatever goes wrong, nothing is left behind. With `output` its bytes go there,
 * and count if this resolves.
 */
export async function backUp(
  parts: BackupParts,
  path: string,
  options: BackupOptions,
  output?: (bytes: Uint8Array) => Promise<void>,
): Promise<WrittenBackup> {
  if (output === undefined && (await stat(path).catch(() => null)) !== null)
    throw new BackupError(`${path} is there already`)
  const stream = output === undefined ? null : streamTarget(output)
  const archive = new WrittenArchive(stream ?? (await WrittenFile.open(path)))
  try {
    const written = await parts.database.long('snapshot', transaction => writeAll(archive, parts, transaction, options))
    await archive.keep()
    return { ...written, file: path, size: stream?.size() ?? (await stat(path)).size }
  } catch (error) {
    await archive.discard()
    throw error
  }
}

/** Bytes that went into a stream cannot be taken back. */
function streamTarget(output: (bytes: Uint8Array) => Promise<void>) {
  let size = 0
  return {
    size: () => size,
    async write(content: string | Uint8Array) {
      const bytes = Buffer.from(content)
      size += bytes.length
      await output(bytes)
    },
    async keepAsNew() {},
    async discard() {},
  }
}

async function writeAll(
  archive: WrittenArchive,
  { secret, files, database }: BackupParts,
  transaction: LongTransaction,
  { withFiles, secretText }: BackupOptions,
) {
  const origin = await originIn(transaction)
  const tables: BackedUpTable[] = []
  for (const table of await storedTables(transaction)) tables.push(await addTable(archive, table, transaction))
  const added = withFiles ? await addFiles(archive, { files, database }, transaction) : null
  if (secretText !== null) await archive.add(secretName, bytesOf(secretText))
  const manifest: Manifest = {
    product: productVersion,
    ...origin,
    secretMark: secretMark(secret),
    tables,
    files: added?.count ?? null,
    hasSecret: secretText !== null,
  }
  await archive.add(manifestName, bytesOf(manifestText(manifest)))
  return { ...manifest, removedFiles: added?.removed ?? 0 }
}

const selectMigrationTable = statement(
  'select_migration_table_to_back_up',
  `select to_regclass('schema_migrations') is not null as known`,
)

const selectOrigin = statement(
  'select_origin_of_backup',
  `select array(select m.name from schema_migrations m order by m.name) as migrations,
          (select max(q.id) from graphile_worker.migrations q) as "queueRevision",
          statement_timestamp() as "snapshotAt"`,
)

async function originIn(transaction: LongTransaction) {
  const [table] = await transaction.query(selectMigrationTable, [])
  if (table?.known !== true) throw new BackupError('there is nothing to back up: the database has no tables yet')
  const [origin] = await transaction.query(selectOrigin, [])
  const [installation] = await transaction.query(selectEpoch, [])
  return {
    migrations: Array.isArray(origin?.migrations) ? origin.migrations.map(String) : [],
    queueRevision: Number(origin?.queueRevision),
    snapshotAt: String(origin?.snapshotAt),
    epoch: Number(installation?.epoch),
  }
}

async function addTable(
  archive: WrittenArchive,
  table: StoredTable,
  transaction: LongTransaction,
): Promise<BackedUpTable> {
  const { name, columns } = table
  const measure = await archive.add(tableEntry(name), transaction.copyOut(copyRowsOut(table)))
  return { name, columns, rows: measure.lines, bytes: measure.bytes, sha256: measure.sha256() }
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}
