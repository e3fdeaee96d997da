import { WrittenFile } from '../kernel/files/index.ts'
import { isUuid } from '../kernel/schema/index.ts'
import {
  identifier,
  type LongTransaction,
  ownerColumn,
  type Statement,
  statement,
  type TenantTable,
  tenantTables,
} from '../kernel/sql/index.ts'
import { writeBytes } from './file-bytes.ts'
import { headOf, schemaOf } from './file-head.ts'
import { fileTables, type RowCounts, type TenantParts, totalOf } from './parts.ts'
import { TenantError } from './tenant-error.ts'

export interface ExportedOrganization {
  readonly id: string
  readonly name: string
  readonly file: string
  readonly rows: RowCounts
  readonly total: number
}

/**
 * Writes everything of an organization but what `leftOut` names into one file, as it is at one moment: a line for what it is, a
 * line for each row, lines for the bytes of its files, and a line that counts the rows. However much that is, little of it is held in memory.
 *
 * Throws a `TenantError` for an unknown organization; whatever goes wrong, a file that was there stays as it was.
 */
export async function exportOrganization(
  parts: TenantParts,
  organizationId: string,
  path: string,
): Promise<ExportedOrganization> {
  const file = await WrittenFile.open(path)
  try {
    const written = await parts.database.long('snapshot', transaction =>
      writeAll(file, parts, transaction, organizationId),
    )
    await file.keep()
    return { ...written, file: path, total: totalOf(written.rows) }
  } catch (error) {
    await file.discard()
    throw error
  }
}

async function writeAll(file: WrittenFile, parts: TenantParts, transaction: LongTransaction, given: string) {
  const organization = await organizationIn(transaction, given)
  const schema = await schemaOf(transaction)
  file.add(lineOf(await headOf({ schema, organization, secret: parts.secret })))
  const rows: Record<string, number> = {}
  for (const table of fileTables(await tenantTables(transaction))) {
    rows[table.name] = await writeTable(file, table, transaction, organization.id)
  }
  await writeBytes(file, parts.files, transaction, organization.id)
  file.add(lineOf({ rows, total: totalOf(rows) }))
  return { ...organization, rows }
}

const selectOrganization = statement(
  'select_organization_to_export',
  `select o.id, o.name, f.organization_id is not null as is_whole
     from organizations o
     left join organization_feed f on f.organization_id = o.id
    where o.id = $1`,
)

async function organizationIn(transaction: LongTransaction, id: string) {
  const [row] = isUuid(id) ? await transaction.query(selectOrganization, [id]) : []
  if (row === undefined) throw new TenantError(`no such organization: ${id}`)
  if (row.is_whole !== true) throw new TenantError(`the organization ${id} is being removed`)
  return { id: String(row.id), name: String(row.name) }
}

/** Resolves to the number of rows. */
async function writeTable(
  file: WrittenFile,
  table: TenantTable,
  transaction: LongTransaction,
  organizationId: string,
): Promise<number> {
  const before = `{"table":${JSON.stringify(table.name)},"row":`
  let count = 0
  await transaction.query(selectRows(table), [organizationId], {
    take({ row }) {
      count += 1
      file.add(`${before}${String(row)}}\n`)
    },
    giveWay: () => file.flush(),
  })
  await file.flush()
  return count
}

// PostgreSQL makes the text of a row: a number in it would lose digits as a number of JavaScript.
function selectRows(table: TenantTable): Statement {
  const { name, columns, key } = table
  const text = `-- name: export_${name}
    select row_to_json(r)::text as row
      from (select ${columns.map(identifier).join(', ')} from ${identifier(name)}
             where ${ownerColumn(table)} = $1 order by ${key.map(identifier).join(', ')}) as r`
  return { name: '', text }
}

function lineOf(content: object): string {
  return `${JSON.stringify(content)}\n`
}
