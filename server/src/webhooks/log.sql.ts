import { statement } from '../kernel/sql/index.ts'

/** What stands for the record of `feed.reset`, which has the number of another event. */
const noRecord = "'00000000-0000-0000-0000-000000000000'"

/** $1 organization, $2 webhook, $3 the most failed calls: the newest, in no order. The kind is null if the feed no longer has the event. */
export const selectLatestFailures = statement(
  'select_latest_webhook_failures',
  `select f.seq, case f.resource_id when ${noRecord} then 'feed.reset' else coalesce(f.derived_kind, c.kind) end as kind,
          nullif(f.resource_id, ${noRecord}) as resource_id, f.attempt, f.status, f.failure, f.took, f.at, f.answer, f.replay_id
     from (select l.* from webhook_failures l
            where l.organization_id = $1 and l.subscription_id = $2
            order by l.at desc limit $3) f
     left join changes c on c.organization_id = $1 and c.seq = f.seq`,
)

/**
 * $1 organization, $2 webhook, $3 the most deliveries: the newest first, of the runs that were stored last, because a run has at least one.
 * Kind and record are null if the feed no longer has the event.
 */
export const selectLatestRuns = statement(
  'select_latest_webhook_runs',
  `select d.seq, coalesce(d.derived_kind, c.kind) as kind, c.resource_id, d.status, d.took, d.at, d.replay_id
     from (select r.from_seq + e.distance as seq, e.status, e.took, e.derived_kind, e.place, r.replay_id,
                  r.at - e.sent * interval '1 millisecond' as at
             from (select l.* from webhook_runs l
                    where l.organization_id = $1 and l.subscription_id = $2
                    order by l.at desc limit $3) r
            cross join lateral unnest(r.distances, r.status, r.took, r.sent, r.derived_kinds)
                 with ordinality as e (distance, status, took, sent, derived_kind, place)
            order by at desc, seq desc, place desc limit $3) d
     left join changes c on c.organization_id = $1 and c.seq = d.seq
    order by d.at desc, d.seq desc, d.place desc`,
)

/** $1 organization, $2 webhook: its settings, its position if a worker has ever had it, the head of the feed, and how much is parked. */
export const selectDeliveryState = statement(
  'select_webhook_delivery_state',
  `select s.enabled, s.resumed_at, s.from_seq, s.from_epoch, p.epoch, p.settled_seq, p.state, p.reason, p.failing_since, p.resume_at,
          p.changed_at, f.seq as head, i.epoch + f.epoch as feed_epoch,
          (select c.occurred_at from changes c
            where c.organization_id = $1 and c.seq = coalesce(p.settled_seq, s.from_seq) + 1) as waiting_since,
          (select count(*) from webhook_parked k where k.organization_id = $1 and k.subscription_id = $2) as parked,
          (select min(k.next_at) from webhook_parked k where k.organization_id = $1 and k.subscription_id = $2) as next_parked_at
     from webhook_subscriptions s
     join organization_feed f on f.organization_id = $1
    cross join installation i
     left join webhook_positions p on p.organization_id = $1 and p.subscription_id = $2
    where s.organization_id = $1 and s.id = $2 and i.singleton`,
)
