import type { Logger } from 'pino'
import { Child, lookMilliseconds, type PartRole } from './child.ts'
import type { FromPart, Stop } from './messages.ts'
import { RestartBackoff } from './restart-backoff.ts'

/** The slot of one process; when it ends, another one takes the slot. */
interface Place {
  readonly role: PartRole
  readonly pause: RestartBackoff
  child: Child
}

interface Options {
  readonly roles: readonly PartRole[]
  readonly logger: Logger
  onMessage(child: Child, message: FromPart): void
  /** Called before a process is told to end, and when it has ended. */
  onLeave(child: Child): void
  onEnd(child: Child): void
  /** Called after each check for stalled processes. */
  onLook(): void
}

/** The processes of a server. If one ends, another one is started, until all are told to end. */
export class Children {
  /** Resolves to the reason when no process stays alive despite restarts. */
  readonly exhausted: Promise<string>
  readonly #options: Options
  readonly #all = new Set<Child>()
  #places: readonly Place[] = []
  #isStopping = false
  #isRestarting = false
  #exhaust: (reason: string) => void = () => {}

  constructor(options: Options) {
    this.#options = options
    setInterval(() => this.#look(), lookMilliseconds).unref()
    this.exhausted = new Promise(resolve => {
      this.#exhaust = resolve
    })
  }

  /** The live processes, including those that are starting or ending. */
  get alive(): Iterable<Child> {
    return this.#all
  }

  /** Starts all processes; resolves when all do their work, and throws if one ends before that. */
  async start(): Promise<void> {
    const begun = this.#options.roles.map(role => ({ role, pause: new RestartBackoff(), child: this.#begin(role) }))
    for (const { child } of begun) {
      if (await child.begun) continue
      const { status, signal } = await child.ended
      throw new Error(`A process of the server ended before it was ready, with ${signal ?? `status ${status}`}.`)
    }
    this.#places = begun
    for (const place of begun) this.#keep(place)
  }

  /**
   * Replaces the processes, one after another. A process that answers requests goes on until the new one does; then it ends without failing
   * a request. Work on jobs ends before it begins elsewhere: with the embedded database, the new process takes over all jobs that were
   * left.
   */
  async restart(): Promise<void> {
    const { logger } = this.#options
    if (this.#isRestarting) return logger.warn('the processes are being replaced already')
    this.#isRestarting = true
    logger.info('replacing each process of the server')
    for (const place of this.#places) {
      if (place.role === 'worker') await this.#dismiss(place.child, 'stop')
      // The server may have been told to end meanwhile, and nothing would end a process that is started now.
      if (this.#isStopping) break
      const next = this.#begin(place.role)
      if (place.role === 'worker') this.#put(place, next)
      if (await next.begun) {
        const former = place.child
        if (former === next) continue
        this.#put(place, next)
        await this.#dismiss(former, 'hand over')
      } else {
        logger.error({ ended: next.pid }, 'a new process did not start: those that are not replaced yet stay')
        break
      }
    }
    this.#isRestarting = false
    logger.info('the replacement of processes has ended')
  }

  /**
   * Makes the processes that answer requests report that the server is stopping, while they serve on, and ends work on jobs. No process is
   * started any more.
   */
  drain(): void {
    this.#isStopping = true
    for (const child of this.#all) {
      if (child.role === 'worker') void this.#dismiss(child, 'stop')
      else void child.begun.then(begun => begun && child.tell({ crm: 'drain' }))
    }
  }

  /** Tells all processes to end, and resolves when they have. */
  async stop(why: Stop): Promise<void> {
    this.#isStopping = true
    await Promise.all([...this.#all].map(child => this.#dismiss(child, why)))
  }

  #look(): void {
    for (const child of this.#all) {
      if (!child.look()) continue
      const facts = { pid: child.pid, role: child.role }
      if (child.isStandingStill) this.#options.logger.error(facts, 'a process of the server stands still')
      else this.#options.logger.info(facts, 'a process of the server that stood still runs again')
    }
    this.#options.onLook()
  }

  #dismiss(child: Child, why: Stop): Promise<void> {
    this.#options.onLeave(child)
    return child.dismiss(why)
  }

  #begin(role: PartRole): Child {
    const child: Child = new Child(role, message => this.#options.onMessage(child, message))
    this.#all.add(child)
    void child.ended.then(() => {
      this.#all.delete(child)
      this.#options.onLeave(child)
      this.#options.onEnd(child)
    })
    return child
  }

  #put(place: Place, child: Child): void {
    place.child = child
    this.#keep(place)
  }

  /** Starts another process when this one has ended, unless it was told to end or its slot was given to another one. */
  #keep(place: Place): void {
    const { child, pause } = place
    void child.ended.then(({ status, signal }) => {
      if (child.isDismissed || this.#isStopping || place.child !== child) return
      const milliseconds = pause.after(child.livedMilliseconds)
      const facts = { ended: child.pid, role: child.role, status, signal, pauseMilliseconds: milliseconds }
      this.#options.logger.error(facts, 'a process of the server ended, and is started again')
      const isAnyReady = this.#places.some(each => each.role === 'api' && each.child.isReady)
      if (pause.isInVain && !isAnyReady) this.#exhaust('its processes end as often as they are started')
      setTimeout(() => {
        if (!this.#isStopping && place.child === child) this.#put(place, this.#begin(place.role))
      }, milliseconds).unref()
    })
  }
}
