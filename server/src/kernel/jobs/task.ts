import { Pace } from '../admission/index.ts'
import { bounds } from '../limits/index.ts'
import type { Services } from '../services.ts'
import type { Database } from '../sql/index.ts'
import { tellSpan, traced } from '../tracing/index.ts'
import { type Envelope, readEnvelope } from './envelope.ts'
import { InterruptedJob, type Job, type JobContext } from './job.ts'
import type { JobEnd, JobSlots, LockedJob } from './job-slots.ts'
import { attemptsOf, noOrganization } from './names.ts'
import { noteInterruption, selectOrganization } from './queue.sql.ts'

/** What a task needs from its worker. */
export interface TaskSurroundings {
  readonly services: Services
  readonly places: JobSlots
  /** Aborted when the worker stops, or can no longer send heartbeats. */
  signal(): AbortSignal
  /** Called when an attempt has ended, with its duration and its error. */
  onEnd(ended: EndedAttempt): void
}

export interface EndedAttempt {
  readonly job: string
  readonly organizationId: string
  readonly outcome: 'done' | 'again' | 'failed'
  readonly seconds: number
  readonly attempt: number
  readonly error?: unknown
}

/**
 * Runs the jobs of one kind for a worker. The queue stores the message of whatever it throws, so these messages contain no data; the error
 * itself goes to `onEnd`.
 */
export function taskOf(job: Job, surroundings: TaskSurroundings) {
  // An organization has one running job of a kind, which keeps its pace from one attempt to the next.
  const paces = new Map<string, Pace>()
  return async (value: unknown, locked: LockedJob): Promise<void> => {
    const envelope = readEnvelope(value)
    const facts = {
      'crm.job': job.name,
      'crm.organization.id': envelope.organizationId,
      'crm.attempt': locked.attempts,
    }
    const isOurs = await traced(`job ${job.name}`, { kind: 'consumer', parent: null, facts }, () =>
      run(envelope, locked),
    )
    // If the task returned, the library would remove the job, even if another worker has locked it by now. It does not touch a failed job
    // that its worker no longer holds.
    if (!isOurs) throw new Error('this worker no longer holds the lock of the job')
  }

  /** Runs one attempt; resolves to whether the worker still held the job at its end. */
  async function run(envelope: Envelope, locked: LockedJob): Promise<boolean> {
    const { organizationId, payload } = envelope
    const { services, places, onEnd } = surroundings
    const { database } = services
    const attempt = locked.attempts
    const signal = surroundings.signal()
    const isLastAttempt = attempt >= attemptsOf(job)
    const pace = paces.get(organizationId) ?? new Pace(services.admission)
    const begin = performance.now()
    const turnEnds = begin + (attempt === 1 ? bounds.jobTurn.most : 0)
    const context: JobContext = { organizationId, services, signal, turnEnds, pace, attempt, isLastAttempt }
    pace.begin()
    const ended = (outcome: EndedAttempt['outcome'], error?: unknown) => {
      const seconds = (performance.now() - begin) / 1000
      if (outcome === 'again') paces.set(organizationId, pace)
      else paces.delete(organizationId)
      tellSpan({ 'crm.outcome': outcome })
      onEnd({ job: job.name, organizationId, outcome, seconds, attempt, ...(error === undefined ? {} : { error }) })
    }
    const end = (way: JobEnd, more = {}) => places.leave(locked, organizationId, way, more)
    const giveUp = async (error: unknown): Promise<JobEnd> => {
      try {
        await job.giveUp?.(payload, context, error)
        return 'given up'
      } catch (failure) {
        // The job gets another attempt for `giveUp`: without it the record of the job would never reach an end.
        ended('failed', failure)
        return 'failed'
      }
    }
    // A worker that is stopping may have locked one more job; it leaves that to others.
    if (signal.aborted) return end('again')
    try {
      const admitted = await places.take(locked, organizationId)
      // The library finds nothing to end: the job has a new id now.
      if (admitted === 'waits' || admitted === 'lost') return admitted === 'waits'
      // The process was killed in the last attempt, or during `giveUp`.
      if (attempt > attemptsOf(job)) throw new Error('the process ended during the last attempt')
      if (envelope.interrupted) await noteEnd(envelope, locked)
      if (admitted === 'organization read-only') {
        const isOurs = await end('again', { runAt: new Date(Date.now() + readOnlyMilliseconds).toISOString() })
        ended('again')
        return isOurs
      }
      // Jobs of a removed organization end silently.
      const outcome = admitted === 'organization gone' ? 'done' : await job.run(payload, context)
      const isOurs = await end(outcome)
      ended(outcome)
      return isOurs
    } catch (error) {
      services.diskSpace.note(error)
      if (await isGone(organizationId, database).catch(() => false)) {
        ended('done')
        return true
      }
      // Stopping the worker does not use up an attempt of the job.
      if (signal.aborted) {
        const isOurs = await end('again')
        ended('again')
        return isOurs
      }
      ended('failed', error)
      const isOver = isLastAttempt || error instanceof InterruptedJob
      const reason = reasonOf(error)
      // If this statement fails, the library tries to record the failure as well, and reports its error.
      await end(isOver ? await giveUp(error) : 'failed', { reason }).catch(() => {})
      throw new Error(reason, { cause: error })
    }
  }

  /** Notes that a process has ended while running the job. Throws `InterruptedJob` if too many have ended at the same progress. */
  async function noteEnd({ organizationId, payload, stuck }: Envelope, { id, locked_by }: LockedJob): Promise<void> {
    if (job.interruptions === undefined) return
    const { services } = surroundings
    const at = (await job.progress?.(payload, { organizationId, services }))?.done ?? 0
    const times = stuck?.at === at ? stuck.times + 1 : 1
    if (times >= job.interruptions) throw new InterruptedJob(`${times} processes have ended while running this job`)
    await services.database.query(noteInterruption, [id, locked_by, at, times])
  }
}

/** How long a job of a read-only organization waits before it checks again whether it may run. */
const readOnlyMilliseconds = 10_000

async function isGone(organizationId: string, database: Database): Promise<boolean> {
  return organizationId !== noOrganization && (await database.query(selectOrganization, [organizationId])).length === 0
}

/** Returns the name of the error without its message, which may contain data. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'failed: see the log'
  const code = 'code' in error && typeof error.code === 'string' ? ` ${error.code}` : ''
  return `${error.name}${code}: see the log`
}
