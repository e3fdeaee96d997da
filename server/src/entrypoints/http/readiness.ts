import { Gauge, type Registry } from 'prom-client'
import type { Services } from '../../kernel/index.ts'
import { type Database, pendingMigrations, statement } from '../../kernel/sql/index.ts'

const selectOne = statement('select_one', 'select 1 as one')

type Needed = Pick<Services, 'database' | 'diskSpace' | 'counters'>

/** Whether everything that requests depend on is available. */
export interface Readiness {
  readonly database: 'ok' | 'full' | 'unreachable'
  readonly rateLimiter: 'ok' | 'unreachable'
}

/** Checks the database and the counters. */
export async function readinessOf(services: Needed): Promise<Readiness> {
  const database = await stateOfDatabase(services)
  return { database, rateLimiter: (await services.counters.isReady()) ? 'ok' : 'unreachable' }
}

async function stateOfDatabase({ database, diskSpace }: Needed): Promise<Readiness['database']> {
  try {
    await database.query(selectOne, [])
    return (await diskSpace.isFull()) ? 'full' : 'ok'
  } catch {
    return 'unreachable'
  }
}

/** The same as metrics, and what the database lacks for this release. */
export function addReadinessMetrics(database: Database, readiness: () => Promise<Readiness>, registry: Registry): void {
  const registers = [registry]
  new Gauge({
    name: 'crm_ready',
    help: 'Whether the server has what requests need, by part: 1 or 0.',
    labelNames: ['part'],
    registers,
    aggregator: 'min',
    async collect() {
      const now = await readiness()
      this.set({ part: 'database' }, now.database === 'unreachable' ? 0 : 1)
      this.set({ part: 'disk' }, now.database === 'full' ? 0 : 1)
      this.set({ part: 'rate_limiter' }, now.rateLimiter === 'ok' ? 1 : 0)
    },
  })
  new Gauge({
    name: 'crm_migrations_pending',
    help: 'Migrations of this release that the database lacks; NaN if it cannot be asked.',
    registers,
    aggregator: 'max',
    async collect() {
      const isThere = (await readiness()).database !== 'unreachable'
      const pending = isThere ? await pendingMigrations(database).catch(() => null) : null
      this.set(pending?.length ?? Number.NaN)
    },
  })
}
