import type { Secret } from '../kernel/index.ts'
import { productVersion } from '../kernel/product/index.ts'
import { isObject, isUuid } from '../kernel/schema/index.ts'
import { type LongTransaction, statement } from '../kernel/sql/index.ts'
import { TenantError } from './tenant-error.ts'

const format = 'crm-organization'
const formatVersion = 1

/** The first line of a file: what it is, where it comes from, and whose rows follow. */
export interface FileHead {
  readonly format: typeof format
  readonly formatVersion: typeof formatVersion
  /** The version of the product that wrote it. */
  readonly product: string
  /** The last migration of the database that it comes from. */
  readonly schema: string
  readonly organization: { readonly id: string; readonly name: string }
  readonly exportedAt: string
  /** The mark of the installation's secret, which tells whether cursors and removed keys go on being known. */
  readonly secretMark: string
}

const selectSchema = statement('select_schema_version', 'select max(m.name) as name from schema_migrations m')

/** The last migration that was applied. */
export async function schemaOf(transaction: LongTransaction): Promise<string> {
  const [row] = await transaction.query(selectSchema, [])
  return String(row?.name)
}

/** What tells whether two installations have the same secret, for a file of this organization. */
export function secretMark(secret: Secret, organizationId: string): string {
  return secret.mark(`organization file ${organizationId}`)
}

interface Origin {
  readonly schema: string
  readonly organization: FileHead['organization']
  readonly secret: Secret
}

/** The head of a file that is written now. */
export async function headOf({ schema, organization, secret }: Origin): Promise<FileHead> {
  return {
    format,
    formatVersion,
    product: productVersion,
    schema,
    organization,
    exportedAt: new Date().toISOString(),
    secretMark: secretMark(secret, organization.id),
  }
}

/** Reads a first line. Throws a `TenantError` for what is no such file, or one of another form. */
export function readHead(line: unknown): FileHead {
  if (!isObject(line) || line.format !== format)
    throw new TenantError('line 1: this is no file that "organization export" has written')
  if (line.formatVersion !== formatVersion)
    throw new TenantError(`line 1: the file has the format ${String(line.formatVersion)}, and not ${formatVersion}`)
  const { product, schema, organization, exportedAt, secretMark: mark } = line
  const texts = [product, schema, exportedAt, mark]
  if (!isObject(organization) || !texts.every(text => typeof text === 'string'))
    throw new TenantError('line 1: the head of the file is not whole')
  const { id, name } = organization
  if (typeof id !== 'string' || !isUuid(id) || typeof name !== 'string')
    throw new TenantError('line 1: the head names no organization')
  return {
    format,
    formatVersion,
    product: String(product),
    schema: String(schema),
    organization: { id: id.toLowerCase(), name },
    exportedAt: String(exportedAt),
    secretMark: String(mark),
  }
}
