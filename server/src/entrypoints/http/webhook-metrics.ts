import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { Services } from '../../kernel/index.ts'
import type { DeliveryObserver } from '../../webhooks/observer.ts'
import { summarizeWebhooks, type WebhookSummary } from '../../webhooks/summary.ts'
import type { Readiness } from './readiness.ts'
import { sharedRead } from './shared-read.ts'

/**
 * Exports how all webhooks of the installation stand, which all processes report alike. Returns the observer of the calls that this process
 * makes. No label names a webhook: an installation can have many.
 */
export function addWebhookMetrics(
  { database, clock, retention }: Pick<Services, 'database' | 'clock' | 'retention'>,
  readiness: () => Promise<Readiness>,
  registry: Registry,
): DeliveryObserver {
  const registers = [registry]
  const read = sharedRead(async () =>
    (await readiness()).database === 'unreachable'
      ? null
      : summarizeWebhooks(database, clock.now(), retention.changes).catch(() => null),
  )
  for (const [name, help, member] of gauges)
    new Gauge({
      name,
      help: `${help}; NaN if the database cannot be asked.`,
      registers,
      aggregator: 'first',
      async collect() {
        this.set((await read())?.[member] ?? Number.NaN)
      },
    })
  const attempts = new Counter({
    name: 'crm_webhook_attempts_total',
    help: 'Calls of receivers of webhooks that this process made, by outcome.',
    labelNames: ['outcome'],
    registers,
  })
  for (const outcome of ['delivered', 'refused', 'unanswered']) attempts.inc({ outcome }, 0)
  const seconds = new Histogram({
    name: 'crm_webhook_attempt_seconds',
    help: 'Time of these calls.',
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
    registers,
  })
  const lag = new Histogram({
    name: 'crm_webhook_lag_seconds',
    help: 'Time from the commit of an event to the call of this process that delivered it, without replays.',
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 3600, 86_400],
    registers,
  })
  const underWay = new Gauge({
    name: 'crm_webhook_in_flight',
    help: 'Calls of receivers of webhooks that this process has under way.',
    registers,
  })
  return {
    onCall({ outcome, seconds: took, lagSeconds }) {
      attempts.inc({ outcome })
      seconds.observe(took)
      if (lagSeconds !== null) lag.observe(lagSeconds)
    },
    onUnderWay: count => underWay.set(count),
  }
}

const gauges: readonly (readonly [name: string, help: string, member: keyof WebhookSummary])[] = [
  ['crm_webhooks_held', 'Webhooks whose deliveries wait for the receiver or for a right', 'held'],
  ['crm_webhooks_paused', 'Webhooks that the server has paused because of their receiver', 'paused'],
  ['crm_webhooks_expiring', 'Webhooks whose oldest unsent event leaves the feed within five days', 'expiring'],
  ['crm_webhooks_parked_events', 'Events that wait for another attempt', 'parkedEvents'],
  ['crm_webhook_lag_events', 'The most events that an active webhook is behind its feed', 'lagEvents'],
  ['crm_webhook_oldest_event_seconds', 'How long the oldest event of an active webhook has waited', 'oldestSeconds'],
]
