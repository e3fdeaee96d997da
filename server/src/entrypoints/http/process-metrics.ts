import { getHeapStatistics } from 'node:v8'
import { Counter, collectDefaultMetrics, Gauge, type Registry } from 'prom-client'
import { productVersion } from '../../kernel/product/index.ts'
import type { Database } from '../../kernel/sql/index.ts'

/** How often the delay of the event loop is measured. Each measurement wakes the process, even when it is idle. */
const lagMilliseconds = 20

/** The metrics of Node.js, of the process, and of its connections to the database. */
export function addProcessMetrics(database: Database, registry: Registry): void {
  const registers = [registry]
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: lagMilliseconds })
  new Gauge({
    name: 'crm_build_info',
    help: 'The version of the server: always 1.',
    labelNames: ['version'],
    registers,
    aggregator: 'max',
  }).set({ version: productVersion }, 1)
  new Gauge({
    name: 'crm_heap_limit_bytes',
    help: 'How large the heap of Node.js may become before the process ends.',
    registers,
    collect() {
      this.set(getHeapStatistics().heap_size_limit)
    },
  })
  new Gauge({
    name: 'crm_database_connections',
    help: 'Connections of the pools, by pool and state.',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      for (const { pool, total, idle, waiting } of database.usage()) {
        this.set({ pool, state: 'busy' }, total - idle)
        this.set({ pool, state: 'idle' }, idle)
        this.set({ pool, state: 'waiting' }, waiting)
      }
    },
  })
  new Counter({
    name: 'crm_connections_given_up_total',
    help: 'Connections to the database that were closed because an answer did not come in time.',
    registers,
    collect() {
      this.reset()
      this.inc(database.givenUp)
    },
  })
}
