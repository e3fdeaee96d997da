import type { Facts, Span, SpanStart, Tracer } from './span.ts'

/** Nobody traces until somebody says so; then each of these functions costs one comparison. */
let tracer: Tracer | null = null

/** From now on spans are given to this tracer; null: to nobody. */
export function traceWith(next: Tracer | null): void {
  tracer = next
}

/**
 * Runs the work as a span of that name. Without a `parent` it is one below the span that the caller runs in, and none where that runs
 * in none: what a process does by itself, such as to look after its queue, is not traced.
 */
export function traced<Result>(name: string, start: SpanStart, work: (span: Span | null) => Result): Result {
  const keeper = tracer
  const span = startSpan(name, start)
  if (keeper === null || span === null) return work(null)
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

/** Begins a span that the caller ends; null where nothing is traced. */
export function startSpan(name: string, start: SpanStart): Span | null {
  if (tracer === null) return null
  return start.parent === undefined && tracer.current() === null ? null : tracer.start(name, start)
}

/** The span that the caller runs in. */
export function currentSpan(): Span | null {
  return tracer === null ? null : tracer.current()
}

/** Runs the work in that span, wherever the caller runs. */
export function withinSpan<Result>(span: Span | null, work: () => Result): Result {
  return tracer === null || span === null ? work() : tracer.within(span, work)
}

/** Says more of the span that the caller runs in. */
export function tellSpan(facts: Facts): void {
  currentSpan()?.tell(facts)
}
