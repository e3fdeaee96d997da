import { FairSemaphore, type SemaphoreBounds } from '../admission/fair-semaphore.ts'
import type { WhenGone } from '../input/call.ts'
import { bounds } from '../limits/bounds.ts'
import { type Reading, Sandbox, type SandboxProgram } from './sandbox.ts'

/** The organization whose files are read, where private folders are created, and how to learn that nobody waits any more. */
interface Waiting {
  readonly organizationId: string
  readonly spool: { open(): Promise<string> }
  readonly whenGone: WhenGone
}

/** Reads one file: see `Sandbox.run`. */
export type ReadFile = (reading: Reading) => Promise<unknown>

/** How long a process waits for a further file of its organization. */
const idleMilliseconds = 5000

/** Which semaphore a caller waits for: jobs do not wait behind requests, nor requests behind jobs. */
export type Queue = 'jobs' | 'requests'

/**
 * The sandboxes of a process, with a fair semaphore for each queue: round robin over organizations. After a file, a sandbox stays for a
 * moment for the next file of the same organization.
 */
export class Sandboxes {
  readonly #semaphores: Readonly<Record<Queue, FairSemaphore>>
  readonly #most: number
  /** The idle sandboxes, by organization; the least recently used first. */
  readonly #idle = new Map<string, Sandbox>()
  #working = 0

  constructor(queues: Readonly<Record<Queue, Omit<SemaphoreBounds, 'perKey'>>>) {
    const semaphore = (queue: Queue) => new FairSemaphore({ ...queues[queue], perKey: bounds.organizationReaders.most })
    this.#semaphores = { jobs: semaphore('jobs'), requests: semaphore('requests') }
    this.#most = queues.jobs.places + queues.requests.places
  }

  /**
   * Waits for the organization's turn, and runs `work` with a function that reads files. Throws `Overloaded` if no slot became free in
   * time, `ClientGone` when nobody waits any more, and the errors of the work.
   */
  async run<Result>(
    queue: Queue,
    { organizationId, spool, whenGone }: Waiting,
    work: (read: ReadFile) => Promise<Result>,
  ): Promise<Result> {
    const leave = await this.#semaphores[queue].enter(organizationId, whenGone)
    this.#working += 1
    try {
      return await work(async reading => {
        const sandbox = await this.#take(organizationId, reading.program, spool)
        try {
          return await sandbox.run(reading, whenGone)
        } finally {
          this.#keep(sandbox)
        }
      })
    } finally {
      this.#working -= 1
      leave()
    }
  }

  /** The idle sandbox of the organization, if it runs the program; else a new one. */
  async #take(organizationId: string, program: SandboxProgram, spool: Waiting['spool']): Promise<Sandbox> {
    const own = this.#idle.get(organizationId)
    this.#idle.delete(organizationId)
    if (own !== undefined && !own.isOver && own.program === program) return own
    await own?.end()
    const [oldest] = this.#idle.values()
    if (oldest !== undefined && this.#idle.size + this.#working > this.#most) await this.#end(oldest)
    return new Sandbox(organizationId, program, await spool.open())
  }

  #keep(sandbox: Sandbox): void {
    if (sandbox.isOver) return
    // The other queue may have returned a sandbox meanwhile.
    void this.#idle.get(sandbox.organizationId)?.end()
    this.#idle.set(sandbox.organizationId, sandbox)
    setTimeout(() => void this.#end(sandbox), idleMilliseconds).unref()
  }

  async #end(sandbox: Sandbox): Promise<void> {
    if (this.#idle.get(sandbox.organizationId) !== sandbox) return
    this.#idle.delete(sandbox.organizationId)
    await sandbox.end()
  }
}
