import { type Decision, type Mutation, Refusal, type Services, type WriteContext } from '../../kernel/index.ts'
import type { Row } from '../../kernel/sql/index.ts'
import { actionRow, type RecordChange, type RowChange, refusing, type WorkingSet } from '../../kernel/write/index.ts'
import { type BulkJob, toBulkJob } from './bulk-job.ts'
import { bulkErrorTable, bulkJobTable, bulkTargetTable, lockBulkJob, selectNextTargets } from './chunk.sql.ts'

/** What a chunk is asked to do. */
interface ChunkOrder {
  readonly jobId: string
  /** The most targets. */
  readonly most: number
  /** When the job had its first turn, in case that it is this one. */
  readonly startedAt: string
  /** Set to fail the targets with this, because trying them fails inside. */
  readonly failure?: Refusal
}

/**
 * The next targets of a job, as one mutation: their changes, their marks and the counters of the job are committed together.
 * All is read under the lock of the job, so each target is done once, also if two processes work on the job. The data of the
 * outcome is whether the job is finished.
 */
export function chunkOf(
  order: ChunkOrder,
  services: Pick<Services, 'resources' | 'nestedResources' | 'bulkActions'>,
): Mutation {
  const { jobId, most } = order
  let changes: readonly RecordChange[] = []
  return {
    needs(needs, work, configuration) {
      needs.toLoad([
        { name: 'bulk_job', statement: lockBulkJob, values: [jobId] },
        { name: 'bulk_targets', statement: selectNextTargets, values: [jobId, most] },
      ])
      const job = unfinished(work)
      changes = job === null ? [] : changesOf(job, work.extra('bulk_targets'), order, services)
      for (const change of changes) change.needs(needs, work, configuration)
    },
    decide(work, write) {
      const job = unfinished(work)
      return job === null ? finished : decideTargets(job, changes, order, work, write)
    },
  }
}

const finished: Decision = { status: 200, data: { isFinished: true }, meta: {}, shown: [] }

/** The job, unless it is finished or gone. */
export function unfinished(work: WorkingSet): BulkJob | null {
  const [row] = work.extra('bulk_job')
  return row === undefined || row.finished_at !== null ? null : toBulkJob(row)
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

/** Decides the targets in their order. Each sees the results of those before it; a refused one changes nothing. */
function decideTargets(
  job: BulkJob,
  changes: readonly RecordChange[],
  { startedAt }: ChunkOrder,
  work: WorkingSet,
  write: WriteContext,
): Decision {
  const counters = { ...job.counters }
  const rows: RowChange[] = []
  for (const [index, change] of changes.entries()) {
    const step = change.decide('/changes', work, write)
    // What a target takes along counts for all of the mutation. In the next one it has room of its own.
    if (index > 0 && step instanceof Refusal && step.details.reason === 'too_many_links') break
    const outcome = step instanceof Refusal ? 'failed' : step.effect === null ? 'unchanged' : 'succeeded'
    if (!(step instanceof Refusal) && step.effect !== null) work.apply(step.effect)
    counters[outcome] += 1
    counters.pending -= 1
    const target = { job_id: job.id, ordinal: job.done + index }
    rows.push({ table: bulkTargetTable, operation: 'update', row: { ...target, outcome } })
    if (step instanceof Refusal) {
      const { code, message, details } = step
      const record_id = work.extra('bulk_targets')[index]?.record_id
      const row = { ...target, record_id, code, message, details, occurred_at: write.now }
      rows.push({ table: bulkErrorTable, operation: 'insert', row })
    }
  }
  const isFinished = counters.pending === 0
  const status = isFinished ? (counters.failed === 0 ? 'completed' : 'completed_with_errors') : 'running'
  const { succeeded, unchanged, failed } = counters
  const row = {
    id: job.id,
    status,
    succeeded,
    unchanged,
    failed,
    started_at: job.startedAt ?? startedAt,
    finished_at: isFinished ? write.now : null,
  }
  rows.push({ table: bulkJobTable, operation: 'update', row })
  if (isFinished) rows.push(endRow(job.id, 'bulk_job.completed', write))
  return { status: 200, data: { isFinished }, meta: {}, shown: [], rows }
}

/** The audit entry of the end of a job. */
export function endRow(jobId: string, action: string, write: WriteContext): RowChange {
  return actionRow({ resourceType: 'bulk_job', resourceId: jobId, action, version: null }, write)
}
