import type { Actor } from '../../auth/actor.ts'
import { defineJob, type Job, type JobContext, type JobRequest } from '../../jobs/index.ts'
import type { Decision, Mutation } from '../../mutation/index.ts'
import { Lookup, type WriteContext } from '../../record/index.ts'
import type { Services } from '../../services.ts'
import { mutate } from '../../write.ts'
import { findJobRecord, type JobRecord, type JobSurroundings } from './job-record.ts'

/** The job of a record. */
export interface RecordJob extends Job {
  /** The request to start or continue the work of the record with this id. */
  request(id: string): JobRequest & { readonly key: string }
}

/** The declaration of the work of a record; each function receives the id of the record. */
interface WorkDeclaration extends Pick<Job, 'interruptions'> {
  /** The member of the payload that holds the id: the queue may contain jobs of earlier releases with it. */
  readonly payload: string
  /** As `Job.run`, `Job.giveUp` and `Job.cancel`. */
  run(id: string, context: JobContext): Promise<'done' | 'again'>
  giveUp(id: string, context: JobContext, error: unknown): Promise<void>
  cancel(id: string, context: JobSurroundings): Promise<void>
}

/** Declares the job of a record; its progress is that of the record. */
export function defineRecordJob<State>(record: JobRecord<State>, work: WorkDeclaration): RecordJob {
  const { payload: member, run, giveUp, cancel, ...others } = work
  const job = defineJob({
    ...others,
    name: record.kind,
    run: ({ [member]: id }, context) => run(String(id), context),
    giveUp: ({ [member]: id }, context, error) => giveUp(String(id), context, error),
    cancel: ({ [member]: id }, context) => cancel(String(id), context),
    async progress({ [member]: id }, context) {
      const state = await findJobRecord(record, String(id), context)
      if (state === null) return null
      const { status, startedAt, finishedAt, counters, done, total } = record.progress(state)
      return { status, startedAt, finishedAt, counters: { ...counters }, done, total }
    },
  })
  return { ...job, request: id => ({ job, payload: { [member]: id }, key: id }) }
}

/** How a record ends before its work is complete. */
export interface JobEnding {
  readonly status: 'failed' | 'canceled'
  /** The reason, for clients; null if an operator has canceled it. */
  readonly failure: { readonly code: string; readonly message: string } | null
}

/** Ends a record under its lock: `end` returns what to write. Does nothing if the record has ended already, or is gone. */
export async function endJobRecord<State>(
  { lock, read, progress }: JobRecord<State>,
  id: string,
  end: (state: State, write: WriteContext) => Pick<Decision<unknown>, 'rows' | 'events' | 'sweep' | 'drops'>,
  actor: Actor,
  services: Services,
): Promise<void> {
  const locked = new Lookup(lock, [id], ([row]) => (row === undefined ? null : read(row)))
  const mutation: Mutation<null, never> = {
    needs: needs => needs.toLoad(locked),
    decide(work, write) {
      const state = work.read(locked)
      const isOver = state === null || progress(state).finishedAt !== null
      return { result: null, ...(isOver ? {} : end(state, write)) }
    },
  }
  await mutate(mutation, actor, services)
}
