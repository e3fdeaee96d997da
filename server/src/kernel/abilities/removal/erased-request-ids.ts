import type { Secret } from '../../encryption/secret.ts'
import { statement, type Transaction } from '../../sql/index.ts'

// Few ids contain an address, and these have an index of their own. `coalesce` excludes the index of all ids: while tables are small, the
// planner finds it as good, and a plan is kept.
const tables = ['audit_entries', 'idempotency_answers'] as const
const statements = tables.map(table => ({
  select: statement(
    `find_request_ids_in_${table}`,
    `select distinct t.client_request_id as id from ${table} t
      where t.organization_id = $1 and coalesce(t.client_request_id, '') like '%@%'
        and coalesce(t.client_request_id, '') ~* $2`,
  ),
  replace: statement(
    `replace_request_ids_in_${table}`,
    `update ${table} t set client_request_id = hashed.hash
       from unnest($2::text[], $3::text[]) as hashed (id, hash)
      where t.organization_id = $1 and coalesce(t.client_request_id, '') like '%@%'
        and t.client_request_id = hashed.id
    returning 1`,
  ),
}))

/** Replaces each `X-Request-Id` that contains an address of a person by a hash of it (contract section 8). Returns the number of rows. */
export async function hashRequestIds(
  transaction: Transaction,
  organizationId: string,
  address: string,
  secret: Secret,
): Promise<number> {
  const replaced = await Promise.all(
    statements.map(async ({ select, replace }) => {
      const ids = (await transaction.query(select, [organizationId, address])).map(({ id }) => String(id))
      if (ids.length === 0) return []
      return transaction.query(replace, [organizationId, ids, ids.map(id => secret.requestIdHash(id))])
    }),
  )
  return replaced.flat().length
}
