/** The attributes of a span: ids of the installation, names from the code, and numbers. Never content from a client or a record. */
export type Facts = Readonly<Record<string, string | number | boolean | string[]>>

/** A unit of work in a trace. */
export interface Span {
  /** Equal for all spans of one request. */
  readonly traceId: string
  /** Whether the span is recorded; others are dropped. */
  readonly isRecorded: boolean
  tell(facts: Facts): void
  /** Links this span to another one, which is not its child. */
  leadTo(other: Span): void
  /** Ends the span, with the error if it has failed. */
  end(...failure: readonly unknown[]): void
}

/** How a span starts. */
export interface SpanStart {
  readonly facts?: Facts
  /** `server`: a request, `consumer`: a job, `client`: a call of another system. */
  readonly kind?: 'server' | 'consumer' | 'client'
  /** The parent span, instead of the current one. null: none; a text: the `traceparent` of a client. */
  readonly parent?: Span | string | null
}

/** The implementation that records spans. */
export interface Tracer {
  start(name: string, start: SpanStart): Span
  /** The span in which the caller runs. */
  current(): Span | null
  /** Runs the work in a span. */
  within<Result>(span: Span, work: () => Result): Result
}
