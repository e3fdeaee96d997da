import { readSettings } from '../kernel/index.ts'
import type { JsonObject } from '../kernel/schema/index.ts'
import { type Database, statement } from '../kernel/sql/index.ts'
import { application } from './application.ts'

const selectUses = statement(
  'select_token_uses',
  `select t.record_id, t.last_used_at, t.last_used_ip, t.last_refused_at, t.last_refused_ip, t.last_refused_reason
     from api_tokens t
    where t.organization_id = $1`,
)

/**
 * Tokens with the name of their application, the time and address of their last use and of their last refusal, and the reason of the
 * refusal.
 */
export async function withUses(
  tokens: readonly JsonObject[],
  organizationId: string,
  database: Database,
): Promise<readonly JsonObject[]> {
  const [rows, applications] = await Promise.all([
    database.search(selectUses, [organizationId]),
    readSettings(application, organizationId, database),
  ])
  const uses = new Map(rows.map(row => [row.record_id, row]))
  const names = new Map(applications.map(({ id, name }) => [id, name]))
  return tokens.map(({ id: recordId, tokenId, ...token }) => {
    const use = uses.get(String(recordId))
    return {
      id: tokenId,
      recordId,
      ...token,
      application: names.get(token.applicationId) ?? null,
      lastUsedAt: use?.last_used_at ?? null,
      lastUsedIp: use?.last_used_ip ?? null,
      lastRefusedAt: use?.last_refused_at ?? null,
      lastRefusedIp: use?.last_refused_ip ?? null,
      lastRefusedReason: use?.last_refused_reason ?? null,
    }
  })
}
