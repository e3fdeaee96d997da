import { type Job, type Services, type Upkeep, whyJobEnded } from '../../server/src/kernel/index.ts'
import { Worker, type WorkerListener } from '../../server/src/kernel/jobs/index.ts'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { jobs as ofProduct } from '../../server/src/modules.ts'
import type { TestApi } from './api.ts'
import { until } from './waiting.ts'

/** A worker in the process of the test, and its log. */
export interface TestWorker {
  readonly ended: Parameters<WorkerListener['onEnd']>[0][]
  readonly failures: { readonly what: string; readonly error: unknown }[]
  readonly freed: number[]
  readonly upkeep: Parameters<WorkerListener['onUpkeep']>[0][]
  stop(): Promise<void>
}

/** Starts a worker beside the API, on its database and with its clock. */
export function startWorker(
  { services }: Pick<TestApi, 'services'>,
  { jobs = ofProduct, upkeep = [] }: { readonly jobs?: readonly Job[]; readonly upkeep?: readonly Upkeep[] } = {},
): TestWorker {
  const told: Omit<TestWorker, 'stop'> = { ended: [], failures: [], freed: [], upkeep: [] }
  const worker = new Worker({
    services,
    jobs,
    upkeep,
    version: 'test',
    listener: {
      onEnd: ended => void told.ended.push(ended),
      onFailure: (error, what) => void told.failures.push({ error, what }),
      onFreed: count => void told.freed.push(count),
      onUpkeep: done => void told.upkeep.push(done),
    },
  })
  worker.start()
  return { ...told, stop: () => worker.stop() }
}

// The current time, not the time at which the statement began: it may see a job that was added meanwhile.
const selectLeft = statement(
  'test_jobs_left',
  `select count(*) as count
     from graphile_worker._private_jobs j
     join graphile_worker._private_tasks t on t.id = j.task_id
    where t.identifier = any($1::text[]) and (j.locked_at is not null or (j.is_available and j.run_at <= clock_timestamp()))`,
)

/** Runs the due jobs of these kinds until none is left. It does not run jobs scheduled for later, nor failed jobs that wait for a retry. */
export async function runJobs(api: Pick<TestApi, 'services'>, jobs: readonly Job[] = ofProduct): Promise<TestWorker> {
  const worker = startWorker(api, { jobs })
  try {
    await until('the end of all jobs', async () => {
      const [row] = await api.services.database.search(selectLeft, [jobs.map(({ name }) => name)])
      return Number(row?.count) === 0
    })
    return worker
  } finally {
    await worker.stop()
  }
}

/**
 * Resolves when jobs of the token would end, because the server knows that the token has ended. A server polls for administrative changes twice a second, and a request may
 * look up the token before that.
 */
export async function untilTokenHasEnded(
  services: Services,
  { organizationId, tokenId }: { readonly organizationId: string; readonly tokenId: string },
): Promise<void> {
  const ended = () => whyJobEnded({ tokenId, startedBy: null, scopes: [] }, { organizationId, services })
  await until('the end of the token', async () => (await ended()) !== null)
}
