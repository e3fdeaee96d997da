import type { TenantTable } from '../kernel/sql/index.ts'

/**
 * Tables of an organization that its archive omits, each with the reason. The archive contains every other table with `organization_id`,
 * including those of later versions, so a table or column that holds a secret must be listed here.
 */
export const leftOut: ReadonlyMap<string, string> = new Map([
  [
    'api_tokens',
    'Hashes of secrets that are good for one installation: tokens are created anew where the organization goes.',
  ],
  ['memberships', 'Users belong to one installation: the file contains the operators that its members are.'],
  ['user_links', 'Invitations by one installation.'],
  ['webhook_notices', 'What one installation was about to tell other webhooks.'],
  ['request_counts', 'How many requests one installation has answered, and not what the organization has.'],
])

/** Columns that the archive omits from the tables that it contains: at the destination they have the value of a new row. */
const leftOutColumns: ReadonlyMap<string, readonly string[]> = new Map([
  // The organization may be read-only while it is moved.
  ['organizations', ['read_only']],
  // Encrypted with the secret of one installation, and known to its operator only: secrets must be set again at the destination.
  ['api_integrations', ['secret', 'secret_updated_at']],
  // The same. So the webhooks of an imported organization are paused: where it comes from, they may still be sent.
  [
    'webhook_subscriptions',
    [
      'token_id',
      'despite_networks',
      'headers',
      'header_names',
      'headers_updated_at',
      'secret',
      'secret_updated_at',
      'former_secret',
      'former_secret_until',
      'enabled',
    ],
  ],
  // What strangers have answered, which may repeat what was sent to them.
  ['webhook_failures', ['answer']],
  // Tokens are not exported, and jobs continue without theirs.
  ['bulk_jobs', ['token_id']],
  ['exports', ['token_id']],
  ['imports', ['token_id']],
])

/** The tables of an organization's archive and their columns, in order: a table comes after those that it references. */
export function inFile(tables: readonly TenantTable[]): TenantTable[] {
  return tables
    .filter(({ name }) => !leftOut.has(name))
    .map(table => {
      const without = leftOutColumns.get(table.name) ?? []
      return { ...table, columns: table.columns.filter(column => !without.includes(column)) }
    })
    .toReversed()
}
