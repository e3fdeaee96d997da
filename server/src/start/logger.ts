import { type Logger, pino } from 'pino'
import { productVersion } from '../kernel/product/index.ts'
import { currentSpan } from '../kernel/tracing/index.ts'
import type { Config } from './config.ts'

/** The most bytes that wait for a slow or full destination. Above that, lines are dropped. */
const mostUnwritten = 1024 * 1024

/** The most bytes in one write. Several processes can write to one pipe: writes up to this size are not interleaved. */
const mostAtOnce = 4096

/**
 * A logger that writes JSON lines to standard error, each with these facts. It never logs a token, a header, a body, or the row values in a
 * database error.
 */
export function createLogger(facts?: Readonly<Record<string, unknown>>): Logger {
  const destination = pino.destination({ fd: 2, sync: false, maxLength: mostUnwritten, maxWrite: mostAtOnce })
  // A log that nobody reads, or a full disk, must neither end the server nor keep it from ending: at exit the library would retry for ever
  // to write to a closed terminal.
  const flushAtEnd = destination.flushSync.bind(destination)
  destination.on('error', () => {
    destination.flushSync = () => {}
  })
  destination.on('write', () => {
    destination.flushSync = flushAtEnd
  })
  return pino(
    { base: facts, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err: describe }, mixin: traceOf },
    destination,
  )
}

/** Logs the version at start, and warnings about its environment. */
export function announce({ warnings }: Config, logger: Logger): void {
  logger.info(`CRM server ${productVersion} starts, on Node.js ${process.versions.node}`)
  for (const warning of warnings) logger.warn(warning)
}

/** Adds the trace of the current request or job to a line, if traces are sent. */
function traceOf(): Readonly<Record<string, string>> {
  const span = currentSpan()
  return span === null ? {} : { traceId: span.traceId }
}

/** The parts of an error that contain no data. PostgreSQL puts values of rows into `detail` and `where`. */
function describe(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { message: String(error) }
  const code = 'code' in error ? { code: error.code } : {}
  const cause = error.cause === undefined ? {} : { cause: describe(error.cause) }
  return { type: error.name, message: error.message, ...code, stack: error.stack, ...cause }
}
