import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Span as Kept,
  type Tracer as Library,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { parseTraceParent, setGlobalErrorHandler } from '@opentelemetry/core'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { productVersion } from '../kernel/product/index.ts'
import type { Facts, Span, SpanStart, Tracer } from '../kernel/tracing/index.ts'
import type { TraceForm } from './tracing-config.ts'

/** A tracer that sends spans to a collector, and how to end it. */
export interface Telemetry {
  readonly tracer: Tracer
  /** Sends the remaining spans; resolves when they were accepted, or after `OTEL_EXPORTER_OTLP_TIMEOUT`. */
  end(): Promise<void>
}

/** Starts to send traces, as the variables `OTEL_*` specify. If spans cannot be sent, calls `onFailure` with the kind of the error. */
export async function startTelemetry(form: TraceForm, onFailure: (reason: string) => void): Promise<Telemetry> {
  // The message of the error can quote an address with a password.
  const fail = (error: unknown) => onFailure(kindOf(error))
  setGlobalErrorHandler(fail)
  const version = productVersion
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'crm-server', 'service.version': version }))
    .merge(detectResources({ detectors: [envDetector] }))
  const provider = new BasicTracerProvider({
    resource,
    spanProcessors: [new BatchSpanProcessor(await exporterFor(form))],
  })
  return {
    tracer: new OpenTelemetry(provider.getTracer('crm-server', version)),
    end: () => provider.shutdown().catch(fail),
  }
}

async function exporterFor(form: TraceForm) {
  const { OTLPTraceExporter } =
    form === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto')
  return new OTLPTraceExporter()
}

const kinds = { server: SpanKind.SERVER, consumer: SpanKind.CONSUMER, client: SpanKind.CLIENT }

class OpenTelemetry implements Tracer {
  readonly #library: Library
  readonly #running = new AsyncLocalStorage<OpenTelemetrySpan>()

  constructor(library: Library) {
    this.#library = library
  }

  start(name: string, { facts, kind, parent }: SpanStart): Span {
    const above = parent === undefined ? this.current() : parent
    const attributes = facts === undefined ? {} : { attributes: { ...facts } }
    const options = { ...attributes, kind: kind === undefined ? SpanKind.INTERNAL : kinds[kind] }
    return new OpenTelemetrySpan(this.#library.startSpan(name, options, contextBelow(above)))
  }

  current(): Span | null {
    return this.#running.getStore() ?? null
  }

  within<Result>(span: Span, work: () => Result): Result {
    return span instanceof OpenTelemetrySpan ? this.#running.run(span, work) : work()
  }
}

/** The context of a new span with this parent. A client's `tracestate` is dropped: it could contain anything. */
function contextBelow(parent: Span | string | null) {
  if (parent instanceof OpenTelemetrySpan) return trace.setSpan(ROOT_CONTEXT, parent.kept)
  const remote = typeof parent === 'string' ? parseTraceParent(parent) : null
  return remote === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...remote, isRemote: true })
}

class OpenTelemetrySpan implements Span {
  readonly kept: Kept

  constructor(kept: Kept) {
    this.kept = kept
  }

  get traceId(): string {
    return this.kept.spanContext().traceId
  }

  get isRecorded(): boolean {
    return this.kept.isRecording()
  }

  tell(facts: Facts): void {
    this.kept.setAttributes({ ...facts })
    const status = facts['http.response.status_code']
    if (typeof status === 'number' && status >= 500) this.kept.setStatus({ code: SpanStatusCode.ERROR })
  }

  leadTo(other: Span): void {
    if (other instanceof OpenTelemetrySpan) this.kept.addLink({ context: other.kept.spanContext() })
  }

  end(...[failure]: readonly unknown[]): void {
    // The message and the stack of an error can quote a client, so only its kind is recorded.
    if (failure !== undefined)
      this.kept.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', kindOf(failure))
    this.kept.end()
  }
}

/** The code of an error, such as that of PostgreSQL or of Node.js; otherwise its class. */
function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error && typeof error.code === 'string' && /^\w{1,40}$/u.test(error.code) ? error.code : error.name
}
