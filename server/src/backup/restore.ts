import { raiseGeneration, rememberSecret } from '../kernel/index.ts'
import {
  copyRowsIn,
  findAnyRow,
  knownMigrations,
  type LongTransaction,
  migrate,
  numberOn,
  queueRevision,
  raiseEpoch,
  type StoredTable,
  statement,
  storedTables,
} from '../kernel/sql/index.ts'
import { restoreFiles } from './backed-up-files.ts'
import { BackupError } from './backup-error.ts'
import { type BackedUpTable, tableEntry } from './manifest.ts'
import type { OpenedBackup } from './opened-backup.ts'
import { type BackupParts, secretMark } from './parts.ts'

export interface RestoredInstallation {
  readonly snapshotAt: string
  readonly rows: Readonly<Record<string, number>>
  readonly total: number
  readonly files: number
  /** That of the change feeds from now on: cursors from before are told to start anew. */
  readonly epoch: number
  /** Whether what the secret is needed for goes on here: links, keys of removed records, encrypted secrets. */
  readonly hasSameSecret: boolean
}

/**
 * Fills an empty database with a backup, in one transaction: the schema is brought to that of the backup, then come the rows and files,
 * and in the end the migrations that are later than the backup.
 *
 * Throws a `BackupError` when the database is not empty, when the backup was made by a later version of this program, and, unless
 * `mayHaveOtherSecret` is set, when the backup was made with another secret. Whatever goes wrong, nothing is kept.
 */
export async function restore(
  { database, secret, files }: BackupParts,
  { archive, manifest }: OpenedBackup,
  { mayHaveOtherSecret }: { readonly mayHaveOtherSecret: boolean },
): Promise<RestoredInstallation> {
  const { migrations, product, tables, snapshotAt } = manifest
  const hasSameSecret = manifest.secretMark === secretMark(secret)
  if (!hasSameSecret && !mayHaveOtherSecret) throw new BackupError(otherSecret)
  const later = laterThan(await knownMigrations(), migrations)
  if (later !== undefined || manifest.queueRevision !== queueRevision) {
    const why = later ?? `revision ${manifest.queueRevision} of the job queue, and not ${queueRevision}`
    throw new BackupError(`the backup is of product ${product}, which has ${why}: restore it with that version`)
  }
  await expectEmpty(await storedTables(database), name => database.search(name, []))
  await migrate(database, migrations.at(-1))
  const applied = (await database.search(selectApplied, [])).map(({ name }) => String(name))
  const ahead = laterThan(migrations, applied)
  if (ahead !== undefined)
    throw new BackupError(`the database has ${ahead}, which is later than the backup: restore into one without tables`)
  const restored = await database.long('write', async transaction => {
    // No server opens a connection before all is there, and of two restores the second one finds rows.
    await transaction.query(lockInstallation, [])
    const here = await storedTables(transaction)
    await expectEmpty(here, asked => transaction.query(asked, []))
    await transaction.query(deleteInstallation, [])
    const rows = await load(transaction, here, tables, name => archive.read(tableEntry(name)))
    const stored = await restoreFiles(archive, files.store, transaction)
    if (stored !== (manifest.files ?? 0))
      throw new BackupError(`of ${manifest.files ?? 0} files of the backup ${stored} have a row: it is damaged`)
    await transaction.query(forgetDatabase, [])
    await transaction.query(raiseGeneration, [])
    const [installation] = await transaction.query(raiseEpoch, [])
    return { rows, files: stored, epoch: Number(installation?.epoch) }
  })
  await migrate(database)
  // The backup may bring along the mark of another secret.
  await rememberSecret(database, secret, true)
  const total = Object.values(restored.rows).reduce((sum, count) => sum + count, 0)
  return { ...restored, snapshotAt, total, hasSameSecret }
}

const otherSecret =
  'the secret here is not that of the backup: set CRM_SECRET to it, or restore with --other-secret; cursors, links and keys of ' +
  'removed records are then not recognised, and secrets of API integrations are lost'

const selectApplied = statement(
  'select_migrations_to_restore',
  'select m.name from schema_migrations m order by m.name',
)

const lockInstallation = statement('lock_installation', 'lock table installation in access exclusive mode')

// The backup brings the one row of this table along.
const deleteInstallation = statement('delete_installation', 'delete from installation')

// The row of the backup names the database that it comes from. The next connection notes this one instead.
const forgetDatabase = statement(
  'forget_database',
  `update installation i set system_identifier = null, timeline = null, database_oid = null where i.singleton`,
)

/** The first of the names that is not among those that are known. */
function laterThan(known: readonly string[], names: readonly string[]): string | undefined {
  return names.find(name => !known.includes(name))
}

/** A new installation has one row: that of itself. */
async function expectEmpty(
  tables: readonly StoredTable[],
  ask: (statement: ReturnType<typeof findAnyRow>) => Promise<readonly { readonly found?: unknown }[]>,
): Promise<void> {
  for (const table of tables.filter(({ name }) => name !== 'installation')) {
    const [row] = await ask(findAnyRow(table))
    if (row?.found === true)
      throw new BackupError(`the database is not empty, ${table.name} has rows: a backup is restored into an empty one`)
  }
}

/** Writes all rows, in the order of the backup, which foreign keys accept. */
async function load(
  transaction: LongTransaction,
  here: readonly StoredTable[],
  tables: readonly BackedUpTable[],
  read: (name: string) => AsyncIterable<Uint8Array>,
): Promise<Record<string, number>> {
  const rows: Record<string, number> = {}
  for (const { name, columns, rows: expected } of tables) {
    const table = here.find(each => each.name === name)
    if (table === undefined) throw new BackupError(`the table ${name} is not known here`)
    const strange = columns.find(column => !table.columns.includes(column))
    if (strange !== undefined) throw new BackupError(`the table ${name} has no column ${strange}`)
    const written = await transaction.copyIn(copyRowsIn(table, columns), read(name))
    if (written !== expected) throw new BackupError(`of ${name} ${written} rows were written, and not ${expected}`)
    for (const column of table.numbered) await transaction.query(numberOn(table, column), [])
    rows[name] = written
  }
  const missing = here.find(({ name }) => rows[name] === undefined)
  if (missing !== undefined) throw new BackupError(`the backup has no rows of ${missing.name}: it is not whole`)
  return rows
}
