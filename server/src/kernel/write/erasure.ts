import { type FileName, forgetFile, toFileName } from '../files/index.ts'
import type { RecordState } from '../record/resource.ts'
import type { RowChange } from '../record/table.ts'
import { statement, type Transaction } from '../sql/index.ts'
import { joinErasures } from './seen-erasures.ts'

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

// An answer that tells of the person is dropped whole, also the answer of a batch. To make it anew without the person would take
// several hundred times as long, and a nightly batch can name the person in every stored answer.
const dropStoredAnswers = statement(
  'drop_stored_answers',
  `update idempotency_answers a
      set body = null, person_ids = null
    where a.organization_id = $1 and a.person_ids && $2::uuid[] and a.person_ids is not null
  returning 1`,
)

// One person at a time: for several, a plan that is made while the table is empty could walk through those of the organization.
const dropChangeKeys = statement(
  'drop_change_keys',
  'delete from change_keys k where k.organization_id = $1 and k.resource_id = $2 returning 1',
)

// What was uploaded to be imported may tell of the person already. An export that is older than the person does not hold
// it; one who was merged into the person may be older.
const lockFiles = statement(
  'lock_files_of_persons',
  `select f.id, f.purpose, f.size_bytes as size from files f
    where f.organization_id = $1 and f.holds_persons
      and (f.purpose = 'import' or f.purpose = 'export' and (f.created_at >= $2::timestamptz or $3))
    order by f.id
      for update`,
)

/** In how many places the person's data was dropped. */
export interface Reached {
  readonly auditEntries: number
  readonly storedAnswers: number
  readonly changeKeys: number
  readonly files: number
}

/**
 * Drops a person's data everywhere but in the record itself, in the transaction that erases the record. Gives the files that go
 * with it: the save is to have the rows, and their bytes are to be discarded when the transaction is committed, and are swept
 * otherwise.
 */
export async function sweepPerson(
  transaction: Transaction,
  organizationId: string,
  { id, createdAt }: Pick<RecordState, 'id' | 'createdAt'>,
): Promise<{ readonly reached: Reached; readonly dropped: readonly FileName[]; readonly rows: readonly RowChange[] }> {
  const [merged] = await Promise.all([
    transaction.query(selectPersons, [organizationId, id]),
    joinErasures(transaction, organizationId),
  ])
  const ids = [id, ...merged.map(row => String(row.id))]
  const [audit, about, answers, keys, files] = await Promise.all([
    transaction.query(dropAuditValues, [organizationId, ids]),
    transaction.query(dropAuditValuesAbout, [organizationId, ids]),
    transaction.query(dropStoredAnswers, [organizationId, ids]),
    Promise.all(ids.map(each => transaction.query(dropChangeKeys, [organizationId, each]))),
    transaction.query(lockFiles, [organizationId, createdAt, merged.length > 0]),
  ])
  const reached = {
    auditEntries: audit.length + about.length,
    storedAnswers: answers.length,
    changeKeys: keys.flat().length,
    files: files.length,
  }
  return {
    reached,
    dropped: files.map(row => toFileName(organizationId, row)),
    rows: files.map(({ id, size }) => forgetFile({ id: String(id), size: Number(size) })),
  }
}
