import { statement } from '../kernel/sql/index.ts'

/** $1 organization, $2 webhooks: their replays that have not ended. */
export const selectOpenReplays = statement(
  'select_open_webhook_replays',
  `select y.id, y.subscription_id
     from webhook_replays y
    where y.organization_id = $1 and y.subscription_id = any ($2::uuid[]) and y.state <> 'ended'`,
)

/**
 * $1 organization, $2 webhook, $3 when it was last resumed. Takes the oldest replay that has not ended for one worker: the former one can no
 * longer move it. A pause from before the webhook was resumed is over.
 */
export const takeOldestReplay = statement(
  'take_webhook_replay',
  `update webhook_replays y
      set token = y.token + 1,
          state = case when o.is_resumed then 'active' else y.state end,
          reason = case when o.is_resumed then null else y.reason end,
          failures = case when o.is_resumed then 0 else y.failures end,
          failing_since = case when o.is_resumed then null else y.failing_since end
     from (select r.id, r.state = 'paused' and $3::timestamptz >= r.changed_at as is_resumed
             from webhook_replays r
            where r.organization_id = $1 and r.subscription_id = $2 and r.state <> 'ended'
            order by r.created_at, r.id limit 1) o
    where y.organization_id = $1 and y.id = o.id and y.state <> 'ended'
   returning y.id, y.token, y.epoch, y.settled_seq, y.holes, y.state, y.reason, y.failures, y.failing_since, y.resume_at,
             y.to_seq, y.only_seqs, y.delivered, y.failed, y.gone`,
)

/** $1 organization, $2 webhook: what the feed has, and where the webhook is. */
export const selectReplayGround = statement(
  'select_ground_of_replay',
  `select f.oldest_seq as oldest, f.seq as head, i.epoch + f.epoch as epoch,
          coalesce(p.settled_seq, s.from_seq) as position, coalesce(p.epoch, s.from_epoch) as position_epoch
     from webhook_subscriptions s
     join organization_feed f on f.organization_id = $1
    cross join installation i
     left join webhook_positions p on p.organization_id = $1 and p.subscription_id = $2
    where s.organization_id = $1 and s.id = $2 and i.singleton`,
)

/** $1 organization, $2 time: the first event that is not older. Times can be some seconds out of the order of the feed. */
export const selectFirstSince = statement(
  'select_first_change_since',
  'select min(c.seq) as seq from changes c where c.organization_id = $1 and c.occurred_at >= $2::timestamptz',
)

/** $1 organization, $2 time: the last event that is not younger. */
export const selectLastUntil = statement(
  'select_last_change_until',
  'select max(c.seq) as seq from changes c where c.organization_id = $1 and c.occurred_at <= $2::timestamptz',
)

/**
 * $1 organization, $2 webhook, $3 time, $4 the last attempt, $5 the position of the webhook, $6 the most: the events up to that position that
 * have failed since that time and were not delivered later. A failed call of the webhook itself counts if the event waits for another attempt or
 * was given up: after any other one, the event was sent again until it was taken, or stood in a later one of its record. Of an event with two
 * messages, each is compared by itself.
 */
export const selectFailedSince = statement(
  'select_failed_webhook_events',
  `select distinct f.seq
     from (select e.seq, e.derived_kind, max(e.at) as at
             from webhook_failures e
            where e.organization_id = $1 and e.subscription_id = $2 and e.at >= $3::timestamptz and e.seq <= $5
              and e.resource_id <> '00000000-0000-0000-0000-000000000000'
              and (e.replay_id is not null or e.attempt >= $4::integer
                   or exists (select from webhook_parked k
                               where k.organization_id = $1 and k.subscription_id = $2 and k.seq = e.seq))
            group by e.seq, e.derived_kind) f
     left join (select r.from_seq + d.distance as seq, d.derived_kind, max(r.at) as at
                  from webhook_runs r
                 cross join lateral unnest(r.distances, r.derived_kinds) as d (distance, derived_kind)
                 where r.organization_id = $1 and r.subscription_id = $2 and r.at >= $3::timestamptz
                 group by 1, 2) t on t.seq = f.seq and t.derived_kind is not distinct from f.derived_kind
    where t.at is null or t.at < f.at
    order by f.seq limit $6`,
)

/** $1 organization, $2 webhook, $3 the most: its replays, those that have not ended first, the newest first. */
export const selectReplays = statement(
  'select_webhook_replays',
  `select y.id, y.created_at, y.from_seq, y.to_seq, cardinality(y.only_seqs) as chosen, y.settled_seq, y.state, y.reason,
          y.resume_at, y.delivered, y.failed, y.gone, y.changed_at
     from webhook_replays y
    where y.organization_id = $1 and y.subscription_id = $2
    order by y.state = 'ended', y.created_at desc, y.id desc limit $3`,
)
