import type { Logger } from 'pino'
import { rememberSecret } from '../kernel/index.ts'
import { adviceOnClock, clockDifference, migrate } from '../kernel/sql/index.ts'
import type { Installation } from './installation.ts'

/** From this difference on, times of records and the expiry of tokens are visibly wrong. */
const wrongClockMilliseconds = 60_000

/**
 * Brings the schema up to date for a server. Throws if its secret differs from that of other servers on this database, and warns if the
 * clock is off by a minute or more.
 */
export async function prepareDatabase({ database, secret }: Installation, logger: Logger): Promise<void> {
  await migrate(database)
  await rememberSecret(database, secret)
  const difference = await clockDifference(database)
  if (difference >= wrongClockMilliseconds) logger.warn(adviceOnClock(difference))
}
