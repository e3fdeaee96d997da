import { type Statement, statement } from '../../../server/src/kernel/sql/index.ts'
import { settingKinds } from '../../../server/src/modules.ts'

const records = `(
  select organization_id, id, 'contact' as kind, version, updated_at, anonymized_at is not null as anonymized from contacts
  union all select organization_id, id, 'company', version, updated_at, false from companies
  union all select organization_id, id, 'deal', version, updated_at, false from deals
  union all select organization_id, id, 'task', version, updated_at, false from tasks) as r`

/** Their changes leave audit entries and no events. */
const settings = settingKinds.map(({ kind }) => `'${kind}'`).join(', ')

/**
 * What holds in a database whatever happened to those that wrote to it, by the promise: each statement finds the rows
 * that break it in the organization $1. Every request was sent with its key as `X-Request-Id`.
 */
export const invariants: readonly (readonly [promise: string, violations: Statement])[] = [
  [
    'the numbers of the feed are consecutive, and end where the feed says',
    statement(
      'crash_feed_numbers',
      `select f.seq, count(c.seq), min(c.seq), max(c.seq)
         from organization_feed f left join changes c on c.organization_id = f.organization_id
        where f.organization_id = $1
        group by f.seq having count(c.seq) <> f.seq or min(c.seq) <> 1 or max(c.seq) <> f.seq`,
    ),
  ],
  [
    'a record has one event for each of its versions',
    statement(
      'crash_versions',
      `select r.kind, r.id, r.version, array_agg(c.version order by c.seq)
         from ${records} left join changes c on c.organization_id = r.organization_id and c.resource_id = r.id
        where r.organization_id = $1
        group by r.kind, r.id, r.version
       having array_agg(c.version order by c.seq) <> array(select generate_series(1, r.version))`,
    ),
  ],
  [
    'what has events exists, or its last event says that it was deleted',
    statement(
      'crash_existence',
      `select last.*, r.kind
         from (select distinct on (c.resource_id) c.resource_id, c.operation from changes c
                where c.organization_id = $1 order by c.resource_id, c.seq desc) as last
         left join ${records} on r.organization_id = $1 and r.id = last.resource_id
        where (last.operation = 'deleted') <> (r.id is null) or (last.operation = 'anonymized') <> coalesce(r.anonymized, false)`,
    ),
  ],
  [
    'each event has its audit entry, each audit entry of a record its event',
    statement(
      'crash_audit',
      `select c.request_id, c.resource_id, c.version, a.request_id, a.resource_id, a.version_before
         from (select * from changes where organization_id = $1) c
         full join (select * from audit_entries where organization_id = $1 and resource_type not in (${settings})) a
           on a.request_id = c.request_id and a.resource_id = c.resource_id and a.action = c.kind
          and coalesce(a.version_before, 0) + 1 = c.version
        where c.id is null or a.id is null`,
    ),
  ],
  [
    'the events of a request come from one transaction',
    statement(
      'crash_transactions',
      `select c.request_id from changes c where c.organization_id = $1
        group by c.request_id having count(distinct c.transaction_id) > 1`,
    ),
  ],
  [
    'each event has the stored answer of its request, of the same application',
    statement(
      'crash_answers',
      `select c.seq, c.request_id
         from changes c
         left join idempotency_answers a on a.organization_id = c.organization_id
          and a.application_id = c.application_id and a.key = c.request_id::text
        where c.organization_id = $1 and a.key is null`,
    ),
  ],
  [
    'a key leads to a record of its kind, a gone key to none',
    statement(
      'crash_keys',
      `select k.*
         from external_keys k
         left join ${records} on r.organization_id = k.organization_id and r.id = k.resource_id and r.kind = k.kind
        where k.organization_id = $1 and k.gone = (r.id is not null and not r.anonymized)`,
    ),
  ],
  [
    'a record of an application has one key of it',
    statement(
      'crash_keys_of_records',
      `select r.kind, r.id, count(k.key)
         from ${records}
         left join external_keys k on k.organization_id = r.organization_id and k.resource_id = r.id and not k.gone
        where r.organization_id = $1
        group by r.kind, r.id, r.anonymized having count(k.key) <> case when r.anonymized then 0 else 1 end`,
    ),
  ],
  [
    'links lead from a deal to what exists',
    statement(
      'crash_links',
      `select l.deal_id
         from (select organization_id, deal_id, company_id as target from deal_companies
               union all select organization_id, deal_id, contact_id from deal_contacts) as l
         left join deals d on d.organization_id = l.organization_id and d.id = l.deal_id
         left join ${records} on r.organization_id = l.organization_id and r.id = l.target
        where l.organization_id = $1 and (d.id is null or r.id is null)`,
    ),
  ],
  [
    'a deal has one open span, the last one, of the stage that it is in',
    statement(
      'crash_spans',
      `select d.id, d.stage_span, array_agg(s.number order by s.number)
         from deals d
         left join deal_stage_spans s on s.organization_id = d.organization_id and s.deal_id = d.id
        where d.organization_id = $1
        group by d.id, d.stage_span, d.stage_uuid
       having count(*) filter (where s.left_at is null) <> 1
           or count(*) filter (where s.left_at is null and s.number = d.stage_span and s.stage_uuid = d.stage_uuid) <> 1
           or array_agg(s.number order by s.number) <> array(select generate_series(1, d.stage_span))`,
    ),
  ],
  [
    'spans belong to deals',
    statement(
      'crash_spans_of_nothing',
      `select s.deal_id from deal_stage_spans s
         left join deals d on d.organization_id = s.organization_id and d.id = s.deal_id
        where s.organization_id = $1 and d.id is null`,
    ),
  ],
  [
    'the last change of each record that lists show, and of no other, is in their order, unless a server of an older release has written',
    statement(
      'crash_last_changes',
      `select r.kind, r.id, r.updated_at, l.kind, l.resource_id, l.updated_at
         from (select * from ${records} where organization_id = $1 and not anonymized) r
         full join (select * from last_changes where organization_id = $1) l
           on l.kind = r.kind and l.resource_id = r.id and l.updated_at = r.updated_at
        where (r.id is null or l.resource_id is null)
          and exists (select from organization_feed f where f.organization_id = $1 and f.last_changes_seq = f.seq)`,
    ),
  ],
  [
    'each erased person has one receipt',
    statement(
      'crash_receipts',
      `select c.resource_id, count(e.id)
         from changes c
         left join erasure_receipts e on e.organization_id = c.organization_id and e.contact_id = c.resource_id
          and e.request_id = c.request_id
        where c.organization_id = $1 and c.resource_type = 'contact' and c.operation in ('deleted', 'anonymized')
        group by c.resource_id having count(e.id) <> 1`,
    ),
  ],
]

/** Every stored answer, by the key of its request. */
export const storedAnswers: Statement = statement(
  'crash_stored_answers',
  'select a.key, a.status, a.body from idempotency_answers a where a.organization_id = $1',
)

/** The requests that left events. */
export const effectiveRequests: Statement = statement(
  'crash_effective_requests',
  'select distinct c.request_id from changes c where c.organization_id = $1',
)

export const openStages: Statement = statement(
  'crash_open_stages',
  `select s.id from stages s where s.organization_id = $1 and s.type <> 'lost'`,
)
