import type { Services } from '../kernel/index.ts'
import { statement } from '../kernel/sql/index.ts'
import type { Lane } from './lane.ts'

/** A webhook whose oldest event that was not sent leaves the feed soon. */
export interface ExpiringWebhook {
  readonly organizationId: string
  readonly webhookId: string
  readonly state: string
  readonly reason: string | null
  /** The last number of the feed that is settled. */
  readonly position: number
  /** When the feed may drop the next one. */
  readonly keptUntil: string
}

const hour = 3_600_000
const warnedMilliseconds = 5 * 24 * hour

/** Until when the feed keeps an event that happened at this time, at least. */
export function keptUntil(occurredAt: string, retentionSeconds: number): string {
  return new Date(Date.parse(occurredAt) + retentionSeconds * 1000).toISOString()
}

/** Events that happened before leave the feed within five days. */
export function expiringBefore(now: number, retentionSeconds: number): string {
  return new Date(now - retentionSeconds * 1000 + warnedMilliseconds).toISOString()
}

/** $1 organizations, $2 webhooks, $3 the time before which events are about to leave the feed. */
const selectExpiring = statement(
  'select_expiring_webhooks',
  `select s.organization_id, s.id, coalesce(p.state, 'active') as state, p.reason, coalesce(p.settled_seq, s.from_seq) as settled_seq,
          c.occurred_at
     from webhook_subscriptions s
     left join webhook_positions p on p.organization_id = s.organization_id and p.subscription_id = s.id
     join changes c on c.organization_id = s.organization_id and c.seq = coalesce(p.settled_seq, s.from_seq) + 1
    where s.organization_id = any ($1::uuid[]) and s.id = any ($2::uuid[]) and c.occurred_at < $3::timestamptz`,
)

/** Warns each hour of the webhooks of this process that are about to miss events. */
export class ExpiringEvents {
  readonly #services: Pick<Services, 'database' | 'clock' | 'retention'>
  readonly #onExpiring: (expiring: ExpiringWebhook) => void
  #lookedAt = Number.NEGATIVE_INFINITY

  constructor(
    services: Pick<Services, 'database' | 'clock' | 'retention'>,
    onExpiring: (expiring: ExpiringWebhook) => void,
  ) {
    this.#services = services
    this.#onExpiring = onExpiring
  }

  async look(lanes: Iterable<Lane>): Promise<void> {
    const { database, clock, retention } = this.#services
    const now = clock.now()
    const all = [...lanes].map(({ subscription }) => subscription)
    if (all.length === 0 || now - this.#lookedAt < hour) return
    const organizations = [...new Set(all.map(({ organizationId }) => organizationId))]
    const before = expiringBefore(now, retention.changes)
    const rows = await database.query(selectExpiring, [organizations, all.map(({ id }) => id), before])
    this.#lookedAt = now
    for (const row of rows) {
      const { organization_id: organizationId, id, state, reason, settled_seq: seq, occurred_at: at } = row
      this.#onExpiring({
        organizationId: String(organizationId),
        webhookId: String(id),
        state: String(state),
        reason: typeof reason === 'string' ? reason : null,
        position: Number(seq),
        keptUntil: keptUntil(String(at), retention.changes),
      })
    }
  }
}
