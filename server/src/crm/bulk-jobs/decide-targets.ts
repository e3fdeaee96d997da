import { type Decision, Lookup, type Mutation, Refusal, type Services, type WriteContext } from '../../kernel/index.ts'
import type { Row } from '../../kernel/sql/index.ts'
import {
  actionRow,
  jobEventRow,
  type RecordChange,
  type RowChange,
  refusing,
  type WorkingSet,
} from '../../kernel/write/index.ts'
import { type BulkJob, bulkJobRecord, toBulkJob } from './bulk-job.ts'
import { advanceBulkJob, bulkErrorTable, selectNextTargets } from './chunk.sql.ts'

/** The input of a chunk. */
interface ChunkOrder {
  readonly jobId: string
  /** The most targets. */
  readonly most: number
  /** The start time of the job if this is its first chunk. */
  readonly startedAt: string
  /** If set, all targets of the chunk fail with this error, because an earlier attempt to change them threw one. */
  readonly failure?: Refusal
}

/**
 * Processes the next targets of a job in one mutation: the changes, the outcomes and the counters of the job are committed together.
 * Everything is read under the lock of the job, so each target is processed once even if two processes work on the job. The result says
 * whether the job is finished.
 */
export function chunkOf(
  order: ChunkOrder,
  services: Pick<Services, 'resources' | 'nestedResources' | 'bulkActions'>,
): Mutation<{ isFinished: boolean }, never> {
  const { jobId, most } = order
  // Empty if the job is finished or removed.
  const unfinished = new Lookup(bulkJobRecord.lock, [jobId], ([row]) =>
    row === undefined || row.finished_at !== null ? null : toBulkJob(row),
  )
  const targets = Lookup.rows(selectNextTargets, [jobId, most])
  let changes: readonly RecordChange[] = []
  return {
    needs(needs, work, configuration) {
      needs.toLoad(unfinished, targets)
      const job = work.read(unfinished)
      changes = job === null ? [] : changesOf(job, work.read(targets), order, services)
      for (const change of changes) change.needs(needs, work, configuration)
    },
    decide(work, write) {
      const job = work.read(unfinished)
      if (job === null) return { result: { isFinished: true } }
      return decideTargets(job, changes, work.read(targets), order, work, write)
    },
  }
}

/** The change of each target. */
function changesOf(
  job: BulkJob,
  targets: readonly Row[],
  { failure }: ChunkOrder,
  services: Pick<Services, 'resources' | 'nestedResources' | 'bulkActions'>,
): readonly RecordChange[] {
  const action = services.bulkActions.find(
    ({ resource, name }) => resource.kind === job.entityType && name === job.action,
  )
  if (action === undefined) throw new Error(`there is no ${job.action} of ${job.entityType} records any more`)
  return targets.map(row => {
    if (failure !== undefined) return refusing(action.resource, failure)
    const expectedVersion = row.expected_version === null ? null : Number(row.expected_version)
    return action.changing({ id: String(row.record_id), expectedVersion }, job.changes, services)
  })
}

/** Decides the targets in order. Each sees the results of those before it; a refused target changes nothing. */
function decideTargets(
  job: BulkJob,
  changes: readonly RecordChange[],
  targets: readonly Row[],
  { startedAt }: ChunkOrder,
  work: WorkingSet,
  write: WriteContext,
): Decision<{ isFinished: boolean }> {
  if (changes.length === 0 && job.counters.pending > 0)
    throw new Error(`the bulk job ${job.id} has no targets for ${job.counters.pending} that are pending`)
  const counters = { ...job.counters }
  const outcomes: string[] = []
  const rows: RowChange[] = []
  for (const [index, change] of changes.entries()) {
    const step = change.decide('/changes', work, write)
    // One mutation may change a limited number of records that follow its targets, such as the items of a deal. A target that exceeds the
    // limit is put off: it comes first in the next chunk, where the whole limit is available.
    if (index > 0 && step instanceof Refusal && step.details.reason === 'too_many_links') break
    const outcome = step instanceof Refusal ? 'failed' : step.effect === null ? 'unchanged' : 'succeeded'
    if (step instanceof Refusal) rows.push(errorRow(job, index, targets[index]?.record_id, step, write))
    else if (step.effect !== null) work.apply(step.effect)
    counters[outcome] += 1
    counters.pending -= 1
    outcomes.push(outcome)
  }
  const { pending, succeeded, unchanged, failed } = counters
  const isFinished = pending === 0
  const status = isFinished ? (failed === 0 ? 'completed' : 'completed_with_errors') : 'running'
  const end = isFinished ? ended(job.id, 'completed', status, write) : { rows: [], events: [] }
  const values = [write.organizationId, job.id, job.done, outcomes, status, succeeded, unchanged, failed]
  const times = [job.startedAt ?? startedAt, isFinished ? write.now : null]
  return {
    result: { isFinished },
    rows: [...rows, ...end.rows],
    events: end.events,
    async sweep(transaction) {
      const [row] = await transaction.query(advanceBulkJob, [...values, ...times])
      if (Number(row?.marked) !== outcomes.length) throw new Error(`targets of the bulk job ${job.id} are missing`)
      return {}
    },
  }
}

/** Why a target failed. */
function errorRow(
  job: BulkJob,
  index: number,
  record_id: unknown,
  { code, message, details }: Refusal,
  write: WriteContext,
): RowChange {
  const row = { job_id: job.id, ordinal: job.done + index, record_id, code, message, details, occurred_at: write.now }
  return { table: bulkErrorTable, operation: 'insert', row }
}

/** The audit entry and the event that record the end of a job. */
export function ended(
  resourceId: string,
  verb: Parameters<typeof jobEventRow>[0]['verb'],
  status: string,
  write: WriteContext,
): Required<Pick<Decision<unknown>, 'rows' | 'events'>> {
  const resourceType = bulkJobRecord.kind
  return {
    rows: [actionRow({ resourceType, resourceId, action: `${resourceType}.${verb}`, version: null }, write)],
    events: [jobEventRow({ resourceType, resourceId, verb, status }, write)],
  }
}
