import { statement } from '../../kernel/sql/index.ts'

export const selectPosition = statement(
  'select_feed_position',
  `select f.seq, i.epoch + f.epoch as epoch
     from organization_feed f
    cross join installation i
    where f.organization_id = $1 and i.singleton`,
)

/** SQL of the members of an event of `changes c`: $1 is the organization, $2 the application. */
export const selectedChange = `c.seq, c.id, c.kind, c.resource_type, c.resource_id, c.operation, c.version, c.changed_fields,
              c.merged_into_id, c.merged_from_id, c.occurred_at, c.actor_type, c.actor_uuid, c.application_id,
              c.request_id, c.job_id, c.transaction_id,
              coalesce(
                (select k.key
                   from (select e.application_id, e.kind, e.gone, e.key from external_keys e
                          where e.organization_id = $1 and e.resource_id = c.resource_id
                         offset 0) as k
                  where k.application_id = $2 and k.kind = c.resource_type and not k.gone),
                (select k.key from change_keys k
                  where k.organization_id = $1 and k.application_id = $2 and k.resource_id = c.resource_id)
              ) as external_id,
              c.operation in ('deleted', 'merged') and exists (
                select
                  from (select e.application_id, e.gone, e.reason from external_keys e
                         where e.organization_id = $1 and e.resource_id = coalesce(c.merged_from_id, c.resource_id)
                        offset 0) as k
                 where k.application_id = $2 and k.gone and k.reason <> 'anonymized'
              ) as tombstoned`

// $1 organization, $2 application, $3 and $6 the range of event numbers, $4 kinds, $5 the most events. Head, oldest number, epoch and
// events come from one snapshot, so they are consistent. The key is the one that the application has now; keys of removed companies and
// deals and of merged contacts are in change_keys. The inner select finds the few keys of a record, the outer one picks that of the
// application: with all conditions in one select, a plan could read all keys of the application. The feed is selected separately, so that
// the time of the oldest event is read once and not for each event of the page.
export const selectChanges = statement(
  'select_changes',
  `select f.head, f.oldest, f.oldest_at, f.epoch, e.*
     from (select o.seq as head, o.oldest_seq as oldest,
                  o.epoch + (select i.epoch from installation i where i.singleton) as epoch,
                  (select c.occurred_at from changes c
                    where c.organization_id = $1 and c.seq >= o.oldest_seq order by c.seq limit 1) as oldest_at
             from organization_feed o
            where o.organization_id = $1
           offset 0) f
     left join lateral (
       select ${selectedChange}
         from changes c
        where c.organization_id = $1 and c.seq > $3 and c.seq <= $6 and c.resource_type = any ($4::text[])
        order by c.seq limit $5
     ) e on true
    order by e.seq`,
)

export type ChangeRow = {
  readonly head: string
  readonly oldest: string
  readonly oldest_at: string | null
  readonly epoch: string
  /** This member and those below are null if no event matched. */
  readonly seq: string | null
  readonly id: string
  readonly kind: string
  readonly resource_type: string
  readonly resource_id: string
  readonly operation: string
  readonly version: string | null
  readonly changed_fields: readonly string[]
  readonly merged_into_id: string | null
  readonly merged_from_id: string | null
  readonly occurred_at: string
  readonly actor_type: string
  readonly actor_uuid: string | null
  readonly application_id: string | null
  readonly request_id: string
  readonly job_id: string | null
  readonly transaction_id: string
  readonly external_id: string | null
  readonly tombstoned: boolean
}
