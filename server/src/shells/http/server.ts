import { Readable } from 'node:stream'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import {
  AddressList,
  type Call,
  handle,
  type Operation,
  type Refusal,
  type Reply,
  refuse,
  replyRefusal,
  type Services,
  type StreamedReply,
  surfaceAt,
} from '../../kernel/index.ts'
import { Connections } from './connections.ts'
import { answerEarly, answerMalformed } from './early-answer.ts'
import { hasBody, readBody } from './read-body.ts'
import { assignRequestId, headerOf, parseQueryString, refuseHost } from './request-head.ts'
import { streamAnswer } from './stream-answer.ts'
import { streamBody } from './stream-body.ts'

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
/** How long running requests keep a server that stops. */
const drainMilliseconds = 25_000
/** Label of requests that nobody waited for any more. */
const clientGone = 499

/** The HTTP shell: finds the operation of a request and hands it to the pipeline. Everything else is not here. */
export function createHttpServer({
  services,
  operations,
  trustedProxies,
  onAnswer,
}: HttpServerOptions): FastifyInstance {
  // Not the framework's own list: to that, an address with a port is none, and the proxy that wrote it a client.
  const trusted = new AddressList(trustedProxies)
  const server = Fastify({
    logger: false,
    trustProxy: trustedProxies.length === 0 ? false : address => trusted.has(address),
    requestTimeout: requestMilliseconds,
    // Requests that come on open connections while the server drains are served like any other.
    return503OnClosing: false,
    // Without a host Node.js would answer in words of its own.
    http: { maxHeaderSize: headerBytes, requireHostHeader: false },
    routerOptions: { maxParamLength: 1024, querystringParser: parseQueryString },
    frameworkErrors: (_error, request, reply) => void sendRefusal(request, reply, refuse('not_found')),
    clientErrorHandler(_error, socket) {
      // One that was answered is being read to its end, or is gone.
      if (socket.writable && connections.breakOff(socket)) answerMalformed(socket)
    },
  })
  const connections = new Connections(server.server)
  server.addHook('preClose', () => connections.end(drainMilliseconds))
  // Expectations other than 100-continue may be ignored (RFC 9110); Node.js would refuse them in words of its own.
  server.server.on('checkExpectation', (request, response) => server.server.emit('request', request, response))

  server.addHook('onRequest', (request, reply, next) => {
    const turn = connections.turn(request.raw, reply.raw)
    if (turn === 'serve') check(request, reply, next)
    else if (turn === 'ignore') reply.hijack()
    else if (turn === 'refuse') sendRefusal(request, reply, services.admission.refuse('connectionRequests'))
    else void turn.then(serves => (serves ? check(request, reply, next) : reply.hijack()))
  })
  const sendStream = (reply: FastifyReply, answer: StreamedReply, { id }: Operation) => {
    const facts = { operation: id, requestId: answer.headers['X-Request-Id'] }
    void streamAnswer(reply.raw, answer, error => services.onFailure(error, facts))
    return reply.hijack()
  }
  const check = (request: FastifyRequest, reply: FastifyReply, next: () => void) => {
    const wrongHost = refuseHost(request.raw)
    if (wrongHost !== null) sendRefusal(request, reply, wrongHost)
    // Gate 1. Here, and not in the handler below, because the framework would read the body before that.
    else if (request.is404) sendRefusal(request, reply, refuse('not_found'))
    else next()
  }
  server.setNotFoundHandler((request, reply) => sendRefusal(request, reply, refuse('not_found')))
  server.setErrorHandler((error, request, reply) => {
    services.onFailure(error, { operation: pathOf(request) })
    return sendRefusal(request, reply, refuse('internal_error'))
  })

  for (const operation of operations) {
    server.route({
      method: operation.method,
      url: operation.path.replace(/\{(\w+)\}/gu, ':$1'),
      exposeHeadRoute: operation.method === 'GET',
      // Before the framework reads the body: the pipeline does that itself, behind the gates that come first.
      async onRequest(request, reply) {
        if (!isExact(operation.path, pathOf(request))) return sendRefusal(request, reply, refuse('not_found'))
        const started = process.hrtime.bigint()
        const answer = await handle(operation, toCall(request, reply, connections), services)
        const gone = request.raw.destroyed && !request.raw.complete
        onAnswer?.({
          operation: operation.id,
          method: request.method,
          status: gone ? clientGone : answer.status,
          seconds: Number(process.hrtime.bigint() - started) / 1e9,
        })
        return 'stream' in answer ? sendStream(reply, answer, operation) : send(request, reply, answer)
      },
      handler: () => {},
    })
  }
  return server
}

function toCall(request: FastifyRequest, reply: FastifyReply, connections: Connections): Call {
  const { requestId, clientRequestId } = assignRequestId(request.headers['x-request-id'])
  return {
    requestId,
    clientRequestId,
    method: request.method,
    url: request.url,
    address: request.ip,
    path: stringsOf(request.params),
    query: recordOf(request.query),
    header: (name: string) => headerOf(request.raw, name),
    readBody: (limit, take) => readBody(request.raw, limit, take),
    streamBody: () => streamBody(request.raw),
    whenGone: listener => connections.whenGone(reply.raw, listener),
    whenClosed: listener => connections.whenClosed(reply.raw, listener),
  }
}

function send(request: FastifyRequest, reply: FastifyReply, answer: Reply): FastifyReply {
  if (!request.raw.complete && hasBody(request.raw)) {
    if (answerEarly(reply.raw, answer)) return reply.hijack()
    // A body that was not read to its end cannot be followed by another request.
    reply.header('Connection', 'close')
  }
  const { body } = answer
  reply.code(answer.status).headers(answer.headers)
  if (typeof body === 'string') return reply.send(body)
  if (body.length === 1) return reply.send(body[0])
  // As it is read: a part is given to the connection when there is room for it.
  reply.header(
    'Content-Length',
    body.reduce((sum, part) => sum + part.length, 0),
  )
  return reply.send(Readable.from(body))
}

function sendRefusal(request: FastifyRequest, reply: FastifyReply, refusal: Refusal): FastifyReply {
  const call = assignRequestId(request.headers['x-request-id'])
  return send(request, reply, replyRefusal(surfaceAt(request.url), call, refusal))
}

/** Paths match byte for byte: a percent-encoded letter of a fixed segment is another path. */
function isExact(pattern: string, path: string): boolean {
  if (!path.includes('%')) return true
  const sent = path.split('/')
  return pattern.split('/').every((segment, index) => segment.startsWith('{') || segment === sent[index])
}

function pathOf(request: FastifyRequest): string {
  return request.url.split('?')[0] ?? ''
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}
}

function stringsOf(value: unknown): Record<string, string> {
  return Object.fromEntries(Object.entries(recordOf(value)).map(([name, text]) => [name, String(text)]))
}
