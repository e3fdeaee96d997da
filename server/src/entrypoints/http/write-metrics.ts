import { Counter, Histogram, type Registry } from 'prom-client'
import { aloneReasons, type Services } from '../../kernel/index.ts'

/** The metrics of the group queues in which the writes of an organization wait for each other (docs/adr/0016). */
export function addWriteMetrics({ groupQueues }: Pick<Services, 'groupQueues'>, registry: Registry): void {
  const registers = [registry]
  const sizes = new Histogram({
    name: 'crm_write_group_requests',
    help: 'Writes of an organization that ran in one transaction, by group.',
    buckets: [1, 2, 4, 8, 16, 32, 64],
    registers,
  })
  const failed = new Counter({
    name: 'crm_write_groups_failed_total',
    help: 'Groups of writes that came to nothing, and were run again in halves.',
    registers,
  })
  const waits = new Histogram({
    name: 'crm_write_lane_seconds',
    help: 'Time that a write waits for its group to begin.',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 3],
    registers,
  })
  const alone = new Counter({
    name: 'crm_writes_alone_total',
    help: 'Writes that shared no transaction with others, by reason.',
    labelNames: ['reason'],
    registers,
  })
  for (const reason of aloneReasons) alone.inc({ reason }, 0)
  groupQueues.observer = {
    onGroup(size, hasFailed) {
      sizes.observe(size)
      if (hasFailed) failed.inc()
    },
    onStart: seconds => waits.observe(seconds),
    onAlone: reason => alone.inc({ reason }),
  }
}
