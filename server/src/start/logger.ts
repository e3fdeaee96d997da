import { type Logger, pino } from 'pino'
import { productVersion } from '../kernel/product/index.ts'
import { currentSpan } from '../kernel/tracing/index.ts'
import type { Config } from './config.ts'

/** The most bytes that wait for a slow or full destination. Above that, lines are lost. */
const mostUnwritten = 1024 * 1024

/** The most bytes that are written at once. Several processes can write to one pipe: of up to so many none are mixed with others. */
const mostAtOnce = 4096

/**
 * A logger that writes JSON lines to standard error, each with these facts. It never logs a token, a header, a body, or what a database
 * error says about a row.
 */
export function createLogger(facts?: Readonly<Record<string, unknown>>): Logger {
  const destination = pino.destination({ fd: 2, sync: false, maxLength: mostUnwritten, maxWrite: mostAtOnce })
  // A log that nobody reads, or a full disk, must not end the server, and not keep it from ending: before the end the library would
  // try for ever to write to a terminal that is closed.
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

/** Logs which version starts, and what is strange about its environment. */
export function announce({ warnings }: Config, logger: Logger): void {
  logger.info(`CRM server ${productVersion} starts, on Node.js ${process.versions.node}`)
  for (const warning of warnings) logger.warn(warning)
}

/** Leads from a line to the trace of the request or job that it is about, where traces are sent. */
function traceOf(): Readonly<Record<string, string>> {
  const span = currentSpan()
  return span === null ? {} : { traceId: span.traceId }
}

/** The parts of an error that hold no data. PostgreSQL puts values of rows into `detail` and `where`. */
function describe(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { message: String(error) }
  const code = 'code' in error ? { code: error.code } : {}
  const cause = error.cause === undefined ? {} : { cause: describe(error.cause) }
  return { type: error.name, message: error.message, ...code, stack: error.stack, ...cause }
}
