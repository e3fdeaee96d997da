import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { JsonObject } from '../../../server/src/kernel/schema/index.ts'
import { channelsPath, setsPath } from '../../conformance/support/agent-requests.ts'
import { startApi, type TestApi } from '../../support/api.ts'
import type { Client } from '../../support/client.ts'
import { anOrganization, type TestOrganization } from '../../support/organization.ts'
import { Random, seedOf } from '../../support/random.ts'
import { until } from '../../support/waiting.ts'
import { choose, paths } from './choose.ts'
import { Holdings } from './holdings.ts'
import { type Asked, type Logged, readLog, replay, unlike } from './replay.ts'

const milliseconds = Number(process.env['MODEL_SECONDS'] ?? 2) * 1000
const clients = 8
const patience = 4 * milliseconds + 120_000

/** Answers that a client has to expect when others change the same records. */
const expected = new Set([200, 201, 404, 409, 422])

let api: TestApi
let organization: TestOrganization
let client: Client
let asked: Asked[]
let log: JsonObject[]
let records: ReadonlyMap<string, Logged>
let findings: readonly string[]

beforeAll(async () => {
  const random = new Random(seedOf('MODEL_SEED'))
  api = await startApi()
  organization = await anOrganization(api)
  client = organization.client
  asked = []
  const holdings = new Holdings()
  let over = false
  const work = Array.from({ length: clients }, () => ask(random.fork(), holdings, () => over))
  await Promise.race([sleep(milliseconds), Promise.all(work)])
  // On a machine that is busy they need longer to come to everything.
  await until('every answer', () => neverHad().length === 0, patience / 2).catch(() => {})
  over = true
  await Promise.all(work)
  log = await readLog(client)
  ;({ records, findings } = replay(log, asked))
  console.log(`${asked.length} requests, ${log.length} entries, ${records.size} records in the end`)
}, patience)
afterAll(() => api?.close())

async function ask(random: Random, holdings: Holdings, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const request = choose(random, holdings, organization.channel)
    if (request === null) continue
    const { kind, method, path, body } = request
    const requestId = randomUUID()
    const answer = await client.call(method, path, body, { headers: { 'x-request-id': requestId } })
    const { status, data } = answer
    asked.push({ requestId, method, path, status, data })
    if (kind === 'product' || kind === 'ai_operator') continue
    if (status === 201) holdings.ids[kind].add(String(data.id))
    if (status === 404 && random.next() < 0.5) for (const id of idsIn(path)) holdings.ids[kind].delete(id)
  }
}

const idsIn = (path: string) => path.match(/[0-9a-f]{8}-[0-9a-f-]{27}/gu) ?? []

const ofKind = (kind: string) => [...records].filter(([, record]) => record.kind === kind)

/** Answers that no request had so far. */
function neverHad(): string[] {
  const had = new Set(asked.map(({ method, status }) => `${method} ${status}`))
  const all = ['POST 201', 'POST 409', 'PATCH 200', 'PATCH 404', 'PUT 200', 'PUT 404', 'DELETE 200', 'DELETE 409']
  return all.filter(each => !had.has(each))
}

test('clients get only answers that concurrency explains, and each of these occurs', () => {
  expect(asked.filter(({ status }) => !expected.has(status))).toEqual([])
  expect(neverHad()).toEqual([])
  expect(api.failures).toEqual([])
})

test('the audit log matches the answers, in one order in which each entry follows from those before it', () => {
  expect(findings.slice(0, 5)).toEqual([])
})

test('in the end the records are those of the log, with the same values', { timeout: patience }, async () => {
  for (const [kind, path] of Object.entries(paths)) {
    const { items } = await client.get(path)
    expect([kind, items.map(({ id }) => id).toSorted()]).toEqual([
      kind,
      ofKind(kind)
        .map(([id]) => id)
        .toSorted(),
    ])
    const different = items.flatMap(item => unlike(item, records.get(String(item.id))?.fields ?? new Map()))
    expect(different).toEqual([])
  }
  const operator = await client.get(`${channelsPath}/${organization.channel}/ai-operator`)
  expect(unlike(operator.data, records.get(organization.channel)?.fields ?? new Map())).toEqual([])
})

test('in the end each set holds and counts the products that the log has in it', { timeout: patience }, async () => {
  const products = ofKind('product').map(([, { fields }]) => fields)
  for (const [set] of ofKind('product_set')) {
    const held = products.filter(fields => fields.get('productSetId') === set)
    const { data } = await client.get(`${setsPath}/${set}/products?limit=100`)
    const items: JsonObject[] = Array.isArray(data.items) ? data.items.map(Object) : []
    expect([data.total, items.length]).toEqual([held.length, held.length])
    expect((await client.get(`${setsPath}/${set}`)).data.productsCount).toBe(held.length)
    for (const item of items) {
      const fields = held.find(each => each.get('id') === item.id)
      expect([item.id, fields === undefined ? ['not in the log'] : unlike(item, fields)]).toEqual([item.id, []])
    }
  }
})

test('in the end each linked record exists, and names the link', { timeout: patience }, async () => {
  const agents = (await client.get(paths.agent)).items
  const members = {
    product_set: 'productSetIds',
    knowledge_base: 'knowledgeBaseIds',
    api_integration: 'apiIntegrationIds',
  }
  for (const [kind, member] of Object.entries(members)) {
    const there = new Set(ofKind(kind).map(([id]) => id))
    expect(agents.flatMap(agent => namesIn(agent[member])).filter(id => !there.has(id))).toEqual([])
  }
  for (const { id, agents: users } of (await client.get(paths.knowledge_base)).items) {
    const linked = agents.filter(agent => namesIn(agent.knowledgeBaseIds).includes(String(id)))
    const told = Array.isArray(users) ? users.map(user => String(user.id)) : []
    expect(told.toSorted()).toEqual(linked.map(agent => String(agent.id)).toSorted())
  }
  const { enabled, agentId } = (await client.get(`${channelsPath}/${organization.channel}/ai-operator`)).data
  expect(agentId === null ? enabled : agents.some(({ id }) => id === agentId)).toBe(agentId !== null)
})

test('the model notices an entry that is missing, and one that is wrong', () => {
  const created = log.findIndex(({ action }) => String(action).endsWith('.created'))
  expect(replay(log.toSpliced(created, 1), asked).findings).not.toEqual([])
  const middle = Math.floor(log.length / 2)
  const wrong = log.map((entry, index) => (index === middle ? { ...entry, requestId: randomUUID() } : entry))
  expect(replay(wrong, asked).findings).not.toEqual([])
})

const namesIn = (ids: unknown) => (Array.isArray(ids) ? ids.map(String) : [])
