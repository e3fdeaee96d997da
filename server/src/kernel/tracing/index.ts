export type { Facts, Span, SpanStart, Tracer } from './span.ts'
export { currentSpan, startSpan, tellSpan, traced, traceWith, withinSpan } from './traced.ts'
