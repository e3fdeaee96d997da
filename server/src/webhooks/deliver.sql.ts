import { selectedChange } from '../crm/changes/index.ts'
import { statement } from '../kernel/sql/index.ts'

/**
 * $1 organization, $2 webhook, $3 epoch and $4 number behind which deliveries begin, $5 when the webhook was last resumed, $6 the time. Takes
 * the webhook for one worker: the former one can no longer move its position. A pause from before it was resumed is over.
 */
export const takePosition = statement(
  'take_webhook_position',
  `insert into webhook_positions as p (organization_id, subscription_id, token, epoch, settled_seq, changed_at)
   values ($1, $2, 1, $3, $4, $6)
   on conflict (organization_id, subscription_id) do update
      set token = p.token + 1,
          state = case when p.state = 'paused' and $5::timestamptz >= p.changed_at then 'active' else p.state end,
          reason = case when p.state = 'paused' and $5::timestamptz >= p.changed_at then null else p.reason end,
          failures = case when p.state = 'paused' and $5::timestamptz >= p.changed_at then 0 else p.failures end,
          failing_since = case when p.state = 'paused' and $5::timestamptz >= p.changed_at then null else p.failing_since end,
          changed_at = case when p.state = 'paused' and $5::timestamptz >= p.changed_at then greatest($5::timestamptz, $6::timestamptz) else p.changed_at end
   returning p.token, p.epoch, p.settled_seq, p.holes, p.state, p.reason, p.failures, p.failing_since, p.resume_at`,
)

/** $1 organization, $2 webhook. */
export const selectParked = statement(
  'select_parked_events',
  `select k.seq, k.kinds, k.resource_id, k.merged_seqs, k.attempts, k.next_at, k.last_status
     from webhook_parked k
    where k.organization_id = $1 and k.subscription_id = $2
    order by k.seq`,
)

/** $1 organization, $2 application, $3 numbers. */
export const selectChangesAgain = statement(
  'select_changes_again',
  `select ${selectedChange}
     from changes c
    where c.organization_id = $1 and c.seq = any ($3::bigint[])
    order by c.seq`,
)

// The parts of settling, each with $1 organization and its list. A worker that has lost a webhook, or a replay, has a token that is no longer
// the row's: it moves nothing. A move that has waited for a lock of the row compares with the row as it is then. `moved` is SQL of the lanes
// that were moved, which are webhooks and replays: only for these anything is stored.

const movePositions = `
  update webhook_positions p
     set epoch = w.epoch, settled_seq = w.settled_seq, holes = w.holes, reason = w.reason, failures = w.failures,
         failing_since = w.failing_since, resume_at = w.resume_at, state = w.state,
         changed_at = case when p.state = w.state and p.reason is not distinct from w.reason then p.changed_at else w.at end
    from jsonb_to_recordset($2::jsonb) as w (subscription_id uuid, token bigint, epoch bigint, settled_seq bigint, holes bytea,
           state text, reason text, failures integer, failing_since timestamptz, resume_at timestamptz, at timestamptz)
   where p.organization_id = $1 and p.subscription_id = w.subscription_id and p.token = w.token
     and (p.epoch <> w.epoch or p.settled_seq <= w.settled_seq)
  returning p.subscription_id as lane`

const moveReplays = (list: string) => `
  update webhook_replays y
     set settled_seq = w.settled_seq, holes = w.holes, state = w.state, reason = w.reason, failures = w.failures,
         failing_since = w.failing_since, resume_at = w.resume_at, delivered = w.delivered, failed = w.failed, gone = w.gone,
         changed_at = case when y.state = w.state and y.reason is not distinct from w.reason then y.changed_at else w.at end
    from jsonb_to_recordset(${list}::jsonb) as w (id uuid, token bigint, settled_seq bigint, holes bytea, state text, reason text,
           failures integer, failing_since timestamptz, resume_at timestamptz, delivered bigint, failed bigint, gone bigint, at timestamptz)
   where y.organization_id = $1 and y.id = w.id and y.token = w.token and y.settled_seq <= w.settled_seq and y.state <> 'ended'
  returning y.id as lane`

type Part = (list: string, moved: string) => string

const insertRuns: Part = (list, moved) => `
  insert into webhook_runs (organization_id, subscription_id, replay_id, at, from_seq, to_seq, distances, status, took, sent, derived_kinds)
  select $1, r.subscription_id, r.replay_id, r.at, r.from_seq, r.to_seq, r.distances, r.status, r.took, r.sent, r.derived_kinds
    from jsonb_to_recordset(${list}::jsonb) as r (subscription_id uuid, replay_id uuid, at timestamptz, from_seq bigint, to_seq bigint,
           distances integer[], status smallint[], took integer[], sent integer[], derived_kinds text[])
   where coalesce(r.replay_id, r.subscription_id) in (${moved})
  on conflict do nothing`

const insertFailures: Part = (list, moved) => `
  insert into webhook_failures (organization_id, subscription_id, replay_id, at, seq, resource_id, derived_kind, attempt, status, failure, took, answer)
  select $1, f.subscription_id, f.replay_id, f.at, f.seq, f.resource_id, f.derived_kind, f.attempt, f.status, f.failure, f.took, f.answer
    from jsonb_to_recordset(${list}::jsonb) as f (subscription_id uuid, replay_id uuid, at timestamptz, seq bigint, resource_id uuid,
           derived_kind text, attempt smallint, status smallint, failure text, took integer, answer text)
   where coalesce(f.replay_id, f.subscription_id) in (${moved})
  on conflict do nothing`

const putParked: Part = (list, moved) => `
  insert into webhook_parked as k (organization_id, subscription_id, seq, kinds, resource_id, merged_seqs, attempts, next_at, last_status)
  select $1, n.subscription_id, n.seq, n.kinds, n.resource_id, n.merged_seqs, n.attempts, n.next_at, n.last_status
    from jsonb_to_recordset(${list}::jsonb) as n (subscription_id uuid, seq bigint, kinds text[], resource_id uuid, merged_seqs bigint[],
           attempts smallint, next_at timestamptz, last_status smallint)
   where n.subscription_id in (${moved})
  on conflict (organization_id, subscription_id, seq) do update
     set kinds = excluded.kinds, merged_seqs = excluded.merged_seqs, attempts = excluded.attempts, next_at = excluded.next_at, last_status = excluded.last_status`

const dropParked: Part = (list, moved) => `
  delete from webhook_parked k
   using jsonb_to_recordset(${list}::jsonb) as g (subscription_id uuid, seq bigint)
   where k.organization_id = $1 and k.subscription_id = g.subscription_id and k.seq = g.seq
     and g.subscription_id in (${moved})`

const ofMoved = 'select m.lane from moved m'

/**
 * $1 organization, $2 positions, $3 runs, $4 failures, $5 parked events, $6 parked events that are gone, $7 replays: moves positions and replays
 * and stores what has happened, for the lanes that this worker still has. Returns those.
 */
export const settleDeliveries = statement(
  'settle_webhook_deliveries',
  `with moved_positions as (${movePositions}),
   moved_replays as (${moveReplays('$7')}),
   moved as (select p.lane from moved_positions p union all select y.lane from moved_replays y),
   runs as (${insertRuns('$3', ofMoved)}),
   failures as (${insertFailures('$4', ofMoved)}),
   put as (${putParked('$5', ofMoved)}),
   dropped as (${dropParked('$6', ofMoved)})
   ${ofMoved}`,
)

/** The first statements of settling on a cluster, which stores in one statement for each table: $1 organization, $2 the list. */
export const moveOnCluster = {
  positions: statement('move_webhook_positions', movePositions),
  replays: statement('move_webhook_replays', moveReplays('$2')),
} as const

const listed = 'select unnest($3::uuid[])'

/** The others, each with $1 organization, $2 its list and $3 the lanes that were moved. Their rows are locked until the commit. */
export const storeOnCluster = [
  statement('insert_webhook_runs', insertRuns('$2', listed)),
  statement('insert_webhook_failures', insertFailures('$2', listed)),
  statement('put_parked_events', putParked('$2', listed)),
  statement('drop_parked_events', dropParked('$2', listed)),
] as const
