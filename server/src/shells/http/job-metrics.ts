import { Gauge, Histogram, type Registry } from 'prom-client'
import { type EndedAttempt, readQueueState } from '../../kernel/jobs/index.ts'
import type { Database } from '../../kernel/sql/index.ts'

/** The metrics of the job queue, which is the same for all processes of an installation, and of the jobs of this one. */
export class JobMetrics {
  readonly #durations: Histogram<'job' | 'outcome'>

  constructor(database: Database, registry: Registry) {
    const registers = [registry]
    this.#durations = new Histogram({
      name: 'crm_job_duration_seconds',
      help: 'Time of the parts of jobs that this process ran, by kind and outcome.',
      labelNames: ['job', 'outcome'],
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60],
      registers,
    })
    const oldest = new Gauge({
      name: 'crm_oldest_job_seconds',
      help: 'How long the oldest job that waits has been waiting; 0 if none does.',
      registers,
    })
    const beat = new Gauge({
      name: 'crm_worker_heartbeat_seconds',
      help: 'Time since the last heartbeat of any worker; absent if there is none.',
      registers,
    })
    new Gauge({
      name: 'crm_jobs',
      help: 'Jobs in the queue, by kind and state.',
      labelNames: ['job', 'state'],
      registers,
      // One reading of the queue serves all three.
      async collect() {
        this.reset()
        oldest.remove()
        beat.remove()
        const state = await readQueueState(database).catch(() => null)
        if (state === null) return
        for (const { job, state: name, count } of state.counts) this.set({ job, state: name }, count)
        oldest.set(state.oldestSeconds)
        const [latest] = state.workers
        if (latest !== undefined) beat.set(latest.secondsSinceBeat)
      },
    })
  }

  observe({ job, outcome, seconds }: EndedAttempt): void {
    this.#durations.observe({ job, outcome }, seconds)
  }
}
