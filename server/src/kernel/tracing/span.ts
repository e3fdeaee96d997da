/** What is told of a span: ids of the installation, names of the code, and numbers. Never what a client or a record says. */
export type Facts = Readonly<Record<string, string | number | boolean | string[]>>

/** A piece of work, as somebody sees it who follows a request. */
export interface Span {
  /** The same for all spans that one request has led to. */
  readonly traceId: string
  /** Whether it is kept; of the others, nothing will be seen. */
  readonly isRecorded: boolean
  tell(facts: Facts): void
  /** Leads a reader from this span to another one, which is not below it. */
  leadTo(other: Span): void
  /** Ends it, with what was thrown if it has failed. */
  end(...failure: readonly unknown[]): void
}

/** How a span begins. */
export interface SpanStart {
  readonly facts?: Facts
  /** `server`: a request, `consumer`: a job, `client`: a question to another system. */
  readonly kind?: 'server' | 'consumer' | 'client'
  /** The span above it, instead of the one that this work runs in. null: none; a text: the `traceparent` of a client. */
  readonly parent?: Span | string | null
}

/** What keeps spans. */
export interface Tracer {
  start(name: string, start: SpanStart): Span
  /** The span in which the caller runs. */
  current(): Span | null
  /** Runs the work in a span. */
  within<Result>(span: Span, work: () => Result): Result
}
