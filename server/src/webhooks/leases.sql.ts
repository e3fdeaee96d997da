import { statement } from '../kernel/sql/index.ts'

// A lease says who should deliver a webhook, and no more: what protects the webhook is the token of its position. The clock of the database
// is the only one that all workers share. `webhook_leases` has no organization: its rows are about workers.

/** $1 webhooks: adds their leases, which nobody has. */
export const addLeases = statement(
  'add_webhook_leases',
  `insert into webhook_leases (subscription_id, until)
   select n.id, now() - interval '1 second' from unnest($1::uuid[]) as n (id)
   on conflict (subscription_id) do nothing`,
)

/** $1 worker, $2 seconds: says that the worker lives, and returns how many do. Workers that are long gone are forgotten. */
export const reportWorker = statement(
  'report_webhook_worker',
  `with own as (
     insert into webhook_leases (subscription_id, worker, until) values ($1, $1, now() + make_interval(secs => $2))
     on conflict (subscription_id) do update set until = excluded.until),
   gone as (
     delete from webhook_leases l
      where l.subscription_id = l.worker and l.worker <> $1 and l.until < now() - interval '1 hour')
   select 1 + count(*) as workers
     from webhook_leases l
    where l.subscription_id = l.worker and l.worker <> $1 and l.until > now()`,
)

/**
 * $1 worker, $2 seconds, $3 webhooks that are to be delivered, $4 how many the worker takes at most, with those that it has. Renews its own
 * leases, takes free ones and returns them all.
 */
export const renewLeases = statement(
  'renew_webhook_leases',
  `with own as (
     update webhook_leases l set until = now() + make_interval(secs => $2)
      where l.worker = $1 and l.subscription_id = any ($3::uuid[])
     returning l.subscription_id),
   free as (
     select l.subscription_id from webhook_leases l
      where l.subscription_id = any ($3::uuid[]) and l.until <= now() and l.worker is distinct from $1
      order by l.until
      limit greatest(0, $4::integer - (select count(*) from own))
        for update skip locked),
   taken as (
     update webhook_leases l set worker = $1, until = now() + make_interval(secs => $2)
       from free f where l.subscription_id = f.subscription_id
     returning l.subscription_id)
   select subscription_id from own union all select subscription_id from taken`,
)

/** $1 worker, $2 webhooks: leaves them to others. */
export const releaseLeases = statement(
  'release_webhook_leases',
  `update webhook_leases l set worker = null, until = now()
    where l.worker = $1 and l.subscription_id = any ($2::uuid[])`,
)

/** $1 worker: it ends, and leaves everything to others. */
export const removeWorkerOfWebhooks = statement(
  'remove_webhook_worker',
  `with own as (
     delete from webhook_leases l where l.subscription_id = $1)
   update webhook_leases l set worker = null, until = now() where l.worker = $1 and l.subscription_id <> $1`,
)

/** $1 webhooks: forgets the leases of all others, if nobody has had them for a day. */
export const removeLeases = statement(
  'remove_webhook_leases',
  `delete from webhook_leases l
    where l.until < now() - interval '1 day' and l.subscription_id is distinct from l.worker and l.subscription_id <> all ($1::uuid[])`,
)
