import { type Logger, pino } from 'pino'

/** JSON lines on standard error; never a token, a header or a body. */
export function createLogger(): Logger {
  return pino({ base: undefined, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination({ fd: 2, sync: false }))
}
