import type { Logger } from 'pino'
import type { Services } from '../../kernel/index.ts'
import { type EndedAttempt, Worker } from '../../kernel/jobs/index.ts'
import type { OutboundOptions } from '../../kernel/outbound/index.ts'
import { productVersion } from '../../kernel/product/index.ts'
import { jobs, upkeep } from '../../modules.ts'
import { Delivery } from '../../webhooks/index.ts'
import type { DeliveryObserver } from '../../webhooks/observer.ts'

interface Surroundings {
  readonly services: Services
  readonly logger: Logger
  /** Whether this process is the only one that uses the database. */
  readonly isAlone: boolean
  /** Where receivers of webhooks may be. */
  readonly outbound: OutboundOptions
  /** Called after each attempt, for the metrics. */
  onEnd(ended: EndedAttempt): void
  /** Told of the calls of receivers. */
  readonly observer: DeliveryObserver
}

/** Works on the jobs of the installation and delivers its webhooks until it is stopped. */
export async function startWorker({
  services,
  logger,
  isAlone,
  outbound,
  onEnd,
  observer,
}: Surroundings): Promise<{ stop(): Promise<void> }> {
  const worker = new Worker({
    services,
    jobs,
    upkeep,
    isAlone,
    version: productVersion,
    listener: {
      onEnd(ended) {
        onEnd(ended)
        const { error, outcome, seconds: _, ...facts } = ended
        if (outcome === 'failed') logger.error({ err: error, ...facts }, 'a job failed')
      },
      onFailure: (error, what) => logger.error({ err: error, what }, 'the worker has failed, and tries again'),
      onFreed: count => logger.warn({ jobs: count }, 'freed the jobs of a worker that was silent'),
      onUpkeep({ removed, skipped }) {
        const isNothing = skipped.length === 0 && Object.values(removed).every(count => count === 0)
        if (!isNothing) logger.info({ ...removed, skipped }, 'removed what has grown old')
      },
    },
  })
  const delivery = new Delivery({
    services,
    outbound,
    observer,
    onFailure: error => logger.error({ err: error }, 'the delivery of webhooks has failed, and tries again'),
    onPause: paused => logger.warn(paused, 'paused a webhook because of its receiver'),
    onExpiring: expiring => logger.warn(expiring, 'unsent events of a webhook leave the feed within five days'),
  })
  worker.start()
  delivery.start()
  return {
    async stop() {
      await Promise.all([worker.stop(), delivery.stop()])
    },
  }
}
