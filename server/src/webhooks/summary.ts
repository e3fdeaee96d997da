import { type Database, statement } from '../kernel/sql/index.ts'
import { expiringBefore } from './expiring-events.ts'

/**
 * All webhooks of the installation that nobody has paused. Only those that are active lag: of the others, `held` and `paused` tell. A pause
 * from before a webhook was resumed is over as soon as a worker has looked.
 */
const summarize = statement(
  'summarize_webhooks',
  `select count(*) filter (where w.state = 'active') as active,
          count(*) filter (where w.state = 'held') as held,
          count(*) filter (where w.state = 'paused') as paused,
          count(*) filter (where w.waiting_since < $2::timestamptz) as expiring,
          coalesce(max(w.behind) filter (where w.state = 'active'), 0) as lag_events,
          coalesce(max(extract(epoch from $1::timestamptz - w.waiting_since)) filter (where w.state = 'active'), 0) as oldest_seconds
     from (select case when p.state = 'paused' and s.resumed_at >= p.changed_at then 'active' else coalesce(p.state, 'active') end as state,
                  greatest(0, f.seq - coalesce(p.settled_seq, s.from_seq)) as behind, c.occurred_at as waiting_since
             from webhook_subscriptions s
             join organization_feed f on f.organization_id = s.organization_id
             left join webhook_positions p on p.organization_id = s.organization_id and p.subscription_id = s.id
             left join changes c on c.organization_id = s.organization_id and c.seq = coalesce(p.settled_seq, s.from_seq) + 1
            where s.enabled) w`,
)

const countParked = statement('count_parked_events', 'select count(*) as parked from webhook_parked k')

/** How the deliveries of all webhooks of an installation stand. */
export interface WebhookSummary {
  readonly active: number
  readonly held: number
  /** Paused because of what the receiver has done, not by a command. */
  readonly paused: number
  /** Those whose oldest event leaves the feed within five days. */
  readonly expiring: number
  readonly parkedEvents: number
  /** How many numbers of its feed the webhook that is furthest behind has before it. */
  readonly lagEvents: number
  /** How long the oldest event has waited that no worker has looked at for a webhook. */
  readonly oldestSeconds: number
}

/** Reads how all webhooks stand; `now` is in milliseconds, and the feed keeps events for `retentionSeconds`. */
export async function summarizeWebhooks(
  database: Database,
  now: number,
  retentionSeconds: number,
): Promise<WebhookSummary> {
  const values = [new Date(now).toISOString(), expiringBefore(now, retentionSeconds)]
  const [row = {}] = await database.query(summarize, values)
  const [waiting = {}] = await database.query(countParked, [])
  return {
    active: Number(row.active),
    held: Number(row.held),
    paused: Number(row.paused),
    expiring: Number(row.expiring),
    parkedEvents: Number(waiting.parked),
    lagEvents: Number(row.lag_events),
    oldestSeconds: Math.max(0, Number(row.oldest_seconds)),
  }
}
