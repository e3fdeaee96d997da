import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import {
  handle,
  type Operation,
  type Refusal,
  type Reply,
  refuse,
  replyRefusal,
  type Services,
} from '../kernel/index.ts'
import { assignRequestId } from './request-id.ts'
import { readBody } from './read-body.ts'

export interface HttpServerOptions {
  readonly services: Services
  readonly operations: readonly Operation[]
  /** Networks whose `X-Forwarded-For` counts. */
  readonly trustedProxies: readonly string[]
  /** Told of every answered request, for metrics. */
  readonly onAnswer?: (answer: { operation: string; method: string; status: number; seconds: number }) => void
}

const headerBytes = 16 * 1024
const requestMilliseconds = 120_000

/** The HTTP shell: finds the operation of a request and hands it to the pipeline. Everything else is not here. */
export function createHttpServer({
  services,
  operations,
  trustedProxies,
  onAnswer,
}: HttpServerOptions): FastifyInstance {
  const server = Fastify({
    logger: false,
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    requestTimeout: requestMilliseconds,
    forceCloseConnections: 'idle',
    http: { maxHeaderSize: headerBytes },
    routerOptions: { maxParamLength: 1024, querystringParser: parseQueryString },
    frameworkErrors: (_error, request, reply) => void sendRefusal(request, reply, refuse('not_found')),
    clientErrorHandler(_error, socket) {
      if (socket.writable) socket.end(malformedRequest())
      else socket.destroy()
    },
  })
  // The pipeline reads the body itself, behind the gates that come first.
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', (_request, _payload, done) => done(null))
  server.setNotFoundHandler((request, reply) => sendRefusal(request, reply, refuse('not_found')))
  server.setErrorHandler((error, request, reply) => {
    services.onFailure(error, { operation: request.url.split('?')[0] ?? '' })
    return sendRefusal(request, reply, refuse('internal_error'))
  })

  for (const operation of operations) {
    server.route({
      method: operation.method,
      url: operation.path.replace(/\{(\w+)\}/gu, ':$1'),
      exposeHeadRoute: operation.method === 'GET',
      async handler(request, reply) {
        const started = process.hrtime.bigint()
        const answer = await handle(operation, toCall(request), services)
        onAnswer?.({
          operation: operation.id,
          method: request.method,
          status: answer.status,
          seconds: Number(process.hrtime.bigint() - started) / 1e9,
        })
        return send(request, reply, answer)
      },
    })
  }
  return server
}

function toCall(request: FastifyRequest) {
  return {
    ...assignRequestId(request.headers['x-request-id']),
    method: request.method,
    url: request.url,
    address: request.ip,
    path: stringsOf(request.params),
    query: recordOf(request.query),
    header: (name: string) => {
      const value = request.headers[name]
      return Array.isArray(value) ? value.join(', ') : value
    },
    readBody: (limit: number) => readBody(request.raw, limit),
  }
}

function send(request: FastifyRequest, reply: FastifyReply, { status, headers, body }: Reply): FastifyReply {
  // A body that was not read to its end cannot be followed by another request.
  if (!request.raw.complete) reply.header('Connection', 'close')
  return reply.code(status).headers(headers).send(body)
}

function sendRefusal(request: FastifyRequest, reply: FastifyReply, refusal: Refusal): FastifyReply {
  const call = { ...assignRequestId(request.headers['x-request-id']), url: request.url }
  return send(request, reply, replyRefusal(call, refusal))
}

function malformedRequest(): string {
  const { status, headers, body } = replyRefusal({ ...assignRequestId(null), url: '' }, refuse('validation_error'))
  const lines = Object.entries({ ...headers, 'Content-Length': String(Buffer.byteLength(body)), Connection: 'close' })
  return [`HTTP/1.1 ${status} Bad Request`, ...lines.map(([name, value]) => `${name}: ${value}`), '', body].join('\r\n')
}

function parseQueryString(text: string): Record<string, unknown> {
  const query: Record<string, unknown> = Object.create(null)
  for (const [name, value] of new URLSearchParams(text)) {
    const earlier = query[name]
    query[name] = earlier === undefined ? value : [...(Array.isArray(earlier) ? earlier : [earlier]), value]
  }
  return query
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}
}

function stringsOf(value: unknown): Record<string, string> {
  return Object.fromEntries(Object.entries(recordOf(value)).map(([name, text]) => [name, String(text)]))
}
