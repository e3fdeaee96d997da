import { refuse } from '../errors/index.ts'
import { statement, type Transaction } from '../sql/index.ts'

// Values go, entries stay: who did what and when is not the person's data.
const dropAuditValues = statement(
  'drop_audit_values',
  `update audit_entries a
      set changes = (select coalesce(jsonb_agg(jsonb_build_object('field', c -> 'field', 'redacted', true)), '[]')
                       from jsonb_array_elements(a.changes) as c)
    where a.organization_id = $1 and a.resource_id = $2 and a.changes <> '[]'
  returning 1`,
)

// A single answer goes whole, also one that is a list, such as the person's tags; of a batch, whose elements are numbered,
// only the person's element, which then replays as 410.
const dropStoredAnswers = statement(
  'drop_stored_answers',
  `update idempotency_answers a
      set person_ids = nullif(array_remove(a.person_ids, $2::uuid), '{}'),
          body = case
            when not a.body::jsonb @? '$.data[*].index' then null
            else jsonb_set(a.body::jsonb, '{data}', (
              select jsonb_agg(case when e -> 'data' ->> 'id' = $2::text
                       then jsonb_build_object('index', e -> 'index', 'status', 410, 'error', $3::jsonb)
                       else e end order by ordinal)
                from jsonb_array_elements(a.body::jsonb -> 'data') with ordinality as elements(e, ordinal)))::text
          end
    where a.organization_id = $1 and a.person_ids @> array[$2::uuid] and a.person_ids is not null
  returning 1`,
)

const dropChangeKeys = statement(
  'drop_change_keys',
  'delete from change_keys k where k.organization_id = $1 and k.resource_id = $2 returning 1',
)

/** How many places a person was taken out of. */
export interface Reached {
  readonly auditEntries: number
  readonly storedAnswers: number
  readonly changeKeys: number
}

/** Takes a person's data out of everything but the record itself, in the transaction that erases the record. */
export async function sweepPerson(transaction: Transaction, organizationId: string, id: string): Promise<Reached> {
  const { code, message, details } = refuse('resource_deleted')
  const gone = JSON.stringify({ code, message, details })
  const [audit, answers, keys] = await Promise.all([
    transaction.query(dropAuditValues, [organizationId, id]),
    transaction.query(dropStoredAnswers, [organizationId, id, gone]),
    transaction.query(dropChangeKeys, [organizationId, id]),
  ])
  return { auditEntries: audit.length, storedAnswers: answers.length, changeKeys: keys.length }
}
