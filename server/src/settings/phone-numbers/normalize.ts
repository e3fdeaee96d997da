import {
  Actor,
  bounds,
  defineRecordJob,
  endJobRecord,
  findJobRecord,
  type JobContext,
  type JobEnding,
  type JobSurroundings,
  type Mutation,
  mutate,
  normalizingPhones,
  phonesBehind,
  Refusal,
  type Resource,
  readsOtherwise,
  type WriteContext,
} from '../../kernel/index.ts'
import { beforeAllIds } from '../../kernel/schema/index.ts'
import type { RecordChange, WorkingSet } from '../../kernel/write/index.ts'
import {
  kindsToRead,
  lockedNormalization,
  type Normalization,
  normalizationRecord,
  phoneNormalizations,
} from './normalization.ts'

/**
 * Computes the E.164 forms of an organization's phone numbers again (contract section 6.1), chunk by chunk. Each record whose number
 * changes gets a new version and one event. The changes of a chunk and the progress of the job are committed together, so a process that
 * crashes in between loses nothing and repeats nothing.
 */
export const phoneNormalization = defineRecordJob(normalizationRecord, {
  payload: 'id',
  async run(id, context) {
    const { organizationId, services } = context
    do {
      const run = await findJobRecord(normalizationRecord, id, context)
      if (run === null || run.finishedAt !== null) return 'done'
      await mutate(chunkOf(run, context), actorOf(id, organizationId), services)
      await context.pace.rest()
    } while (!context.signal.aborted && performance.now() < context.turnEnds)
    return 'again'
  },
  giveUp: (id, context) => end(id, 'failed', context),
  cancel: (id, context) => end(id, 'canceled', context),
})

/** Processes the next records of a run, in one mutation. If another process has advanced the run meanwhile, nothing changes. */
function chunkOf(run: Normalization, { services, pace }: JobContext): Mutation<null, never> {
  const kinds = kindsToRead(services)
  const index = run.kind === null ? 0 : kinds.findIndex(({ kind }) => kind === run.kind)
  const resource = kinds[index]
  if (resource === undefined) throw new Error(`${run.kind} records no longer have phones`)
  const most = pace.partOf(bounds.bulkChunk.most)
  const startedAt = run.startedAt ?? new Date(services.clock.now()).toISOString()
  const page = phonesBehind(resource, run.lastId ?? beforeAllIds, most)
  let changes: readonly RecordChange[] = []
  return {
    needs(needs, work, configuration) {
      const { country } = configuration.organization
      needs.toLoad(lockedNormalization, page)
      const others = isCurrent(run, work) ? work.read(page).filter(row => readsOtherwise(row, country)) : []
      changes = others.map(({ id }) => normalizingPhones(resource, String(id)))
      for (const change of changes) change.needs(needs, work, configuration)
    },
    decide(work, write) {
      if (!isCurrent(run, work)) return nothing
      let { examined, changed } = run
      for (const change of changes) {
        const step = change.decide('', work, write)
        if (step instanceof Refusal || step.effect === null) continue
        work.apply(step.effect)
        changed += 1
      }
      const records = work.read(page)
      examined += records.length
      const place = placeBehind(records.at(-1)?.id, records.length < most ? kinds[index + 1] : resource)
      const isFinished = place === null
      const ended = { status: isFinished ? 'completed' : 'running', finished_at: isFinished ? write.now : null }
      const row = { ...place, ...ended, examined, changed, started_at: startedAt }
      return { ...nothing, rows: [{ table: phoneNormalizations, operation: 'update', row }] }
    },
  }

  function placeBehind(last: unknown, next: Resource | undefined) {
    if (next === undefined) return null
    return { kind: next.kind, last_id: next === resource ? last : beforeAllIds }
  }
}

const nothing = { result: null }

/** Whether the locked run is still at the position for which the chunk was planned. */
function isCurrent({ id, kind, lastId }: Normalization, work: WorkingSet): boolean {
  const locked = work.read(lockedNormalization)
  if (locked === null) return false
  return locked.id === id && locked.finishedAt === null && locked.kind === kind && locked.lastId === lastId
}

/** Ends a run before it has read all records. Does nothing if it has ended, or another run has replaced it. */
function end(id: string, status: JobEnding['status'], { organizationId, services }: JobSurroundings): Promise<void> {
  const ending = (_: Normalization, { now }: WriteContext) => {
    const row = { status, finished_at: now }
    return { rows: [{ table: phoneNormalizations, operation: 'update' as const, row }] }
  }
  return endJobRecord(normalizationRecord, id, ending, actorOf(id, organizationId), services)
}

function actorOf(jobId: string, organizationId: string): Actor {
  return Actor.of({ organizationId, author: { type: 'system', uuid: null, jobId } })
}
