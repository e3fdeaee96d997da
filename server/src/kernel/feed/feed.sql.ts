import { statement } from '../sql/index.ts'

// The epoch of the whole installation is read with each page: it changes when the database itself does.
export const selectHeads = statement(
  'select_feed_heads',
  `select f.organization_id, f.seq, f.epoch
     from organization_feed f
    where f.organization_id = any ($1::uuid[])`,
)

// $1 organization, $2 the number of the last event that is known, $3 kinds of records and types of jobs, $4 the most events, $5 the last number
// to look at. Head, epoch and events come from one snapshot.
export const selectTail = statement(
  'select_feed_tail',
  `select f.seq as head, f.epoch as own_epoch, f.epoch + (select i.epoch from installation i where i.singleton) as epoch, e.*
     from organization_feed f
     left join lateral (
       select c.seq, c.id, c.kind, c.resource_type, c.resource_id, c.operation, c.version, c.changed_fields,
              c.merged_into_id, c.merged_from_id, c.occurred_at, c.actor_type, c.actor_uuid, c.application_id,
              c.request_id, c.job_id, c.transaction_id
         from changes c
        where c.organization_id = $1 and c.seq > $2 and c.seq <= $5 and c.resource_type = any ($3::text[])
        order by c.seq limit $4
     ) e on true
    where f.organization_id = $1
    order by e.seq`,
)
