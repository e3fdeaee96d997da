import type { Retention } from '../../../kernel/limits/index.ts'
import { type Database, statement } from '../../../kernel/sql/index.ts'
import { summarizeWebhooks } from '../../../webhooks/summary.ts'

const selectPositions = statement(
  'doctor_webhook_positions',
  `select to_regclass('webhook_positions') is not null as known`,
)

/** How long an event may wait to be sent to a receiver that is well. After that, no process delivers, or receivers are slow. */
const longestLagSeconds = 300

/** Reports how deliveries of webhooks stand. A receiver that is down is no fault of the installation, but deliveries that are late are, and so are events that are about to be missed. */
export async function examineWebhooks(database: Database, { changes }: Pick<Retention, 'changes'>): Promise<string> {
  const [table] = await database.search(selectPositions, [])
  if (table?.known !== true) return 'none yet'
  const summary = await summarizeWebhooks(database, Date.now(), changes)
  const { active, held, paused, expiring, parkedEvents, lagEvents, oldestSeconds } = summary
  const lag = `${lagEvents} events behind at most, the oldest for ${Math.round(oldestSeconds)} s`
  const state = `${active} active, ${lag}; ${held} held, ${paused} paused by the server; ${parkedEvents} parked events`
  if (oldestSeconds > longestLagSeconds) throw new Error(`${state}: see that a worker delivers them`)
  if (expiring > 0)
    throw new Error(`${state}: ${expiring} will miss events within 5 days: see "eventsKeptUntil" in webhook show`)
  return state
}
