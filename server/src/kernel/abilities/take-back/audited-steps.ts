import { Lookup } from '../../record/index.ts'
import { firstIdAt, isObject, type JsonObject } from '../../schema/index.ts'
import { claimedStatement } from '../../sql/index.ts'

/** One version step of a record that a job has made, as its audit entry tells it. */
export interface AuditedStep {
  /** The id of the entry. */
  readonly id: string
  readonly kind: string
  readonly recordId: string
  /** Whether the step created the record. */
  readonly isCreation: boolean
  /** Each changed field and part, `before` and `after`, or `redacted`. */
  readonly changes: readonly JsonObject[]
}

/** The job whose steps are taken back, and the time of its first one in milliseconds. */
export interface TakenJob {
  readonly jobId: string
  readonly startedAt: number
}

/** An id above all others: going back begins before it. */
export const afterAllIds = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

// Entries about the job itself have no versions. What takes the steps back writes entries with the same job and another author.
const stepsOfJob = `e.organization_id = $1 and e.job_id = $2 and e.actor_type in ('import', 'bulk_job')
      and e.version_after is not null`

/** $1 organization, $2 job, $3 entry, $4 the most steps, $5 the most bytes of their values, which the first one may exceed. */
const selectSteps = claimedStatement(
  'select_steps_of_job',
  `select p.id, p.kind, p."recordId", p."isCreation", p.changes
     from (select e.id, e.resource_type as kind, e.resource_id as "recordId", e.version_before is null as "isCreation", e.changes,
                  sum(octet_length(e.changes::text)) over (order by e.id desc) as bytes,
                  row_number() over (order by e.id desc) as number
             from (select e.id, e.resource_type, e.resource_id, e.version_before, e.changes
                     from audit_entries e
                    where ${stepsOfJob} and e.id < $3::uuid
                    order by e.id desc limit $4) as e) as p
    where p.bytes <= $5 or p.number = 1
    order by p.id desc`,
)

/** The steps of a job before an entry, the latest first. */
export function stepsBefore(
  { jobId }: Pick<TakenJob, 'jobId'>,
  entryId: string,
  most: { readonly steps: number; readonly bytes: number },
): Lookup<readonly AuditedStep[]> {
  return new Lookup(selectSteps, [jobId, entryId, most.steps, most.bytes], rows =>
    rows.map(({ id, kind, recordId, isCreation, changes }) => ({
      id: String(id),
      kind: String(kind),
      recordId: String(recordId),
      isCreation: isCreation === true,
      changes: Array.isArray(changes) ? changes.filter(isObject) : [],
    })),
  )
}

const countSteps = claimedStatement(
  'count_steps_of_job',
  `select count(*)::integer as count from audit_entries e where ${stepsOfJob}`,
)

/** The number of steps of a job. */
export function stepCount({ jobId }: Pick<TakenJob, 'jobId'>): Lookup<number> {
  return new Lookup(countSteps, [jobId], ([row]) => Number(row?.count ?? 0))
}

/** What happened to a record since the job began. */
export interface History {
  /** Whether the job created it. */
  readonly isCreated: boolean
  /** Whether anything but the job, and what takes the job back, has changed it. For a record of the job only. */
  readonly isChanged: boolean
  /** Whether it was merged into another record, or another one into it. */
  readonly isMerged: boolean
}

/**
 * $1 organization, $2 records, $3 whether each may be new, $4 job, $5 time. The entry of a creation is the first of its record, so the search
 * for it ends early; for a record that is older than the job it might not, and is left out. `offset 0` keeps the planner from reading all
 * merged records of the organization into a hash.
 */
const selectHistories = claimedStatement(
  'select_histories_of_records',
  `select r.id,
          r.may_be_new and (select e.job_id from audit_entries e
                             where e.organization_id = $1 and e.resource_id = r.id and e.version_before is null
                               and e.version_after is not null limit 1) is not distinct from $4::uuid as "isCreated",
          r.may_be_new and exists (select from audit_entries e
                                    where e.organization_id = $1 and e.resource_id = r.id
                                      and e.version_after is distinct from e.version_before
                                      and e.job_id is distinct from $4::uuid offset 0) as "isChanged",
          exists (select from merged_records m
                   where m.organization_id = $1 and m.id = r.id and m.merged_at >= $5::timestamptz offset 0)
          or exists (select from merged_records m
                      where m.organization_id = $1 and m.into_id = r.id and m.merged_at >= $5::timestamptz offset 0) as "isMerged"
     from organizations o
    cross join unnest($2::uuid[], $3::boolean[]) as r (id, may_be_new)
    where o.id = $1`,
)

/** The clocks of servers differ by less than this. */
const skewMilliseconds = 86_400_000

/** The histories of the records of some steps, by their ids. */
export function historiesOf(
  { jobId, startedAt }: TakenJob,
  steps: readonly AuditedStep[],
): Lookup<ReadonlyMap<string, History>> {
  const oldest = firstIdAt(startedAt - skewMilliseconds)
  const created = new Set(steps.flatMap(({ isCreation, recordId }) => (isCreation ? recordId : [])))
  const ids = [...new Set(steps.map(({ recordId }) => recordId))]
  const mayBeNew = ids.map(id => created.has(id) || id >= oldest)
  return new Lookup(
    selectHistories,
    [ids, mayBeNew, jobId, new Date(startedAt).toISOString()],
    rows =>
      new Map(
        rows.map(({ id, isCreated, isChanged, isMerged }) => [
          String(id),
          { isCreated: isCreated === true, isChanged: isChanged === true, isMerged: isMerged === true },
        ]),
      ),
  )
}
