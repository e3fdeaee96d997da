import { Gauge, type Registry } from 'prom-client'
import { type Database, statement } from '../../kernel/sql/index.ts'
import type { Readiness } from './readiness.ts'

/** How many days before its end a token is reported. */
const noticeDays = 14

/** $1: that many days. A token that was rotated has a successor, and is meant to end. */
const countTokens = statement(
  'expiring_tokens',
  `select count(*) as expiring from api_tokens t
     join applications a on a.organization_id = t.organization_id and a.id = t.application_id and a.enabled
     left join api_tokens n
       on n.organization_id = t.organization_id and n.application_id = t.application_id and n.rotated_from = t.id
    where t.revoked_at is null and n.id is null
      and t.expires_at > now() and t.expires_at <= now() + $1::integer * interval '1 day'`,
)
const countMetricsTokens = statement(
  'expiring_metrics_tokens',
  `select count(*) as expiring from metrics_tokens t
    where t.expires_at > now() and t.expires_at <= now() + $1::integer * interval '1 day'`,
)

/**
 * Exports how many tokens end soon; after that, requests with them are refused. All processes of an installation report the same number.
 */
export function addTokenMetrics(database: Database, readiness: () => Promise<Readiness>, registry: Registry): void {
  const kinds = { application: countTokens, metrics: countMetricsTokens }
  new Gauge({
    name: 'crm_tokens_expiring',
    help: `Valid tokens that end within ${noticeDays} days and have no successor, by kind; NaN if the database cannot be asked.`,
    labelNames: ['kind'],
    registers: [registry],
    aggregator: 'first',
    async collect() {
      const isThere = (await readiness()).database !== 'unreachable'
      for (const [kind, count] of Object.entries(kinds)) {
        const rows = isThere ? await database.query(count, [noticeDays]).catch(() => []) : []
        this.set({ kind }, Number(rows[0]?.expiring ?? Number.NaN))
      }
    },
  })
}
