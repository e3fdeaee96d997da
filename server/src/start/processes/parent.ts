import cluster, { type Worker } from 'node:cluster'
import { Socket } from 'node:net'
import type { Registry } from 'prom-client'
import type { ConnectionPlace } from '../../entrypoints/http/index.ts'
import { FeedNews } from './feed-news.ts'
import { type Collected, type FromPart, type GivenConnection, isToPart, machineTime, type Stop } from './messages.ts'
import { CountsElsewhere } from './shared-counts.ts'

/** How long the first process may take to answer for all. */
const patienceMilliseconds = 5000

/** How often this process reports that it runs. */
const aliveMilliseconds = 250

/** A connection that waited longer may belong to another process by now: the first process takes connections back after 1.5 s. */
const lateMilliseconds = 1000

/** Resolvers of the messages that the first process sends once. */
interface Told {
  stop(why: Stop): void
  drain(): void
  address(text: string): void
}

/** The link of one of several processes of a server to the process that has started it. */
export class ParentProcess {
  /** Resolves when this process is told to end. */
  readonly stop: Promise<Stop>
  /** Resolves when the server is about to stop, while it still serves. */
  readonly draining: Promise<void>
  /** Resolves when the first process has ended without notice. */
  readonly lost: Promise<void>
  /** Resolves to the address on which the server listens. */
  readonly address: Promise<string>
  /** Counts requests for all processes of the server. */
  readonly counts = new CountsElsewhere(counts => this.#tell({ crm: 'count', counts }))
  /** Tells the other processes of commits, and hears of theirs. */
  readonly feeds = new FeedNews(message => this.#tell(message))
  readonly #worker: Worker
  readonly #asked = new Map<number, (text: string) => void>()
  #registry: Registry | null = null
  #serve: ((connection: Socket, place: ConnectionPlace) => void) | null = null
  #questions = 0
  #alive: NodeJS.Timeout | undefined

  private constructor(worker: Worker) {
    this.#worker = worker
    // A message can fail only when the first process is gone, and then this one ends anyway.
    worker.on('error', () => {})
    this.lost = new Promise(resolve => {
      worker.once('disconnect', () => {
        if (worker.exitedAfterDisconnect) return
        // Otherwise Node.js would end this process at once, before it has stopped the embedded database.
        worker.exitedAfterDisconnect = true
        resolve()
      })
    })
    const told: Told = { stop: () => {}, drain: () => {}, address: () => {} }
    this.stop = new Promise(resolve => (told.stop = resolve))
    this.draining = new Promise(resolve => (told.drain = resolve))
    this.address = new Promise(resolve => (told.address = resolve))
    worker.on('message', (message: unknown, connection: unknown) => {
      if (!isToPart(message)) return
      if (message.crm === 'stop') told.stop(message.why)
      else if (message.crm === 'drain') told.drain()
      else if (message.crm === 'address') told.address(message.address)
      else if (message.crm === 'connection') this.#take(connection, message)
      else if (message.crm === 'counted') this.counts.take(message.values)
      else if (message.crm === 'followed' || message.crm === 'committed') this.feeds.take(message)
      else if (message.crm === 'collect') void this.#tellMetrics(message.id)
      else this.#asked.get(message.id)?.(message.text)
    })
  }

  /** Throws if this process was not started by another one. */
  static ofThisProcess(): ParentProcess {
    if (cluster.worker === undefined) throw new Error('--part is for the processes that serve --processes starts')
    return new ParentProcess(cluster.worker)
  }

  /** From now on this process sends its metrics on request. */
  offer(registry: Registry): void {
    this.#registry = registry
  }

  /** From now on this process serves the connections that are passed to it. */
  takeConnections(serve: (connection: Socket, place: ConnectionPlace) => void): void {
    this.#serve = serve
  }

  ready(): void {
    this.#alive = setInterval(() => this.#tell({ crm: 'alive' }), aliveMilliseconds).unref()
    this.#tell({ crm: 'ready' })
  }

  /** The metrics of all processes of the server. */
  metricsOfAll(): Promise<string> {
    this.#questions += 1
    const id = this.#questions
    return new Promise<string>((resolve, reject) => {
      const late = setTimeout(
        () => reject(new Error('the first process of the server does not answer')),
        patienceMilliseconds,
      )
      this.#asked.set(id, text => {
        clearTimeout(late)
        resolve(text)
      })
      this.#tell({ crm: 'metrics', id })
    }).finally(() => this.#asked.delete(id))
  }

  /** Sends the remaining messages, and lets this process end. */
  async leave(): Promise<void> {
    clearInterval(this.#alive)
    await this.#tellMetrics(0)
    this.#worker.disconnect()
  }

  #take(given: unknown, { connection, exceeded, at }: GivenConnection): void {
    const socket = given instanceof Socket ? given : null
    const isLate = () => machineTime() - at > lateMilliseconds
    if (isLate()) {
      socket?.destroy()
      return this.#tell({ crm: 'late', connection })
    }
    this.#tell({ crm: 'took', connection })
    const leave = () => this.#tell({ crm: 'closed', connection })
    // The client may have left in transit. Or this process may have stalled since its last check, and its messages came too late.
    if (socket === null || this.#serve === null || isLate()) {
      socket?.destroy()
      return leave()
    }
    this.#serve(socket, { exceeded, leave })
  }

  async #tellMetrics(id: number): Promise<void> {
    const metrics = (await this.#registry?.getMetricsAsJSON()) ?? []
    this.#tell({ crm: 'collected', id, metrics: metrics.map(knownValues) })
  }

  #tell(message: FromPart): void {
    this.#worker.send(message)
  }
}

/** Leaves out a value that is not known: it would arrive as null. */
function knownValues(metric: Collected[number]): Collected[number] {
  return { ...metric, values: metric.values.filter(({ value }) => Number.isFinite(value)) }
}
