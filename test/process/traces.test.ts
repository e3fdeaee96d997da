import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aContact } from '../support/builders.ts'
import { Client } from '../support/client.ts'
import { createTestDatabase } from '../support/database.ts'
import { type Ending, type Server, useProcesses } from '../support/process.ts'
import { until } from '../support/waiting.ts'
import { Collector, type ReceivedSpan } from './support/collector.ts'
import { anApplication, environmentOf } from './support/installations.ts'

const processes = useProcesses()
const collector = new Collector()
const trace = '0af7651916cd43dd8448eb211c80319c'
const requestId = randomUUID()

/** What nobody but the organization may learn, and no trace may tell. */
const secrets = {
  name: 'Xenophontova',
  email: 'xenophontova@example.org',
  phone: '+1 202 555 0187',
  key: 'erp-key-771',
  idempotencyKey: 'idempotency-772',
  ownRequestId: 'nightly/xenophontova',
  state: 'vendor=xenophontova',
}

let server: Server
let client: Client
let organizationId: string
let token: string
let ending: Ending

async function refuseAll(): Promise<void> {
  const headers = { 'x-request-id': secrets.ownRequestId }
  expect((await client.post('/contacts', { firstName: 7, [secrets.key]: secrets.name }, { headers })).status).toBe(400)
  expect((await client.get(`/contacts?search=${encodeURIComponent(secrets.email)}`)).status).toBe(200)
  expect((await client.get(`/contacts/${secrets.key}`)).status).toBe(404)
  expect((await new Client(server.url, `${token}x`).get('/contacts')).status).toBe(401)
}

/** Writes at the same time, until some have shared a transaction. */
async function writeTogether(): Promise<void> {
  await until('writes that share a transaction', async () => {
    await Promise.all(Array.from({ length: 20 }, () => client.post('/contacts', aContact())))
    const scraped = await (await fetch(`${server.url}/metrics`)).text()
    const groups = (most: string) =>
      Number(new RegExp(`requests_bucket\\{le="${most}"\\} (\\d+)`, 'u').exec(scraped)?.[1])
    return groups('\\+Inf') > groups('1')
  })
}

beforeAll(async () => {
  const database = await createTestDatabase(2)
  ;({ organizationId, token } = await anApplication(database.database))
  server = await processes.serve({
    ...(await environmentOf(processes, database)),
    OTEL_EXPORTER_OTLP_ENDPOINT: await collector.start(),
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=tests',
  })
  client = new Client(server.url, token)
  const person = aContact({
    externalId: secrets.key,
    lastName: secrets.name,
    contactData: { phones: [{ value: secrets.phone }], emails: [{ value: secrets.email }] },
  })
  const headers = {
    traceparent: `00-${trace}-b7ad6b7169203331-01`,
    tracestate: secrets.state,
    'x-request-id': requestId,
  }
  expect((await client.post('/contacts', person, { key: secrets.idempotencyKey, headers })).status).toBe(201)
  await refuseAll()
  await writeTogether()
  const { data } = await client.post('/exports', { type: 'contacts' })
  await until('the export', async () => (await client.get(`/exports/${data.id}`)).data.status === 'completed')
  ending = await server.end('SIGTERM')
})
afterAll(() => collector.stop())

function only(spans: readonly ReceivedSpan[]): ReceivedSpan {
  const [span] = spans
  if (span === undefined || spans.length > 1) throw new Error(`there are ${spans.length} such spans`)
  return span
}

describe('traces', () => {
  test('show route, outcome and ids of a request, which continues the trace of its client', () => {
    const request = only(collector.spans.filter(({ parentSpanId }) => parentSpanId === 'b7ad6b7169203331'))
    expect(request).toMatchObject({
      name: 'POST /api/v1/crm/contacts',
      traceId: trace,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/api/v1/crm/contacts',
        'crm.operation': 'contacts.create',
        'crm.request.id': requestId,
        'crm.organization.id': organizationId,
      },
    })
    expect(String(request.attributes['http.response.status_code'])).toBe('201')
  })

  test('follow a write into its transaction: claim, load, decision, save and commit', () => {
    const ofRequest = collector.spans.filter(({ traceId }) => traceId === trace)
    const transaction = only(ofRequest.filter(({ name }) => name === 'transaction'))
    const parts = collector.below(transaction)
    expect(parts.map(({ name }) => name)).toEqual(['claim and load', 'decide', 'save and commit'])
    const statements = parts.map(part => collector.below(part).flatMap(each => each.attributes['crm.statements']))
    expect(statements[0]).toEqual(expect.arrayContaining(['begin', 'claim_key', 'load_answer']))
    expect(statements[2]).toContain('commit')
    const queue = only(ofRequest.filter(({ spanId }) => spanId === transaction.parentSpanId))
    expect(only(ofRequest.filter(({ spanId }) => spanId === queue.parentSpanId)).name).toBe('POST /api/v1/crm/contacts')
  })

  test('show the error code of a refusal, also of an unknown token', () => {
    const codes = collector.spans.map(({ attributes }) => attributes['error.type'])
    expect(codes).toEqual(expect.arrayContaining(['validation_error', 'not_found', 'invalid_token']))
  })

  test('lead from each write of a group to their one transaction, and back', () => {
    const groups = collector.named('transaction').filter(each => Number(each.attributes['crm.group.requests']) > 1)
    expect(groups).not.toEqual([])
    for (const group of groups) {
      const led = collector.named('wait for group').filter(({ links }) => links.includes(group.spanId))
      expect(led.map(({ spanId }) => spanId).toSorted()).toEqual(group.links.toSorted())
      expect(led).toHaveLength(Number(group.attributes['crm.group.requests']) - 1)
      expect(collector.named('wait for group').map(({ spanId }) => spanId)).toContain(group.parentSpanId)
    }
  })

  test('begin anew with each part of a job, whose statements are below it', () => {
    const jobs = collector.spans.filter(({ name }) => name.startsWith('job '))
    expect(jobs.map(({ attributes }) => attributes['crm.organization.id'])).toContain(organizationId)
    expect(jobs.every(({ parentSpanId }) => parentSpanId === '')).toBe(true)
    expect(jobs.flatMap(job => collector.below(job))).not.toEqual([])
  })

  test('hold no values of requests or records, and neither tokens nor addresses', () => {
    expect(collector.text).toContain('deployment.environment.name')
    const [, , , secretPart = token] = token.split('_')
    const hidden = [...Object.values(secrets), token, secretPart, 'Petrova', 'anna@example.com']
    const told = collector.text.toLowerCase()
    expect(hidden.filter(value => told.includes(value.toLowerCase()))).toEqual([])
  })

  test('are named by the log lines of the request', () => {
    const lines = ending.err.split('\n').filter(line => line.includes('a token was refused'))
    const refused = collector.spans.filter(({ attributes }) => attributes['error.type'] === 'invalid_token')
    expect(lines.map(line => JSON.parse(line).traceId)).toEqual(refused.map(({ traceId }) => traceId))
    expect(lines).toHaveLength(1)
  })

  test('end with the process, which ends as usual', () => {
    expect(ending).toMatchObject({ status: 0, signal: null })
    expect(ending.err).not.toContain('traces could not be sent')
  })
})

test('an unreachable collector is reported in the log, and delays no answer', async () => {
  const database = await createTestDatabase(2)
  const { token: another } = await anApplication(database.database)
  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://user:geheim@127.0.0.1:1', OTEL_BSP_SCHEDULE_DELAY: '50' }
  const alone = await processes.serve({ ...(await environmentOf(processes, database)), ...environment })
  expect((await new Client(alone.url, another).get('/contacts')).status).toBe(200)
  const { status, err } = await alone.end('SIGTERM')
  expect(status).toBe(0)
  expect(err).toContain('traces could not be sent')
  expect(err).not.toContain('geheim')
})

test('a setting of OpenTelemetry that the server does not support is refused by name', async () => {
  const environment = {
    CRM_DATA_DIR: await processes.folder(),
    OTEL_TRACES_EXPORTER: 'otlp',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    OTEL_TRACES_SAMPLER: 'sometimes',
  }
  const { status, err } = await processes.run(['serve'], environment)
  expect(status).toBe(1)
  expect(err).toContain('OTEL_EXPORTER_OTLP_PROTOCOL is http/protobuf or http/json')
  expect(err).toContain('OTEL_TRACES_SAMPLER is one of always_on')
})
