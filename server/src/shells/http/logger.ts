import { type Logger, pino } from 'pino'

/** Bytes that wait for a slow or full destination; beyond them lines are lost. */
const mostUnwritten = 1024 * 1024

/** JSON lines on standard error; never a token, a header, a body, or what a database error says of a row. */
export function createLogger(): Logger {
  const destination = pino.destination({ fd: 2, sync: false, maxLength: mostUnwritten })
  // A log that nobody reads, or that fills its disk, does not end a server.
  destination.on('error', () => {})
  return pino(
    { base: undefined, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err: describe } },
    destination,
  )
}

/** The parts of an error that help and hold no data: PostgreSQL puts values of rows into `detail` and `where`. */
function describe(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { message: String(error) }
  const code = 'code' in error ? { code: error.code } : {}
  const cause = error.cause === undefined ? {} : { cause: describe(error.cause) }
  return { type: error.name, message: error.message, ...code, stack: error.stack, ...cause }
}
