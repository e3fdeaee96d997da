import type { Files } from '../kernel/files/index.ts'
import type { Secret } from '../kernel/index.ts'
import { productVersion } from '../kernel/product/index.ts'
import { isUuid } from '../kernel/schema/index.ts'
import {
  copyRowsOut,
  copyTenantRowsOut,
  type Database,
  type LongTransaction,
  type Statement,
  selectEpoch,
  statement,
  storedTables,
  tenantTables,
} from '../kernel/sql/index.ts'
import { ArchiveError } from './archive-error.ts'
import { addFiles } from './archived-files.ts'
import { inFile } from './left-out.ts'
import {
  type ArchivedOrganization,
  type ArchivedTable,
  type Manifest,
  manifestName,
  manifestText,
  secretName,
  tableEntry,
} from './manifest.ts'
import { type ArchiveTarget, WrittenArchive } from './written-archive.ts'

/** The parts of an installation that writing and reading archives need. */
export interface ArchiveParts {
  readonly database: Database
  readonly secret: Secret
  readonly files: Files
}

export interface ArchiveContent {
  /** The only organization to write; null: all of them. */
  readonly organizationId: string | null
  readonly withFiles: boolean
  /** The secret of the installation, if the archive is to contain it. */
  readonly secretText: string | null
}

export interface WrittenManifest extends Manifest {
  /** The size of the archive, in bytes. */
  readonly size: number
  /** Files whose rows are in the archive, but whose bytes were removed before they were read. */
  readonly removedFiles: number
}

/**
 * Writes an organization or a whole installation in one snapshot while servers keep running: every table in the format of `copy`, on
 * request the bytes of files and the secret, and last the manifest. Memory use is constant.
 *
 * Throws an `ArchiveError` for an unknown organization, and the errors of the target; after any error, nothing is left behind.
 */
export async function writeArchive(
  parts: ArchiveParts,
  target: ArchiveTarget,
  content: ArchiveContent,
): Promise<WrittenManifest> {
  const archive = new WrittenArchive(target)
  try {
    const written = await parts.database.long('snapshot', transaction => writeAll(archive, parts, transaction, content))
    await archive.keep()
    return { ...written, size: archive.size }
  } catch (error) {
    await archive.discard()
    throw error
  }
}

/** Identifies the secret of the source installation, so that another installation can compare it with its own. */
export function secretMark(secret: Secret, organization: ArchivedOrganization | null): string {
  return secret.mark(organization === null ? 'backup' : `organization file ${organization.id}`)
}

async function writeAll(
  archive: WrittenArchive,
  { secret, files, database }: ArchiveParts,
  transaction: LongTransaction,
  { organizationId, withFiles, secretText }: ArchiveContent,
) {
  const origin = await originIn(transaction)
  const organization = organizationId === null ? null : await organizationIn(transaction, organizationId)
  const tables: ArchivedTable[] = []
  for (const { name, columns, copy } of await tablesOf(transaction, organization)) {
    const measure = await archive.add(tableEntry(name), transaction.copyOut(copy))
    tables.push({ name, columns, rows: measure.lines, bytes: measure.bytes, sha256: measure.sha256() })
  }
  const added = withFiles ? await addFiles(archive, { files, database }, transaction, organization) : null
  if (secretText !== null) await archive.add(secretName, bytesOf(secretText))
  const manifest: Manifest = {
    product: productVersion,
    organization,
    ...origin,
    secretMark: secretMark(secret, organization),
    tables,
    files: added?.count ?? null,
    hasSecret: secretText !== null,
  }
  await archive.add(manifestName, bytesOf(manifestText(manifest)))
  return { ...manifest, removedFiles: added?.removed ?? 0 }
}

interface CopiedTable {
  readonly name: string
  readonly columns: readonly string[]
  readonly copy: Statement
}

async function tablesOf(
  transaction: LongTransaction,
  organization: ArchivedOrganization | null,
): Promise<readonly CopiedTable[]> {
  if (organization === null)
    return (await storedTables(transaction)).map(table => ({ ...table, copy: copyRowsOut(table) }))
  const tables = inFile(await tenantTables(transaction))
  return tables.map(table => ({ ...table, copy: copyTenantRowsOut(table, organization.id) }))
}

const selectOrganization = statement(
  'select_organization_to_export',
  `select o.id, o.name, f.organization_id is not null as is_whole
     from organizations o
     left join organization_feed f on f.organization_id = o.id
    where o.id = $1`,
)

async function organizationIn(transaction: LongTransaction, id: string): Promise<ArchivedOrganization> {
  const [row] = isUuid(id) ? await transaction.query(selectOrganization, [id]) : []
  if (row === undefined) throw new ArchiveError(`no such organization: ${id}`)
  if (row.is_whole !== true) throw new ArchiveError(`the organization ${id} is being removed`)
  return { id: String(row.id), name: String(row.name) }
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
  if (table?.known !== true) throw new ArchiveError('there is nothing to back up: the database has no tables yet')
  const [origin] = await transaction.query(selectOrigin, [])
  const [installation] = await transaction.query(selectEpoch, [])
  return {
    migrations: Array.isArray(origin?.migrations) ? origin.migrations.map(String) : [],
    queueRevision: Number(origin?.queueRevision),
    snapshotAt: String(origin?.snapshotAt),
    epoch: Number(installation?.epoch),
  }
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}
