import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { filesPath } from '../../kernel/files/index.ts'
import {
  AddressList,
  addressBucket,
  bounds,
  type Call,
  download,
  handleDownload,
  type Operation,
  type Refusal,
  type Reply,
  refuse,
  replyRefusal,
  type Services,
  type StreamedReply,
  Throttle,
} from '../../kernel/index.ts'
import { isObject, sizeOf } from '../../kernel/schema/index.ts'
import { protectPages } from './cabinet/index.ts'
import { type ConnectionPlace, ConnectionShares } from './connection-shares.ts'
import { Connections, Farewell, isProbe } from './connections.ts'
import { openToPages, preflightAnswer } from './cross-origin.ts'
import { answerEarly, answerMalformed } from './early-answer.ts'
import { cabinetPrefix, entryAt, isOfCabinet, partAt } from './entries.ts'
import type { HttpRoute } from './http-route.ts'
import { offer } from './offer.ts'
import { hasBody, readBody, streamBody } from './read-body.ts'
import { assignRequestId, headerOf, parseQueryString, refuseHost } from './request-head.ts'
import { RouteTable } from './route-table.ts'
import { routeOf, tracedRequest } from './serve-operation.ts'
import { streamAnswer } from './stream-answer.ts'
import { UnauthenticatedRequests } from './unauthenticated-requests.ts'
import { UnknownRoutes } from './unknown-route.ts'

export interface HttpServerOptions {
  readonly services: Services
  readonly operations: readonly Operation[]
  /** Networks whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[]
  /** Whether pages of other origins may call the API. They may unless it is false. */
  readonly crossOrigin?: boolean
  /** Further routes beside those of the operations. */
  readonly routes?: readonly HttpRoute[]
  /** The routes of the cabinet below an organization; without them there is no cabinet. */
  readonly cabinet?: (() => readonly HttpRoute[]) | undefined
  /** Each is called for every answered request: the metrics and the access log. */
  readonly onAnswer?: readonly ((answered: AnsweredRequest) => void)[]
  readonly farewell?: Farewell
  /** Gives a connection its slot, or null if none is free. By default this process has all connections of its server. */
  readonly enter?: (connection: Socket) => ConnectionPlace | null
  /** Called at intervals for an address that may be a proxy that should be trusted. */
  readonly onUntrustedProxy?: (address: string) => void
}

/** What listeners learn about an answered request. */
export interface AnsweredRequest {
  /** The prefix of the paths of its part of the API. */
  readonly prefix: string
  /** null: the request was refused before its operation was known, or there is no such route. */
  readonly operation: string | null
  readonly method: string
  /** The UUID under which the server knows it. */
  readonly requestId: string
  /** The application of its token; null without a valid token. */
  readonly application: string | null
  readonly status: number
  /** How long serving it took, without the time that it waited for a change. */
  readonly seconds: number
  /** Length of the answer's body; null if it is not known beforehand. */
  readonly bytes: number | null
  /** The error code, if the request was refused. */
  readonly code?: string
}

const headerBytes = 16 * 1024
const requestMilliseconds = 120_000
/** How long a server that stops waits for running requests. */
const drainMilliseconds = 25_000
/** How often the log names an address that may be a proxy that should be trusted. */
const untrustedMilliseconds = 60_000
/** The status in metrics for requests whose client left. */
const clientGone = 499

/** The HTTP entrypoint: finds the operation of a request and hands the request to the gates. */
export function createHttpServer({
  services,
  operations,
  trustedProxies,
  crossOrigin = true,
  routes: further = [],
  cabinet,
  onAnswer = [],
  farewell = new Farewell(),
  enter,
  onUntrustedProxy = () => {},
}: HttpServerOptions): FastifyInstance {
  const applications = new WeakMap<ServerResponse, string>()
  const routes = new UnknownRoutes(operations)
  // What is suggested stands in the public document, and the routes of the cabinet do not.
  const unknownRoute = (request: FastifyRequest) =>
    isOfCabinet(request.url) ? refuse('not_found') : routes.refuse(request.method, pathOf(request))
  // The framework's own list does not recognise an address with a port, and would take the proxy for the client.
  const trusted = new AddressList(trustedProxies)
  const server = Fastify({
    logger: false,
    trustProxy: trustedProxies.length === 0 ? false : address => trusted.has(address),
    requestTimeout: requestMilliseconds,
    // While the server drains, requests on open connections are served as usual.
    return503OnClosing: false,
    // Node.js would refuse a request without a Host header in its own format, so the check is made here.
    http: { maxHeaderSize: headerBytes, requireHostHeader: false },
    routerOptions: { maxParamLength: 1024, querystringParser: parseQueryString },
    frameworkErrors: (_error, request, reply) => void sendRefusal(request, reply, unknownRoute(request)),
    clientErrorHandler(_error, socket) {
      // A socket that cannot be written to was answered already, or its client is gone.
      if (socket.writable && connections.breakOff(socket)) answerMalformed(socket)
    },
  })
  /** Refuses a request that matches no operation. */
  const refusalOf = (request: FastifyRequest, reply: FastifyReply, refusal: Refusal): Reply => {
    const ids = assignRequestId(request.headers['x-request-id'])
    return reported(request, reply, ids.requestId, replyRefusal(partAt(request.url).conventions, ids, refusal))
  }
  /** Reports an answer to a request that matches no operation to the listeners, like every answer. */
  const reported = (request: FastifyRequest, reply: FastifyReply, requestId: string, answer: Reply): Reply => {
    const answered = {
      prefix: partAt(request.url).prefix,
      operation: null,
      method: request.method,
      requestId,
      application: null,
      status: answer.status,
      seconds: reply.elapsedTime / 1000,
      bytes: bytesOf(request, answer),
      ...(answer.code === undefined ? {} : { code: answer.code }),
    }
    for (const listen of onAnswer) listen(answered)
    return answer
  }
  const sendRefusal = (request: FastifyRequest, reply: FastifyReply, refusal: Refusal): FastifyReply =>
    send(request, reply, refusalOf(request, reply, refusal))
  const shares = new ConnectionShares(trustedProxies)
  const connections = new Connections(server.server, farewell, enter ?? (socket => shares.enter(socket.remoteAddress)))
  const unauthenticated = new UnauthenticatedRequests()
  /** Routes whose requests need a token, a session or a valid link. */
  const guarded = new Set<string | undefined>()
  server.addHook('preClose', () => connections.end(drainMilliseconds))
  // Expectations other than 100-continue may be ignored (RFC 9110). Node.js would refuse them in its own format.
  server.server.on('checkExpectation', (request, response) => server.server.emit('request', request, response))

  server.addHook('onRequest', (request, reply, next) => {
    tellUntrustedProxy(request)
    openToPages(request.raw, reply.raw, crossOrigin)
    protectPages(request.raw, reply.raw)
    const turn = connections.turn(request.raw, reply.raw)
    if (turn === 'serve') check(request, reply, next)
    else if (turn === 'ignore') reply.hijack()
    else if ('refuse' in turn) sendRefusal(request, reply, services.admission.refuse(turn.refuse))
    else void turn.then(serves => (serves ? check(request, reply, next) : reply.hijack()))
  })
  const sendStream = (reply: FastifyReply, answer: StreamedReply, id: string) => {
    const facts = { operation: id, requestId: answer.headers['X-Request-Id'] }
    void streamAnswer(reply.raw, answer, error => services.onFailure(error, facts))
    return reply.hijack()
  }
  /** Counts a request without a valid token until its answer has been read. Returns whether its address may have one more. */
  const isAdmitted = (request: FastifyRequest, reply: FastifyReply): boolean => {
    const leave = unauthenticated.enter(request.ip)
    if (leave !== null) connections.whenClosed(reply.raw, leave)
    return leave !== null
  }
  /** Answers a preflight, which counts as a request without a token. */
  const sendPreflight = (request: FastifyRequest, reply: FastifyReply, allowed: Readonly<Record<string, string>>) => {
    const { requestId, clientRequestId } = assignRequestId(request.headers['x-request-id'])
    const headers = { 'X-Request-Id': clientRequestId ?? requestId, ...allowed }
    send(request, reply, reported(request, reply, requestId, { status: 204, headers, body: '' }))
  }
  const untrusted = new Throttle(untrustedMilliseconds, bounds.refusalAddresses.most)
  const tellUntrustedProxy = ({ raw, ip }: FastifyRequest) => {
    if (raw.headers['x-forwarded-for'] === undefined || !connections.isBeyondShare(raw)) return
    void untrusted.do(addressBucket(ip), performance.now(), async () => onUntrustedProxy(ip))
  }
  const check = (request: FastifyRequest, reply: FastifyReply, next: () => void) => {
    const wrongHost = refuseHost(request.raw)
    const preflight = crossOrigin ? preflightAnswer(request.raw) : null
    if (wrongHost !== null) sendRefusal(request, reply, wrongHost)
    else if (!guarded.has(request.routeOptions.url) && !isProbe(request.raw) && !isAdmitted(request, reply))
      sendAndClose(reply, refusalOf(request, reply, services.admission.refuse('unauthenticatedRequests')))
    else if (preflight !== null) sendPreflight(request, reply, preflight)
    // Gate 1 is here and not in the handler below, because the framework would read the body first.
    else if (request.is404) sendRefusal(request, reply, unknownRoute(request))
    else next()
  }
  server.setNotFoundHandler((request, reply) => sendRefusal(request, reply, unknownRoute(request)))
  server.setErrorHandler((error, request, reply) => {
    services.onFailure(error, { operation: pathOf(request) })
    return sendRefusal(request, reply, refuse('internal_error'))
  })

  const respond = async (request: FastifyRequest, reply: FastifyReply, route: HttpRoute) => {
    const started = process.hrtime.bigint()
    let waited = 0
    const call = toCall(request, reply, connections, applications, milliseconds => (waited += milliseconds))
    const outcome = await tracedRequest(route, call, route.serve)
    const isRefused = route.isGuarded && !connections.isAuthenticated(reply.raw) && !isAdmitted(request, reply)
    const answer = isRefused
      ? replyRefusal(partAt(request.url).conventions, call, services.admission.refuse('unauthenticatedRequests'))
      : outcome
    const gone = request.raw.destroyed && !request.raw.complete
    const answered = {
      prefix: route.prefix,
      operation: route.id,
      method: request.method,
      requestId: call.requestId,
      application: applications.get(reply.raw) ?? null,
      status: gone ? clientGone : answer.status,
      seconds: Number(process.hrtime.bigint() - started) / 1e9 - waited / 1000,
      bytes: bytesOf(request, answer),
      ...('code' in answer ? { code: answer.code } : {}),
    }
    for (const listen of onAnswer) listen(answered)
    if ('stream' in answer) return sendStream(reply, answer, route.id)
    return isRefused ? sendAndClose(reply, answer) : send(request, reply, answer)
  }

  const ofOperations = operations.map(operation => routeOf(offer(operation, entryAt(operation.path)), services))
  const signedFile: HttpRoute = {
    id: download.id,
    method: 'GET',
    path: `${filesPath}/{token}`,
    prefix: filesPath,
    isGuarded: true,
    serve: call => handleDownload(call, services),
  }
  for (const route of [...ofOperations, signedFile, ...further]) {
    const { method, path } = route
    const url = path.replace(/\{(\w+)\}/gu, ':$1')
    if (route.isGuarded) guarded.add(url)
    server.route({
      method,
      url,
      exposeHeadRoute: method === 'GET',
      // This hook runs before the framework would read the body. The kernel reads it, after the gates that come first.
      async onRequest(request, reply) {
        if (!isExact(path, pathOf(request))) return sendRefusal(request, reply, unknownRoute(request))
        return respond(request, reply, route)
      },
      handler: () => {},
    })
  }
  if (cabinet !== undefined) {
    const table = new RouteTable(cabinet)
    const url = `${cabinetPrefix}/*`
    guarded.add(url)
    server.route({
      method: ['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE'],
      url,
      async onRequest(request, reply) {
        const sent = pathOf(request)
        const found = table.find(request.method, sent)
        if (found !== null && isExact(found.route.path, sent)) {
          const { route, path } = found
          return respond(request, reply, { ...route, serve: call => route.serve({ ...call, path }) })
        }
        if (isAdmitted(request, reply)) return sendRefusal(request, reply, unknownRoute(request))
        return sendAndClose(reply, refusalOf(request, reply, services.admission.refuse('unauthenticatedRequests')))
      },
      handler: () => {},
    })
  }
  return server
}

/** Length of the body; null for a stream whose length is unknown. */
function bytesOf({ method }: FastifyRequest, answer: Reply | StreamedReply): number | null {
  if (method === 'HEAD') return 0
  return 'stream' in answer ? (answer.stream.length ?? null) : sizeOf(answer.body)
}

function toCall(
  request: FastifyRequest,
  reply: FastifyReply,
  connections: Connections,
  applications: WeakMap<ServerResponse, string>,
  waited: Call['waited'],
): Call {
  const { requestId, clientRequestId } = assignRequestId(request.headers['x-request-id'])
  return {
    requestId,
    clientRequestId,
    method: request.method,
    url: request.url,
    address: request.ip,
    peer: request.raw.socket.remoteAddress,
    isSecure: request.protocol === 'https',
    authenticated: applicationId => {
      connections.authenticate(reply.raw)
      if (applicationId !== undefined) applications.set(reply.raw, applicationId)
    },
    path: stringsOf(request.params),
    query: isObject(request.query) ? request.query : {},
    header: (name: string) => headerOf(request.raw, name),
    readBody: (limit, take) => readBody(request.raw, limit, take),
    streamBody: () => streamBody(request.raw),
    whenGone: listener => connections.whenGone(reply.raw, listener),
    whenLeft(listener) {
      const { socket } = request.raw
      if (socket.readableEnded) listener()
      socket.once('end', listener)
      const stay = connections.whenGone(reply.raw, listener)
      return () => {
        stay()
        socket.off('end', listener)
      }
    },
    waited,
    whenClosed: listener => connections.whenClosed(reply.raw, listener),
  }
}

function send(request: FastifyRequest, reply: FastifyReply, answer: Reply): FastifyReply {
  if (!request.raw.complete && hasBody(request.raw)) {
    if (answerEarly(reply.raw, answer)) return reply.hijack()
    // After a body that was not completely read, the connection cannot take another request.
    reply.header('Connection', 'close')
  }
  const { body } = answer
  reply.code(answer.status).headers(answer.headers)
  if (answer.cookies !== undefined) reply.header('Set-Cookie', answer.cookies)
  if (typeof body === 'string') return reply.send(body)
  if (body.length === 1) return reply.send(body[0])
  // The parts are sent as the client reads them: the next one when the connection has room for it.
  reply.header(
    'Content-Length',
    body.reduce((sum, part) => sum + part.length, 0),
  )
  return reply.send(Readable.from(body))
}

/** Sends an answer and closes the connection, whatever part of the request is still to come. */
function sendAndClose(reply: FastifyReply, { status, headers, body }: Reply): FastifyReply {
  const text = typeof body === 'string' ? body : Buffer.concat(body)
  return reply
    .code(status)
    .headers({ ...headers, Connection: 'close' })
    .send(text)
}

/**
 * Whether a path matches byte for byte. A percent-encoded letter in a fixed segment makes it another path, and so does a slash
 * with no id after it, which the framework takes for an empty id.
 */
function isExact(pattern: string, path: string): boolean {
  if (!/%|\/\/|\/$/u.test(path)) return true
  const sent = path.split('/')
  return pattern
    .split('/')
    .every((segment, index) => (segment.startsWith('{') ? sent[index] !== '' : segment === sent[index]))
}

function pathOf(request: FastifyRequest): string {
  return request.url.split('?')[0] ?? ''
}

function stringsOf(value: unknown): Record<string, string> {
  const strings: Record<string, string> = {}
  if (isObject(value)) for (const name in value) strings[name] = String(value[name])
  return strings
}
