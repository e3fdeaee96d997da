import { Pace } from '../admission/index.ts'
import { bounds } from '../limits/index.ts'
import type { Services } from '../services.ts'
import type { Database } from '../sql/index.ts'
import { tellSpan, traced } from '../tracing/index.ts'
import { type Envelope, readEnvelope } from './envelope.ts'
import { InterruptedJob, type Job, type JobContext } from './job.ts'
import { attemptsOf } from './names.ts'
import type { JobEnd, JobPlaces, LockedJob } from './places.ts'
import { noteInterruption, selectOrganization } from './queue.sql.ts'

/** What a task needs of its worker. */
export interface TaskSurroundings {
  readonly services: Services
  readonly places: JobPlaces
  /** Is aborted when the worker stops, or cannot say any more that it lives. */
  signal(): AbortSignal
  /** Called when an attempt has ended, with how long it took and what it threw. */
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
 * What a worker does with one kind of job. Whatever it throws is kept in the queue as the reason, so it throws words that hold no
 * data; the error itself goes to `onEnd`.
 */
export function taskOf(job: Job, surroundings: TaskSurroundings) {
  // An organization has one job of a kind running, which goes on at the pace that it had.
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
    // The library would remove the job, also where another worker has it by now. It leaves alone what has failed for such a worker.
    if (!isOurs) throw new Error('this worker has the job no more')
  }

  /** Runs one attempt; resolves to whether the worker still had the job when it ended. */
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
        // It gets a further attempt for that: without one the record of the job would never come to an end.
        ended('failed', failure)
        return 'failed'
      }
    }
    // A worker that stops may have locked one more job, which is left to others.
    if (signal.aborted) return end('again')
    try {
      const admitted = await places.take(locked, organizationId)
      // The library has nothing to end: the job has another id now.
      if (admitted === 'waits' || admitted === 'lost') return admitted === 'waits'
      // The process was killed in the last attempt, or while it gave up.
      if (attempt > attemptsOf(job)) throw new Error('the process ended in the last attempt')
      if (envelope.interrupted) await noteEnd(envelope, locked)
      if (admitted === 'organization read-only') {
        const isOurs = await end('again', { runAt: new Date(Date.now() + readOnlyMilliseconds).toISOString() })
        ended('again')
        return isOurs
      }
      // An organization that was removed leaves jobs behind, which end without a word.
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
      // A stop of the worker does not use up an attempt of the job.
      if (signal.aborted) {
        const isOurs = await end('again')
        ended('again')
        return isOurs
      }
      ended('failed', error)
      const isOver = isLastAttempt || error instanceof InterruptedJob
      const reason = reasonOf(error)
      // If the queue cannot be told, the library tries as well, and tells of it.
      await end(isOver ? await giveUp(error) : 'failed', { reason }).catch(() => {})
      throw new Error(reason, { cause: error })
    }
  }

  /** Notes where the process before has ended. Throws `InterruptedJob` where as many have ended there as may. */
  async function noteEnd({ organizationId, payload, stuck }: Envelope, { id, locked_by }: LockedJob): Promise<void> {
    if (job.interruptions === undefined) return
    const { services } = surroundings
    const at = (await job.progress?.(payload, { organizationId, services }))?.done ?? 0
    const times = stuck?.at === at ? stuck.times + 1 : 1
    if (times >= job.interruptions) throw new InterruptedJob(`${times} processes have ended in this job`)
    await services.database.query(noteInterruption, [id, locked_by, at, times])
  }
}

/** After this time a job of an organization that is read-only looks whether it may go on. */
const readOnlyMilliseconds = 10_000

async function isGone(organizationId: string, database: Database): Promise<boolean> {
  return (await database.query(selectOrganization, [organizationId])).length === 0
}

/** Names the error without its message, which may quote data. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'failed: see the log'
  const code = 'code' in error && typeof error.code === 'string' ? ` ${error.code}` : ''
  return `${error.name}${code}: see the log`
}
