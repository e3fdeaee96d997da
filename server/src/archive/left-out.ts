import type { TenantTable } from '../kernel/sql/index.ts'

/**
 * Tables of an organization that its file does not have, each with the reason. Every other table with `organization_id` is in
 * it, also one of a later version; a table or column that holds a secret has to be named here.
 */
export const leftOut: ReadonlyMap<string, string> = new Map([
  [
    'api_tokens',
    'Hashes of secrets that are good for one installation: tokens are created anew where the organization goes.',
  ],
  ['request_counts', 'How many requests one installation has answered, and not what the organization has.'],
])

/** The same for columns of tables that it has: where the organization goes, they have the value of a new row. */
const leftOutColumns: ReadonlyMap<string, readonly string[]> = new Map([
  // It may be read-only while it is moved.
  ['organizations', ['read_only']],
  // Encrypted for one installation, and given to its operator alone: secrets are set anew where the organization goes.
  ['api_integrations', ['secret', 'secret_updated_at']],
  // Tokens stay behind, and jobs go on without theirs.
  ['bulk_jobs', ['token_id']],
  ['exports', ['token_id']],
  ['imports', ['token_id']],
])

/** The tables of an organization's file and their columns in it, in its order: a table stands behind those that it refers to. */
export function inFile(tables: readonly TenantTable[]): TenantTable[] {
  return tables
    .filter(({ name }) => !leftOut.has(name))
    .map(table => {
      const without = leftOutColumns.get(table.name) ?? []
      return { ...table, columns: table.columns.filter(column => !without.includes(column)) }
    })
    .toReversed()
}
