import type { Services } from '../../../kernel/index.ts'
import {
  type FoundJob,
  findJobs,
  type Job,
  type JobProgress,
  type QueuedJob,
  secondsLeft,
} from '../../../kernel/jobs/index.ts'
import { jobs as ofProduct } from '../../../modules.ts'

/** A job as commands show it. One that is not in the queue any more has ended. */
export interface ShownJob extends Omit<QueuedJob, 'state'> {
  readonly state: QueuedJob['state'] | 'ended'
  /** What its record tells; null if its kind keeps none. */
  readonly progress: (JobProgress & { readonly secondsLeft: number | null }) | null
}

/** Finds jobs in the queue, and asks their records how far they have come. */
export class JobReader {
  readonly services: Services
  readonly #jobs: readonly Job[]

  constructor(services: Services, jobs = ofProduct) {
    this.services = services
    this.#jobs = jobs
  }

  /** The job of this id. Throws a reason where there is none, or where several kinds have one. */
  async find(id: string): Promise<FoundJob> {
    const [found, other] = await findJobs(this.services.database, { id })
    if (found === undefined) throw new Error(`no job ${id} is in the queue: it has ended, or there never was one`)
    if (other !== undefined) throw new Error(`several jobs are called ${id}: ${found.job}, ${other.job}`)
    return found
  }

  /** The job as it is now. */
  async read(known: FoundJob): Promise<ShownJob> {
    const now = (await findJobs(this.services.database, { id: known.id })).find(({ job }) => job === known.job)
    const { rowId: _, payload: __, ...job } = now ?? known
    return { ...job, state: now?.state ?? 'ended', progress: await this.#progressOf(known) }
  }

  /** How its kind was declared; undefined for the upkeep, and for kinds of another version. */
  kindOf({ job }: Pick<FoundJob, 'job'>): Job | undefined {
    return this.#jobs.find(({ name }) => name === job)
  }

  async #progressOf(found: FoundJob): Promise<ShownJob['progress']> {
    const { organizationId, payload } = found
    if (organizationId === null) return null
    const progress = await this.kindOf(found)?.progress?.(payload, { organizationId, services: this.services })
    return progress ? { ...progress, secondsLeft: secondsLeft(progress, this.services.clock.now()) } : null
  }
}
