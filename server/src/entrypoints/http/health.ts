import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import {
  AddressList,
  type Admission,
  aloneReasons,
  crmConventions,
  type Refusal,
  replyRefusal,
  type Services,
} from '../../kernel/index.ts'
import type { EndedAttempt } from '../../kernel/jobs/index.ts'
import { productVersion } from '../../kernel/product/index.ts'
import { productBounds } from '../../modules.ts'
import type { DeliveryObserver } from '../../webhooks/observer.ts'
import type { Farewell } from './connections.ts'
import { authenticateForMetrics } from './entries.ts'
import { JobMetrics } from './job-metrics.ts'
import { addMailMetrics } from './mail-metrics.ts'
import { addProcessMetrics } from './process-metrics.ts'
import { addReadinessMetrics, readinessOf } from './readiness.ts'
import { assignRequestId, headerOf } from './request-head.ts'
import type { AnsweredRequest } from './server.ts'
import { sharedRead } from './shared-read.ts'
import { addTokenMetrics } from './token-metrics.ts'
import { addWebhookMetrics } from './webhook-metrics.ts'

const loopback = new AddressList(['127.0.0.0/8', '::1'])

/** The metrics of a process. Their labels are operations and never URLs. */
export class Metrics {
  readonly registry = new Registry()
  /** The content of `/metrics`: the metrics of this process, or of all processes of its server. */
  readonly text: () => Promise<string>
  readonly #requests = new Histogram({
    name: 'crm_request_duration_seconds',
    help: 'Time from routing to answer, by part of the API, operation, method and status.',
    labelNames: ['surface', 'operation', 'method', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
    registers: [this.registry],
  })

  readonly #refusals = new Counter({
    name: 'crm_refusals_total',
    help: 'Requests that were refused, by error code.',
    labelNames: ['code'],
    registers: [this.registry],
  })

  /** Called for each attempt of a job in this process. */
  readonly observeJob: (ended: EndedAttempt) => void
  /** Told of the calls of receivers of webhooks in this process. */
  readonly webhooks: DeliveryObserver

  constructor(
    services: Pick<
      Services,
      'clock' | 'database' | 'retention' | 'diskSpace' | 'counters' | 'admission' | 'groupQueues' | 'mail'
    >,
    textOfAll?: () => Promise<string>,
  ) {
    const { database, admission, groupQueues } = services
    this.text = textOfAll ?? (() => this.registry.metrics())
    this.#showBounds(admission)
    addWriteMetrics({ groupQueues }, this.registry)
    addMailMetrics(services, this.registry)
    addProcessMetrics(services.database, this.registry)
    const readiness = sharedRead(() => readinessOf(services))
    addReadinessMetrics(database, readiness, this.registry)
    addTokenMetrics(database, readiness, this.registry)
    // After the metrics of the connections, because reading the jobs takes a connection.
    const jobs = new JobMetrics(database, readiness, this.registry)
    this.observeJob = ended => jobs.observe(ended)
    this.webhooks = addWebhookMetrics(services, readiness, this.registry)
  }

  /** Exports for each bound of the process its usage, its maximum, and the number of requests it refused. */
  #showBounds(admission: Admission): void {
    const common = { labelNames: ['bound'] as const, registers: [this.registry] }
    new Gauge({
      ...common,
      // With several processes: the maximum over them.
      aggregator: 'max',
      name: 'crm_bound_used',
      help: 'How much is held at this moment, by bound of the process.',
      collect() {
        for (const [bound, used] of Object.entries(admission.usage())) this.set({ bound }, used)
      },
    })
    const help = 'How much may be held, by bound.'
    const most = new Gauge({ ...common, aggregator: 'max', name: 'crm_bound_most', help })
    for (const [bound, { most: value }] of Object.entries(productBounds)) most.set({ bound }, value)
    new Gauge({
      ...common,
      name: 'crm_bound_refused',
      help: 'Requests that were refused since the start, by bound.',
      collect() {
        for (const [bound, count] of admission.refused) this.set({ bound }, count)
      },
    })
  }

  /** Counts an answer. Requests that match no operation are not counted: anybody can send them. */
  readonly observe = ({ prefix, operation, method, status, seconds, code }: AnsweredRequest): void => {
    if (operation === null) return
    this.#requests.observe({ surface: prefix, operation, method, status }, seconds)
    if (code !== undefined) this.#refusals.inc({ code })
  }
}

/**
 * `/livez`: the process answers. `/readyz`: it can serve. `/metrics`: Prometheus, for loopback addresses or with a token that the operator
 * created for it.
 */
export function addHealthRoutes(
  server: FastifyInstance,
  services: Services,
  metrics: Metrics,
  farewell: Farewell,
): void {
  server.get('/livez', async () => ({ status: 'ok' }))

  server.get('/readyz', async (_request, reply) => {
    if (farewell.isAnnounced) return reply.code(503).send({ status: 'stopping', version: productVersion })
    const { database, rateLimiter } = await readinessOf(services)
    const ready = database === 'ok' && rateLimiter === 'ok'
    const status = ready ? 'ok' : 'unavailable'
    return reply.code(ready ? 200 : 503).send({ status, version: productVersion, database, rateLimiter })
  })

  server.get('/metrics', async (request, reply) => {
    const refusal = await refuseMetrics(request, services)
    if (refusal !== null) {
      const call = assignRequestId(request.headers['x-request-id'])
      const refused = replyRefusal(crmConventions, call, refusal)
      return reply.code(refused.status).headers(refused.headers).send(refused.body)
    }
    return reply.type(metrics.registry.contentType).send(await metrics.text())
  })
}

async function refuseMetrics(request: FastifyRequest, services: Services): Promise<Refusal | null> {
  // A proxy on this machine forwards requests of other hosts, so they do not count as loopback.
  const forwarded = request.headers['x-forwarded-for'] !== undefined || request.headers.forwarded !== undefined
  if (!forwarded && loopback.has(request.ip)) return null
  return authenticateForMetrics({ address: request.ip, header: name => headerOf(request.raw, name) }, services)
}

/** The metrics of the group queues in which the writes of an organization wait for each other (docs/adr/0016). */
function addWriteMetrics({ groupQueues }: Pick<Services, 'groupQueues'>, registry: Registry): void {
  const registers = [registry]
  const sizes = new Histogram({
    name: 'crm_write_group_requests',
    help: 'Writes of an organization that ran in one transaction, by group.',
    buckets: [1, 2, 4, 8, 16, 32, 64],
    registers,
  })
  const failed = new Counter({
    name: 'crm_write_groups_failed_total',
    help: 'Groups of writes that came to nothing, and were run again in halves.',
    registers,
  })
  const waits = new Histogram({
    name: 'crm_write_lane_seconds',
    help: 'Time that a write waits for its group to begin.',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 3],
    registers,
  })
  const alone = new Counter({
    name: 'crm_writes_alone_total',
    help: 'Writes that shared no transaction with others, by reason.',
    labelNames: ['reason'],
    registers,
  })
  for (const reason of aloneReasons) alone.inc({ reason }, 0)
  groupQueues.observer = {
    onGroup(size, hasFailed) {
      sizes.observe(size)
      if (hasFailed) failed.inc()
    },
    onStart: seconds => waits.observe(seconds),
    onAlone: reason => alone.inc({ reason }),
  }
}
