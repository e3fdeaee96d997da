import { raiseGeneration } from '../kernel/index.ts'
import {
  copyTenantRowsIn,
  identifier,
  type LongTransaction,
  ownerColumn,
  type TenantTable,
  tenantTables,
} from '../kernel/sql/index.ts'
import { ArchiveError } from './archive-error.ts'
import { restoreFiles } from './archived-files.ts'
import { FormerFile } from './former-file.ts'
import { inFile, leftOut } from './left-out.ts'
import { copyInto, expectTables, type LoadedRows, totalOf } from './load-rows.ts'
import { type ArchivedOrganization, type Manifest, tableEntry } from './manifest.ts'
import type { OpenedArchive } from './open-archive.ts'
import { type ArchiveParts, secretMark } from './write-archive.ts'

export interface ImportedOrganization extends ArchivedOrganization {
  readonly rows: LoadedRows
  readonly total: number
  /** Whether earlier cursors stay valid here, and removed keys stay known. */
  readonly hasSameSecret: boolean
}

/**
 * Imports the organization of an archive, with all ids, versions and numbers, in one transaction. Only a portion of the archive is in
 * memory at a time.
 *
 * Throws an `ArchiveError` if data of this organization already exists, if the schema differs from that of the archive, and for every fault
 * in the archive; then nothing is left behind.
 */
export async function importOrganization(
  parts: ArchiveParts,
  { content, manifest }: OpenedArchive,
): Promise<ImportedOrganization> {
  const { organization, tables: written } = manifest
  if (organization === null) throw new ArchiveError('this is a backup of a whole installation: see restore')
  const { id } = organization
  const rows = await parts.database.long('write', async transaction => {
    const all = await tenantTables(transaction)
    await expectRoom(transaction, manifest, id, all)
    const here = inFile(all)
    expectTables(written, here, name => (leftOut.has(name) ? 'is not brought in from a file' : 'is not known here'))
    const tables = new Map(here.map(table => [table.name, table]))
    if (content instanceof FormerFile) await content.load(transaction, tables, id, parts.files.store)
    else {
      for (const { name, columns } of written) {
        const table = tables.get(name)
        if (table === undefined) continue
        const owned =
          table.identity === null ? ownedBy(id, content.read(tableEntry(name)), name) : content.read(tableEntry(name))
        await copyInto(transaction, copyTenantRowsIn(table, columns), owned, name)
      }
      const stored = await restoreFiles(content, parts.files.store, transaction, organization)
      if (stored !== (manifest.files ?? 0))
        throw new ArchiveError(`${stored} of ${manifest.files ?? 0} files of the archive have a row: it is damaged`)
    }
    for (const table of here) await expectCount(transaction, id, table, written)
    // Other servers may have cached an organization with this id that existed here before.
    await transaction.query(raiseGeneration, [])
    return Object.fromEntries(written.map(({ name, rows: count }) => [name, count]))
  })
  const hasSameSecret = manifest.secretMark === secretMark(parts.secret, organization)
  return { ...organization, rows, total: totalOf(rows), hasSameSecret }
}

async function expectRoom(
  transaction: LongTransaction,
  { migrations, product }: Manifest,
  id: string,
  tables: readonly TenantTable[],
): Promise<void> {
  const [row] = await transaction.query(selectSchema, [])
  const [own, schema] = [String(row?.name), migrations.at(-1)]
  if (own !== schema) {
    const versions = `the file has the schema ${schema} (product ${product}), this installation ${own}`
    throw new ArchiveError(`${versions}: bring both to the same version, or restore the file into an empty database`)
  }
  for (const table of tables) {
    const text = `select 1 from ${identifier(table.name)} where ${ownerColumn(table)} = $1 limit 1`
    const [found] = await transaction.query({ name: '', text }, [id])
    if (found !== undefined)
      throw new ArchiveError(`the organization ${id} is here already: ${table.name} has rows of it`)
  }
}

const selectSchema = { name: '', text: 'select max(m.name) as name from schema_migrations m' }

const newline = 0x0a
const mebibyte = 1024 ** 2
/** Far more than the largest row that the server writes, which is the stored answer of a batch. */
const mostRowBytes = 64 * mebibyte

/** The same rows, each preceded by the id of its organization. */
async function* ownedBy(id: string, rows: AsyncIterable<Uint8Array>, table: string): AsyncGenerator<Uint8Array> {
  const owner = Buffer.from(`${id}\t`)
  let isBegun = false
  let length = 0
  for await (const chunk of rows) {
    const pieces: Uint8Array[] = []
    for (let from = 0; from < chunk.length; ) {
      const end = chunk.indexOf(newline, from) + 1
      const piece = chunk.subarray(from, end === 0 ? chunk.length : end)
      pieces.push(...(isBegun ? [] : [owner]), piece)
      isBegun = end === 0
      length = isBegun ? length + piece.length : 0
      if (length > mostRowBytes)
        throw new ArchiveError(`a row of ${table} is longer than ${mostRowBytes / mebibyte} MiB`)
      from += piece.length
    }
    yield Buffer.concat(pieces)
  }
}

/** Rows of another organization would be counted in the archive, but not here. */
async function expectCount(
  transaction: LongTransaction,
  id: string,
  table: TenantTable,
  written: Manifest['tables'],
): Promise<void> {
  const text = `select count(*) as rows from ${identifier(table.name)} where ${ownerColumn(table)} = $1`
  const [row] = await transaction.query({ name: '', text }, [id])
  const expected = written.find(({ name }) => name === table.name)?.rows
  if (Number(row?.rows) !== expected)
    throw new ArchiveError(`${Number(row?.rows)} rows of ${table.name} have arrived, and not ${expected}`)
}
