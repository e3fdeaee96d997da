import { statement } from '../kernel/sql/index.ts'
import { receiverColumns } from './receiver.ts'

/** The webhooks of all organizations that are to be delivered: few columns, because every worker reads them after each change of settings. */
export const selectWanted = statement(
  'select_wanted_webhooks',
  `select s.organization_id, s.id, s.version
     from webhook_subscriptions s
    where s.enabled
    order by s.organization_id, s.id`,
)

/** $1 organization, $2 webhooks. */
export const selectSubscriptions = statement(
  'select_webhooks_to_deliver',
  `select t.id, t.version, t.application_id, t.kinds, t.changed_fields, t.token_id, t.scopes, t.despite_networks, t.own_changes,
          t.concurrency, t.body, t.filter, t.resumed_at, t.from_seq, t.from_epoch, ${receiverColumns},
          a.enabled as application_enabled, o.crm_provider
     from webhook_subscriptions t
     join applications a on a.organization_id = $1 and a.id = t.application_id
     join organizations o on o.id = $1
    where t.organization_id = $1 and t.id = any ($2::uuid[]) and t.enabled`,
)

/** $1 organization, $2 applications. */
export const selectTokens = statement(
  'select_tokens_of_webhooks',
  `select t.id, t.application_id, t.scopes, t.cidrs, t.expires_at, t.revoked_at, t.rotated_from
     from api_tokens t
    where t.organization_id = $1 and t.application_id = any ($2::uuid[])
    order by t.created_at, t.id`,
)

/**
 * $1 organizations: their heads, the epoch of all feeds, and the generation of the settings, in one look. On a cluster every node has the
 * installation, and such a table takes no subquery about others that refers to it.
 */
export const selectHeadsOfFeeds = statement(
  'select_heads_for_webhooks',
  `with feeds as materialized (
     select coalesce(jsonb_object_agg(f.organization_id, jsonb_build_array(f.seq, f.epoch)), '{}') as heads
       from organization_feed f where f.organization_id = any ($1::uuid[]))
   select i.generation::text as generation, i.epoch, feeds.heads
     from installation i cross join feeds
    where i.singleton`,
)
