import { statement } from '../kernel/sql/index.ts'

/** $1 organizations, $2 webhooks: those that the server has paused, and whether notices of that were stored already. */
export const selectPauses = statement(
  'select_pauses_of_webhooks',
  `select p.organization_id, p.subscription_id, p.pause_told_at is not distinct from p.changed_at as is_announced
     from webhook_positions p
    where p.organization_id = any ($1::uuid[]) and p.subscription_id = any ($2::uuid[]) and p.state = 'paused'`,
)

/** $1 organization, $2 webhook. Returns its pause, once: the row is locked until the commit. */
export const announcePause = statement(
  'announce_pause_of_webhook',
  `update webhook_positions p set pause_told_at = p.changed_at
    where p.organization_id = $1 and p.subscription_id = $2 and p.state = 'paused' and p.pause_told_at is distinct from p.changed_at
   returning p.changed_at, p.reason, p.settled_seq`,
)

/** $1 organization, $2 the paused webhook, $3 when, $4 why and $5 where it stopped, $6 the time. For the other webhooks of its application. */
export const insertNotices = statement(
  'insert_notices_of_pause',
  `insert into webhook_notices (organization_id, subscription_id, paused_id, paused_at, reason, settled_seq, next_at)
   select $1, o.id, s.id, $3, $4, $5, $6
     from webhook_subscriptions s
     join webhook_subscriptions o on o.organization_id = $1 and o.application_id = s.application_id and o.id <> s.id and o.enabled
    where s.organization_id = $1 and s.id = $2
   on conflict (organization_id, subscription_id, paused_id) do update
      set paused_at = excluded.paused_at, reason = excluded.reason, settled_seq = excluded.settled_seq, attempts = 0,
          next_at = excluded.next_at`,
)

/** $1 organizations, $2 webhooks, $3 the time: a hundred of the notices that they are due. */
export const selectNotices = statement(
  'select_due_notices',
  `select n.organization_id, n.subscription_id, n.paused_id, n.paused_at, n.reason, n.settled_seq, n.attempts, s.name
     from webhook_notices n
     join webhook_subscriptions s on s.organization_id = n.organization_id and s.id = n.paused_id
    where n.organization_id = any ($1::uuid[]) and n.subscription_id = any ($2::uuid[]) and n.next_at <= $3
    order by n.next_at limit 100`,
)

/** $1 organization, $2 webhook, $3 the paused one, $4 when that was, $5 attempts, $6 the next one; null: there is none any more. */
export const settleNotice = statement(
  'settle_notice_of_pause',
  `with ended as (
     delete from webhook_notices n
      where n.organization_id = $1 and n.subscription_id = $2 and n.paused_id = $3 and n.paused_at = $4 and $6::timestamptz is null)
   update webhook_notices n set attempts = $5, next_at = $6
    where n.organization_id = $1 and n.subscription_id = $2 and n.paused_id = $3 and n.paused_at = $4 and $6::timestamptz is not null`,
)
