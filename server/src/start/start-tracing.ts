import type { Logger } from 'pino'
import { Throttle } from '../kernel/limits/index.ts'
import { traceWith } from '../kernel/tracing/index.ts'
import type { Config } from './config.ts'

/** How often it is said that traces cannot be sent. */
const everyMilliseconds = 60_000

/** Sends traces if the operator has said where to; returns how to stop it. Only then are the packages loaded that this takes. */
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
