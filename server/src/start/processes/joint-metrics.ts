import { setTimeout as sleep } from 'node:timers/promises'
import { AggregatorRegistry, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Child } from './child.ts'
import type { Collected, FromPart } from './messages.ts'

/** For a process that does not answer within this time, such as one that hangs, its last values are used. */
const patienceMilliseconds = 2000

/** Kinds of metrics that only grow. The values of ended processes stay in the sum: if it fell, the server would seem to have restarted. */
const growing = new Set<string>(['counter', 'histogram', 'summary'])

interface Collection {
  readonly missing: Set<Child>
  readonly complete: () => void
}

/** The metrics of a server of several processes: the sum over all of them, including ended ones. */
export class JointMetrics {
  readonly #children: () => Iterable<Child>
  readonly #onFailure: (error: unknown) => void
  readonly #own = new Registry()
  readonly #last = new Map<Child, Collected>()
  readonly #collections = new Map<number, Collection>()
  #ended: Promise<Collected> = Promise.resolve([])
  #collected = 0

  constructor(children: () => Iterable<Child>, onFailure: (error: unknown) => void) {
    this.#children = children
    this.#onFailure = onFailure
    collectDefaultMetrics({ register: this.#own })
    new Gauge({
      name: 'crm_processes',
      help: 'Processes of the server that do their work and do not stand still, by role.',
      labelNames: ['role'],
      registers: [this.#own],
      collect() {
        for (const role of ['api', 'worker']) this.set({ role }, 0)
        for (const { role, isReady, isStandingStill } of children()) if (isReady && !isStandingStill) this.inc({ role })
      },
    })
  }

  /** The sum of all, in the format of Prometheus. */
  async #text(): Promise<string> {
    await this.#collect()
    const own = await this.#own.getMetricsAsJSON()
    const ended = await this.#ended
    const all = [own, ended, ...this.#last.values()]
    return AggregatorRegistry.aggregate(all).metrics()
  }

  /** Handles a process's metrics, and answers a process that requests those of all. */
  take(child: Child, message: FromPart): void {
    if (message.crm === 'collected') {
      this.#last.set(child, message.metrics)
      this.#answered(child, message.id)
    } else if (message.crm === 'metrics') {
      const { id } = message
      this.#text().then(text => child.tell({ crm: 'metrics', id, text }), this.#onFailure)
    }
  }

  /** Handles the end of a process, and keeps its metrics that only grow. */
  forget(child: Child): void {
    for (const id of this.#collections.keys()) this.#answered(child, id)
    const last = this.#last.get(child)?.filter(metric => growing.has(String(metric.type)))
    this.#last.delete(child)
    if (last === undefined) return
    this.#ended = this.#ended.then(ended => AggregatorRegistry.aggregate([ended, last]).getMetricsAsJSON())
  }

  async #collect(): Promise<void> {
    this.#collected += 1
    const id = this.#collected
    const asked = [...this.#children()].filter(child => child.isReady && !child.isStandingStill)
    const answers = new Promise<void>(resolve => {
      this.#collections.set(id, { missing: new Set(asked), complete: resolve })
    })
    const late = new AbortController()
    for (const child of asked) child.tell({ crm: 'collect', id })
    if (asked.length > 0)
      await Promise.race([answers, sleep(patienceMilliseconds, undefined, { signal: late.signal }).catch(() => {})])
    late.abort()
    this.#collections.delete(id)
  }

  #answered(child: Child, id: number): void {
    const collection = this.#collections.get(id)
    collection?.missing.delete(child)
    if (collection?.missing.size === 0) collection.complete()
  }
}
