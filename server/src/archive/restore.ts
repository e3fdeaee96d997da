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
import { ArchiveError } from './archive-error.ts'
import { restoreFiles } from './archived-files.ts'
import { FormerFile } from './former-file.ts'
import { type ImportedOrganization, importOrganization } from './import-organization.ts'
import { copyInto, expectTables, type LoadedRows, totalOf } from './load-rows.ts'
import { type ArchivedTable, type Manifest, tableEntry } from './manifest.ts'
import type { OpenedArchive } from './open-archive.ts'
import { type ArchiveParts, secretMark } from './write-archive.ts'

export interface RestoredInstallation {
  readonly snapshotAt: string
  readonly rows: LoadedRows
  readonly total: number
  readonly files: number
  /** The new epoch of the change feeds: it makes earlier cursors expire, so that consumers start again. */
  readonly epoch: number
  /** Whether data that depends on the secret stays usable: links, keys of removed records, encrypted secrets. */
  readonly hasSameSecret: boolean
}

/** What was loaded into an empty database. */
export type Restored = RestoredInstallation | ImportedOrganization

/**
 * Loads an archive into an empty database: first the migrations of the archive, then the rows and files in one transaction, and last the
 * migrations that are newer than the archive.
 *
 * Throws an `ArchiveError` if the database is not empty, if a later version of this program wrote the archive, and, unless
 * `mayHaveOtherSecret` is set, if a backup was made with another secret. After any error, nothing is kept.
 */
export async function restore(
  parts: ArchiveParts,
  archive: OpenedArchive,
  { mayHaveOtherSecret }: { readonly mayHaveOtherSecret: boolean },
): Promise<Restored> {
  const { database, secret } = parts
  const { manifest } = archive
  const hasSameSecret = manifest.secretMark === secretMark(secret, manifest.organization)
  if (manifest.organization === null && !hasSameSecret && !mayHaveOtherSecret) throw new ArchiveError(otherSecret)
  await prepare(parts, manifest)
  const restored = await (manifest.organization === null
    ? restoreInstallation(parts, archive)
    : importOrganization(parts, archive))
  await migrate(database)
  // The backup may contain the fingerprint of another secret.
  await rememberSecret(database, secret, true)
  return { ...restored, hasSameSecret }
}

/** Migrates the empty database to the schema of the archive. */
async function prepare({ database }: ArchiveParts, manifest: Manifest): Promise<void> {
  const { migrations, product, organization } = manifest
  const isOtherQueue = organization === null && manifest.queueRevision !== queueRevision
  const later = laterThan(await knownMigrations(), migrations)
  if (later !== undefined || isOtherQueue) {
    const why = later ?? `revision ${manifest.queueRevision} of the job queue, and not ${queueRevision}`
    throw new ArchiveError(`the archive is of product ${product}, which has ${why}: restore it with that version`)
  }
  await expectEmpty(await storedTables(database), name => database.search(name, []))
  await migrate(database, migrations.at(-1))
  const applied = (await database.search(selectApplied, [])).map(({ name }) => String(name))
  const ahead = laterThan(migrations, applied)
  if (ahead !== undefined)
    throw new ArchiveError(
      `the database has ${ahead}, which is later than the archive: restore into one without tables`,
    )
}

async function restoreInstallation(
  { database, files }: ArchiveParts,
  { content, manifest }: OpenedArchive,
): Promise<Omit<RestoredInstallation, 'hasSameSecret'>> {
  const { tables, snapshotAt } = manifest
  if (content instanceof FormerFile) throw new ArchiveError('the file has no installation')
  const restored = await database.long('write', async transaction => {
    // No server connects before everything is loaded, and if two restores run at the same time, the second one finds rows.
    await transaction.query(lockInstallation, [])
    const here = await storedTables(transaction)
    await expectEmpty(here, asked => transaction.query(asked, []))
    await transaction.query(deleteInstallation, [])
    expectTables(tables, here)
    const rows = await load(transaction, here, tables, name => content.read(tableEntry(name)))
    const stored = await restoreFiles(content, files.store, transaction, null)
    if (stored !== (manifest.files ?? 0))
      throw new ArchiveError(`${stored} of ${manifest.files ?? 0} files of the archive have a row: it is damaged`)
    await transaction.query(forgetDatabase, [])
    await transaction.query(raiseGeneration, [])
    const [installation] = await transaction.query(raiseEpoch, [])
    return { rows, files: stored, epoch: Number(installation?.epoch) }
  })
  return { ...restored, snapshotAt, total: totalOf(restored.rows) }
}

const otherSecret =
  'the secret here is not that of the backup: set CRM_SECRET to it, or restore with --other-secret; cursors, links and keys of ' +
  'removed records are then not recognised, and secrets of API integrations are lost'

const selectApplied = statement(
  'select_migrations_to_restore',
  'select m.name from schema_migrations m order by m.name',
)

const lockInstallation = statement('lock_installation', 'lock table installation in access exclusive mode')

// The backup contains the only row of this table.
const deleteInstallation = statement('delete_installation', 'delete from installation')

// The row in the backup identifies the source database. The next connection records this database instead.
const forgetDatabase = statement(
  'forget_database',
  `update installation i set system_identifier = null, timeline = null, database_oid = null where i.singleton`,
)

/** The first of the names that is unknown. */
function laterThan(known: readonly string[], names: readonly string[]): string | undefined {
  return names.find(name => !known.includes(name))
}

/** A new installation has one row, which identifies it. */
async function expectEmpty(
  tables: readonly StoredTable[],
  ask: (statement: ReturnType<typeof findAnyRow>) => Promise<readonly { readonly found?: unknown }[]>,
): Promise<void> {
  for (const table of tables.filter(({ name }) => name !== 'installation')) {
    const [row] = await ask(findAnyRow(table))
    if (row?.found === true)
      throw new ArchiveError(
        `the database is not empty, ${table.name} has rows: a backup is restored into an empty one`,
      )
  }
}

/** Writes all rows, in the order of the archive, which satisfies foreign keys. */
async function load(
  transaction: LongTransaction,
  here: readonly StoredTable[],
  tables: readonly ArchivedTable[],
  read: (name: string) => AsyncIterable<Uint8Array>,
): Promise<LoadedRows> {
  const rows: Record<string, number> = {}
  for (const { name, columns, rows: expected } of tables) {
    const table = here.find(each => each.name === name)
    if (table === undefined) continue
    const written = await copyInto(transaction, copyRowsIn(table, columns), read(name), name)
    if (written !== expected) throw new ArchiveError(`${written} rows of ${name} were written, and not ${expected}`)
    for (const column of table.numbered) await transaction.query(numberOn(table, column), [])
    rows[name] = written
  }
  return rows
}
