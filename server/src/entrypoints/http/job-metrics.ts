import { Gauge, Histogram, type Registry } from 'prom-client'
import { type EndedAttempt, type QueueState, readQueueState } from '../../kernel/jobs/index.ts'
import type { Database } from '../../kernel/sql/index.ts'
import type { Readiness } from './readiness.ts'
import { sharedRead } from './shared-read.ts'

/** The metrics of the job queue, which all processes of an installation share, and of the jobs of this process. */
export class JobMetrics {
  readonly #durations: Histogram<'job' | 'outcome'>

  /** Reads the queue only if the database is available: otherwise a scrape would wait for it and time out. */
  constructor(database: Database, readiness: () => Promise<Readiness>, registry: Registry) {
    const registers = [registry]
    const read = sharedRead(async () =>
      (await readiness()).database === 'unreachable' ? null : readQueueState(database).catch(() => null),
    )
    this.#durations = new Histogram({
      name: 'crm_job_duration_seconds',
      help: 'Time of the parts of jobs that this process ran, by kind and outcome.',
      labelNames: ['job', 'outcome'],
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60],
      registers,
    })
    new Gauge({
      name: 'crm_jobs',
      help: 'Jobs in the queue, by kind and state.',
      labelNames: ['job', 'state'],
      registers,
      aggregator: 'first',
      async collect() {
        this.reset()
        for (const { job, state, count } of (await read())?.counts ?? []) this.set({ job, state }, count)
      },
    })
    for (const [name, help, value] of agesInSeconds)
      new Gauge({
        name,
        help,
        registers,
        aggregator: 'first',
        async collect() {
          const queue = await read()
          this.set((queue === null ? null : value(queue)) ?? Number.NaN)
        },
      })
  }

  observe({ job, outcome, seconds }: EndedAttempt): void {
    this.#durations.observe({ job, outcome }, seconds)
  }
}

const agesInSeconds: readonly (readonly [
  name: string,
  help: string,
  value: (queue: QueueState) => number | null | undefined,
])[] = [
  [
    'crm_oldest_job_seconds',
    'How long the oldest job that waits has been waiting; 0 if none does.',
    ({ oldestSeconds }) => oldestSeconds,
  ],
  [
    'crm_worker_heartbeat_seconds',
    'Time since the last heartbeat of any worker; NaN if none is known.',
    ({ workers }) => workers[0]?.secondsSinceBeat,
  ],
  [
    'crm_upkeep_seconds',
    'Time since the upkeep of every hour was last queued; NaN if it never was.',
    ({ secondsSinceUpkeep }) => secondsSinceUpkeep,
  ],
]
