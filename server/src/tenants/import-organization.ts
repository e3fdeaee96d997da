import { createReadStream } from 'node:fs'
import type { FileStore } from '../kernel/files/index.ts'
import { raiseGeneration } from '../kernel/index.ts'
import {
  identifier,
  type LongTransaction,
  ownerColumn,
  type Statement,
  type TenantTable,
  tenantTables,
} from '../kernel/sql/index.ts'
import { ReceivedFiles } from './file-bytes.ts'
import { type FileHead, readHead, schemaOf, secretMark } from './file-head.ts'
import { linesOf } from './file-lines.ts'
import { fileTables, type RowCounts, type TenantParts, totalOf } from './parts.ts'
import { jsonOf, readLine } from './read-line.ts'
import { RowPortions } from './row-portions.ts'
import { TenantError } from './tenant-error.ts'

export interface ImportedOrganization {
  readonly id: string
  readonly name: string
  readonly rows: RowCounts
  readonly total: number
  /** Whether cursors from before are valid here, and removed keys known. */
  readonly hasSameSecret: boolean
}

/**
 * Brings in an organization from a file that `exportOrganization` wrote, with all ids, versions and numbers, in one transaction.
 * A portion of the file is held in memory at a time.
 *
 * Throws a `TenantError` where there is something of this organization already, where the schema is not that of the file, and,
 * with the number of the line, for whatever is wrong in the file; then nothing is left behind.
 */
export async function importOrganization(
  { database, secret, files }: TenantParts,
  path: string,
): Promise<ImportedOrganization> {
  const bytes = createReadStream(path)
  try {
    const lines = linesOf(bytes)
    const first = await lines.next()
    if (first.done === true) throw new TenantError('the file is empty')
    const head = readHead(jsonOf(first.value, 1))
    const { organization } = head
    const rows = await database.long('write', async transaction => {
      const tables = await tenantTables(transaction)
      await expectRoom(transaction, head, tables)
      const counted = await bringIn(transaction, lines, organization.id, fileTables(tables), files.store)
      // An organization that was here before may be remembered.
      await transaction.query(raiseGeneration, [])
      return counted
    })
    const hasSameSecret = head.secretMark === secretMark(secret, organization.id)
    return { ...organization, rows, total: totalOf(rows), hasSameSecret }
  } finally {
    bytes.destroy()
  }
}

async function expectRoom(
  transaction: LongTransaction,
  { schema, product, organization }: FileHead,
  tables: readonly TenantTable[],
): Promise<void> {
  const own = await schemaOf(transaction)
  if (own !== schema) {
    const versions = `the file has the schema ${schema} (product ${product}), this installation ${own}`
    throw new TenantError(`${versions}: bring both to the same version, and export again`)
  }
  for (const table of tables) {
    const [found] = await transaction.query(selectAny(table), [organization.id])
    if (found !== undefined)
      throw new TenantError(`the organization ${organization.id} is here already: ${table.name} has rows of it`)
  }
}

function selectAny(table: TenantTable): Statement {
  const { name } = table
  const text = `-- name: find_rows_in_${name}
    select 1 from ${identifier(name)} where ${ownerColumn(table)} = $1 limit 1`
  return { name: '', text }
}

function countRows(table: TenantTable): Statement {
  const { name } = table
  const text = `-- name: count_rows_in_${name}
    select count(*) as rows from ${identifier(name)} where ${ownerColumn(table)} = $1`
  return { name: '', text }
}

/** Writes all rows, stores all files, and compares their number with what the last line says, and with what has arrived. */
async function bringIn(
  transaction: LongTransaction,
  lines: AsyncIterable<string>,
  organizationId: string,
  tables: readonly TenantTable[],
  store: FileStore,
): Promise<RowCounts> {
  const expected = { organizationId, tables: new Map(tables.map(table => [table.name, table])) }
  const portions = new RowPortions(transaction, organizationId)
  const counted = new Map(tables.map(({ name }) => [name, 0]))
  const received = new ReceivedFiles(store, transaction, organizationId)
  let told: RowCounts | null = null
  let number = 1
  try {
    for await (const text of lines) {
      number += 1
      if (told !== null) throw new TenantError(`line ${number} stands behind the end of the file`)
      const line = readLine(text, number, expected)
      if ('rows' in line) {
        told = line.rows
      } else if ('bytes' in line) {
        await portions.flush()
        await received.add(line.file, line.bytes)
      } else {
        const { table } = line
        counted.set(table.name, (counted.get(table.name) ?? 0) + 1)
        await portions.add(table, { number, text })
      }
    }
    await portions.flush()
    if (told === null) throw new TenantError(`the file was cut off behind line ${number}: its end is missing`)
    const [come, expectedFiles] = [await received.end(), counted.get('files') ?? 0]
    if (come !== expectedFiles) throw new TenantError(`of ${expectedFiles} files the bytes of ${come} have come`)
  } finally {
    received.abandon()
  }
  for (const table of tables) await expectCount(transaction, organizationId, table, counted, told)
  return Object.fromEntries(counted)
}

async function expectCount(
  transaction: LongTransaction,
  organizationId: string,
  table: TenantTable,
  counted: ReadonlyMap<string, number>,
  told: RowCounts,
): Promise<void> {
  const { name } = table
  const [row] = await transaction.query(countRows(table), [organizationId])
  const counts = [told[name], counted.get(name), Number(row?.rows)]
  if (new Set(counts).size === 1) return
  const [end, before, arrived] = counts
  throw new TenantError(`of ${name} the end of the file tells ${end} rows, there are ${before}, and ${arrived} arrived`)
}
