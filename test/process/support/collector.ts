import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isObject, type JsonObject } from '../../../server/src/kernel/schema/index.ts'

/** A span as a collector gets it. */
export interface ReceivedSpan {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string
  readonly attributes: Readonly<Record<string, unknown>>
  /** The ids of the spans that it leads to. */
  readonly links: readonly string[]
}

/** A collector of traces, which takes OTLP in JSON. */
export class Collector {
  readonly spans: ReceivedSpan[] = []
  /** All that was ever sent to it, as it came. */
  text = ''
  #server: Server | undefined

  async start(): Promise<string> {
    const server = createServer(async (request, response) => {
      let body = ''
      for await (const part of request.setEncoding('utf8')) body += part
      this.text += JSON.stringify(request.rawHeaders) + body
      this.#take(JSON.parse(body))
      response.setHeader('content-type', 'application/json').end('{}')
    }).listen(0, '127.0.0.1')
    this.#server = server
    await once(server, 'listening')
    const address: AddressInfo | string | null = server.address()
    if (address === null || typeof address === 'string') throw new Error('no port was given')
    return `http://127.0.0.1:${address.port}`
  }

  stop(): void {
    this.#server?.close()
    this.#server?.closeAllConnections()
  }

  named(name: string): ReceivedSpan[] {
    return this.spans.filter(span => span.name === name)
  }

  below({ spanId }: ReceivedSpan): ReceivedSpan[] {
    return this.spans.filter(({ parentSpanId }) => parentSpanId === spanId)
  }

  #take(request: unknown): void {
    for (const resource of listOf(request, 'resourceSpans'))
      for (const scope of listOf(resource, 'scopeSpans'))
        for (const span of listOf(scope, 'spans')) this.spans.push(spanOf(span))
  }
}

function spanOf(span: JsonObject): ReceivedSpan {
  const attributes = listOf(span, 'attributes').map(({ key, value }) => [String(key), valueOf(value)] as const)
  return {
    name: String(span.name),
    traceId: String(span.traceId),
    spanId: String(span.spanId),
    parentSpanId: String(span.parentSpanId ?? ''),
    attributes: Object.fromEntries(attributes),
    links: listOf(span, 'links').map(({ spanId }) => String(spanId)),
  }
}

/** The value itself, of `{"stringValue": "..."}`. */
function valueOf(value: unknown): unknown {
  if (!isObject(value)) return value
  const [only] = Object.values(value)
  return isObject(only) ? listOf(only, 'values').map(valueOf) : only
}

function listOf(value: unknown, name: string): JsonObject[] {
  const list = isObject(value) ? value[name] : undefined
  return Array.isArray(list) ? list.filter(isObject) : []
}
