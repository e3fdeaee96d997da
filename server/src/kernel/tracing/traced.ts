import type { Facts, Span, SpanStart, Tracer } from './span.ts'

/** Tracing is off by default; each of these functions then costs one comparison. */
let tracer: Tracer | null = null

/** Sets the tracer that receives spans; null turns tracing off. */
export function traceWith(next: Tracer | null): void {
  tracer = next
}

/**
 * Runs the work as a span of that name. Without a `parent` it is a child of the current span, and if there is none, there is no span: work
 * that a process does by itself, such as polling its queue, is not traced.
 */
export function traced<Result>(name: string, start: SpanStart, work: (span: Span | null) => Result): Result {
  const keeper = tracer
  if (keeper === null) return work(null)
  const span = startSpan(name, start)
  if (span === null) return work(null)
  try {
    const result = keeper.within(span, () => work(span))
    if (result instanceof Promise) {
      result.then(
        () => span.end(),
        error => span.end(error),
      )
    } else span.end()
    return result
  } catch (error) {
    span.end(error)
    throw error
  }
}

/** Starts a span that the caller ends; null if tracing is off. */
export function startSpan(name: string, start: SpanStart): Span | null {
  if (tracer === null) return null
  return start.parent === undefined && tracer.current() === null ? null : tracer.start(name, start)
}

/** The current span. */
export function currentSpan(): Span | null {
  return tracer === null ? null : tracer.current()
}

/** Runs the work in that span, whatever the current span is. */
export function withinSpan<Result>(span: Span | null, work: () => Result): Result {
  return tracer === null || span === null ? work() : tracer.within(span, work)
}

/** Adds attributes to the current span. */
export function tellSpan(facts: Facts): void {
  currentSpan()?.tell(facts)
}
