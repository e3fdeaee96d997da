import type { ErasedElsewhere, ErasePerson } from '../../declared.ts'
import type { Secret } from '../../encryption/secret.ts'
import { personErased } from '../../errors/index.ts'
import { type FileName, forgetFile, toFileName } from '../../files/index.ts'
import { bounds } from '../../limits/index.ts'
import type { Swept } from '../../mutation/index.ts'
import type { RecordState, Resource, RowChange } from '../../record/index.ts'
import { type Row, statement, type Transaction } from '../../sql/index.ts'
import { knownAs } from '../../write/person-mentions.ts'
import { hashRequestIds } from './erased-request-ids.ts'
import { joinErasures } from './seen-erasures.ts'

// Records that were merged into the person are the same person.
const selectPersons = statement(
  'select_persons_merged',
  `select m.id from merged_records m where m.organization_id = $1 and m.into_id = $2`,
)

// The oldest entries are included, because they hold the first names and addresses of the person. $3 has the names of its parts: an entry
// that begins with one is about nothing else, and a person may have any number of activities.
const selectFormerValues = statement(
  'find_former_values_of_person',
  `select a.changes from audit_entries a
    where a.organization_id = $1 and a.resource_id = any ($2::uuid[]) and a.changes <> '[]'
      and a.changes -> 0 ->> 'field' <> all ($3::text[])
    order by a.occurred_at desc limit 1000`,
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

// In entries about other records, only the changes that mention the person are dropped.
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

// In the newest answers of batches only the elements about the person are replaced: $3 has their ids as JSON, and $4 is what follows the
// index in the new element. The text of the others must stay unchanged, which `json` guarantees and `jsonb` does not.
const replaceElements = statement(
  'replace_elements_of_stored_answers',
  `update idempotency_answers a
      set person_ids = nullif(array(select unnest(a.person_ids) except select unnest($2::uuid[])), '{}'),
          body = (select '{"data":[' || string_agg(
                           case when (e.element -> 'data' -> 'id')::text = any ($3::text[])
                                then '{"index":' || (e.element -> 'index')::text || ',' || $4::text
                                else e.element::text end, ',' order by e.ordinal)
                         || '],"meta":' || (a.body::json -> 'meta')::text || '}'
                    from json_array_elements(a.body::json -> 'data') with ordinality as e(element, ordinal))
    where a.organization_id = $1
      and (a.application_id, a.key, a.slot) in (
            select n.application_id, n.key, n.slot
              from idempotency_answers n
             where n.organization_id = $1 and n.person_ids && $2::uuid[] and n.person_ids is not null
               and n.operation like '%.batchUpsert'
             order by n.created_at desc limit ${bounds.rewrittenAnswers.most})
  returning 1`,
)

// Every other answer that mentions the person is dropped whole, and so are older answers of batches: replacing elements takes several
// hundred times as long, and a batch that is sent again and again can mention the person in every stored answer.
const dropStoredAnswers = statement(
  'drop_stored_answers',
  `update idempotency_answers a
      set body = null, person_ids = null
    where a.organization_id = $1 and a.person_ids && $2::uuid[] and a.person_ids is not null
  returning 1`,
)

// One person at a time: for several, a plan made while the table is empty could walk through all rows of the organization.
const dropChangeKeys = statement(
  'drop_change_keys',
  'delete from change_keys k where k.organization_id = $1 and k.resource_id = $2 returning 1',
)

// An uploaded import file may already mention the person. An export that is older than the person does not, except for a person who was
// merged into this one and may be older.
const lockFiles = statement(
  'lock_files_of_persons',
  `select f.id, f.purpose, f.size_bytes as size from files f
    where f.organization_id = $1 and f.holds_persons
      and (f.purpose = 'import' or f.purpose = 'export' and (f.created_at >= $2::timestamptz or $3))
    order by f.id
      for update`,
)

// The same exports, where persons are removed without an erasure.
const lockExports = statement(
  'lock_exports_of_persons',
  `select f.id, f.purpose, f.size_bytes as size from files f
    where f.organization_id = $1 and f.holds_persons and f.purpose = 'export' and f.created_at >= $2::timestamptz
    order by f.id
      for update`,
)

const { status, code, message, details } = personErased()
const behindIndex = JSON.stringify({ status, error: { code, message, details } }).slice(1)

/** The number of items, by kind, from which the person's data was dropped. */
export interface Reached {
  readonly auditEntries: number
  readonly storedAnswers: number
  readonly changeKeys: number
  readonly files: number
  readonly requestIds: number
  /** In the data of modules, by kind. */
  readonly [kind: string]: number
}

/**
 * Drops a person's data everywhere except in the record itself, in the transaction that erases the record. Returns the files to remove:
 * the save must include their rows, and the caller must discard their bytes after the commit. Bytes that are not discarded are swept
 * later.
 */
export async function sweepPerson(
  transaction: Transaction,
  organizationId: string,
  { resource, record, parts, erasures, secret }: SweptPerson,
): Promise<{ readonly reached: Reached; readonly dropped: readonly FileName[]; readonly rows: readonly RowChange[] }> {
  const { id, createdAt } = record
  const [merged] = await Promise.all([
    transaction.query(selectPersons, [organizationId, id]),
    joinErasures(transaction, organizationId),
  ])
  const ids = [id, ...merged.map(row => String(row.id))]
  const former = await transaction.query(selectFormerValues, [organizationId, ids, parts])
  const known = knownAs(resource, record, former.map(({ changes }) => changes).flat())
  // Before files: a transaction that applies rows of an import locks the import first, and then its file.
  const elsewhere: ErasedElsewhere[] = []
  for (const erase of erasures) elsewhere.push(await erase(transaction, organizationId, { ids, known }))
  const [traces, files, requestIds] = await Promise.all([
    dropTraces(
      transaction,
      organizationId,
      ids,
      elsewhere.flatMap(each => each.ids),
    ),
    transaction.query(lockFiles, [organizationId, createdAt, merged.length > 0]),
    known?.byAddress ? hashRequestIds(transaction, organizationId, known.byAddress, secret) : 0,
  ])
  const reached = {
    ...Object.assign({}, ...elsewhere.map(each => each.reached)),
    ...traces,
    files: files.length,
    requestIds,
  }
  // An error file of an import may be in both lists.
  const all = [...files, ...elsewhere.flatMap(each => each.files)]
  const dropped = [...new Map(all.map(row => [String(row.id), row])).values()]
  return { reached, ...droppedFiles(organizationId, dropped) }
}

/**
 * Drops what is kept of persons whose records are taken back: values in audit entries, stored answers, and exports that were made since.
 * It is no erasure: there is no receipt, and uploaded files stay. The caller discards the bytes of the files after the commit.
 */
export async function sweepTakenBack(
  transaction: Transaction,
  organizationId: string,
  ids: readonly string[],
  since: string,
): Promise<Swept> {
  await joinErasures(transaction, organizationId)
  const [, files] = await Promise.all([
    dropTraces(transaction, organizationId, ids, []),
    transaction.query(lockExports, [organizationId, since]),
  ])
  const { dropped, rows } = droppedFiles(organizationId, files)
  return { rows, drops: dropped }
}

/** Drops what mentions these persons in audit entries, stored answers and keys of events; the answers also by `otherIds`. */
async function dropTraces(
  transaction: Transaction,
  organizationId: string,
  ids: readonly string[],
  otherIds: readonly string[],
): Promise<Pick<Reached, 'auditEntries' | 'storedAnswers' | 'changeKeys'>> {
  const [audit, about, elements, answers, keys] = await Promise.all([
    transaction.query(dropAuditValues, [organizationId, ids]),
    transaction.query(dropAuditValuesAbout, [organizationId, ids]),
    transaction.query(replaceElements, [organizationId, ids, ids.map(each => JSON.stringify(each)), behindIndex]),
    transaction.query(dropStoredAnswers, [organizationId, [...ids, ...otherIds]]),
    Promise.all(ids.map(each => transaction.query(dropChangeKeys, [organizationId, each]))),
  ])
  return {
    auditEntries: audit.length + about.length,
    storedAnswers: elements.length + answers.length,
    changeKeys: keys.flat().length,
  }
}

function droppedFiles(organizationId: string, files: readonly Row[]) {
  return {
    dropped: files.map(row => toFileName(organizationId, row)),
    rows: files.map(({ id, size }) => forgetFile({ id: String(id), size: Number(size) })),
  }
}

/** The person to erase, and what the erasure needs. */
interface SweptPerson {
  readonly resource: Resource
  /** The record before the erasure. */
  readonly record: RecordState
  /** The names of its parts in audit entries. */
  readonly parts: readonly string[]
  readonly erasures: readonly ErasePerson[]
  readonly secret: Secret
}
