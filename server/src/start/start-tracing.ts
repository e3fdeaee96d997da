import type { Logger } from 'pino'
import { Throttle } from '../kernel/limits/index.ts'
import { traceWith } from '../kernel/tracing/index.ts'
import type { Config } from './config.ts'

/** How often the log reports that traces cannot be sent. */
const everyMilliseconds = 60_000

/** Sends traces if the operator has configured a receiver; returns a function that stops this. The packages for it are loaded only then. */
export async function startTracing({ traces }: Config, logger: Logger): Promise<() => Promise<void>> {
  if (traces === undefined) return async () => {}
  const { startTelemetry } = await import('./open-telemetry.ts').catch((error: unknown) => {
    throw new Error('traces need the optional packages @opentelemetry/*, which are not installed', { cause: error })
  })
  const lately = new Throttle(everyMilliseconds, 1)
  const { tracer, end } = await startTelemetry(traces, reason => {
    void lately.do('traces', performance.now(), async () => logger.warn({ reason }, 'traces could not be sent'))
  })
  traceWith(tracer)
  return async () => {
    traceWith(null)
    await end()
  }
}
