import { personErased } from '../errors/index.ts'
import { statement, type Transaction } from '../sql/index.ts'

// Records that were merged into the person were the same person.
const selectPersons = statement(
  'select_persons_merged',
  `select m.id from merged_records m where m.organization_id = $1 and m.into_id = $2`,
)

// Values are dropped, entries stay: who did what and when is not the person's data.
const dropAuditValues = statement(
  'drop_audit_values',
  `update audit_entries a
      set changes = (select coalesce(jsonb_agg(jsonb_build_object('field', c -> 'field', 'redacted', true)), '[]')
                       from jsonb_array_elements(a.changes) as c)
    where a.organization_id = $1 and a.resource_id = any ($2::uuid[]) and a.changes <> '[]'
  returning 1`,
)

// Of entries about other records, only the changes that mention the person are dropped.
const dropAuditValuesAbout = statement(
  'drop_audit_values_about',
  `update audit_entries a
      set about_ids = nullif(array(select unnest(a.about_ids) except select unnest($2::uuid[])), '{}'),
          changes = (select jsonb_agg(case when c::text like any (array(select '%' || p || '%' from unnest($2::text[]) p))
                              then jsonb_build_object('field', c -> 'field', 'redacted', true)
                              else c end order by ordinal)
                       from jsonb_array_elements(a.changes) with ordinality as elements(c, ordinal))
    where a.organization_id = $1 and a.about_ids && $2::uuid[] and a.about_ids is not null and a.changes <> '[]'
  returning 1`,
)

// A single answer is dropped whole, also if it is a list, such as the person's tags. A batch answer, whose elements
// have an `index`, loses only the person's element, which then replays as 410 and counts as failed. An element with
// status 200 does not say whether it changed the person. If it did, its time is that of the answer. An unchanged
// element can have the same time if an earlier change fell into the same millisecond, so `least` bounds the count.
const dropStoredAnswers = statement(
  'drop_stored_answers',
  `update idempotency_answers a
      set person_ids = nullif(array(select unnest(a.person_ids) except select unnest($2::uuid[])), '{}'),
          body = case
            when not a.body::jsonb @? '$.data[*].index' then null
            else (
              select jsonb_build_object('data', dropped.elements, 'meta', m.counts || jsonb_build_object(
                       'created', m.created - dropped.created,
                       'updated', m.updated - least(m.updated, dropped.updated),
                       'unchanged', m.unchanged - dropped.existing + least(m.updated, dropped.updated),
                       'failed', m.failed + dropped.created + dropped.existing))::text
                from (
                  select jsonb_agg(case when erased
                           then jsonb_build_object('index', e -> 'index', 'status', 410, 'error', $3::jsonb)
                           else e end order by ordinal) as elements,
                         count(*) filter (where erased and e ->> 'status' = '201') as created,
                         count(*) filter (where erased and e ->> 'status' = '200') as existing,
                         count(*) filter (where erased and e ->> 'status' = '200'
                           and (e -> 'data' ->> 'updatedAt')::timestamptz = a.created_at) as updated
                    from jsonb_array_elements(a.body::jsonb -> 'data') with ordinality as elements(e, ordinal)
                   cross join lateral (select coalesce(e -> 'data' ->> 'id' = any ($2::text[]), false)) as x(erased)
                ) as dropped
               cross join (
                  select c as counts, (c -> 'created')::integer as created, (c -> 'updated')::integer as updated,
                         (c -> 'unchanged')::integer as unchanged, (c -> 'failed')::integer as failed
                    from (select a.body::jsonb -> 'meta') as counted(c)
                ) as m)
          end
    where a.organization_id = $1 and a.person_ids && $2::uuid[] and a.person_ids is not null
  returning 1`,
)

const dropChangeKeys = statement(
  'drop_change_keys',
  'delete from change_keys k where k.organization_id = $1 and k.resource_id = any ($2::uuid[]) returning 1',
)

/** In how many places the person's data was dropped. */
export interface Reached {
  readonly auditEntries: number
  readonly storedAnswers: number
  readonly changeKeys: number
}

/** Drops a person's data everywhere but in the record itself, in the transaction that erases the record. */
export async function sweepPerson(transaction: Transaction, organizationId: string, id: string): Promise<Reached> {
  const { code, message, details } = personErased()
  const gone = JSON.stringify({ code, message, details })
  const merged = await transaction.query(selectPersons, [organizationId, id])
  const ids = [id, ...merged.map(row => String(row.id))]
  const [audit, about, answers, keys] = await Promise.all([
    transaction.query(dropAuditValues, [organizationId, ids]),
    transaction.query(dropAuditValuesAbout, [organizationId, ids]),
    transaction.query(dropStoredAnswers, [organizationId, ids, gone]),
    transaction.query(dropChangeKeys, [organizationId, ids]),
  ])
  return { auditEntries: audit.length + about.length, storedAnswers: answers.length, changeKeys: keys.length }
}
