import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { administeredChannels } from '../../server/src/entrypoints/cli/administered.ts'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import type { Database } from '../../server/src/kernel/sql/index.ts'
import { agentsPath, channelsPath, setsPath } from '../conformance/support/agent-requests.ts'
import { administrationOf, anApplication, besideServer } from '../process/support/installations.ts'
import { Client, objectOf } from '../support/client.ts'
import { useProcesses } from '../support/process.ts'
import { Random, seedOf } from '../support/random.ts'
import { until } from '../support/waiting.ts'
import { Courier, type Delivery, send } from './support/courier.ts'
import { storedAnswers } from './support/invariants.ts'
import { Rig, targets } from './support/rig.ts'
import { linked, Shop } from './support/shop.ts'
import { auditedRequests, shopInvariants } from './support/shop-invariants.ts'

const processes = useProcesses()
const random = new Random(seedOf('CRASH_SEED'))
const rounds = random.shuffled(targets)
const shopCount = 4

let rig: Rig
let database: Database
let organizationId: string
let client: Client
let shops: Shop[]
let deliveries: Delivery[]

beforeAll(async () => {
  rig = await Rig.start(processes)
  const application = await rig.beside(anApplication)
  organizationId = application.organizationId
  const couriers = Array.from({ length: shopCount }, () => new Courier(rig.address, application.token))
  shops = []
  for (const courier of couriers) shops.push(new Shop(courier, random.fork(), await aChannel()))
  let over = false
  const working = Promise.all(shops.map(shop => shop.work(() => over)))
  const delivered = () => couriers.reduce((count, courier) => count + courier.deliveries.length, 0)
  for (const target of rounds) {
    const enough = delivered() + random.between(80, 160)
    await until('work to interrupt', () => delivered() >= enough)
    await sleep(random.between(0, 12))
    await rig.crash(target)
  }
  over = true
  await working
  deliveries = couriers.flatMap(courier => courier.deliveries)
  database = await besideServer(rig.folder)
  client = new Client(await rig.address(), application.token)
}, 180_000)
afterAll(() => database?.close())

async function aChannel(): Promise<string> {
  const input = { organizationId, type: 'telegram', name: 'Shop', identifier: '@shop' }
  const made = await rig.beside(beside => administeredChannels.create(administrationOf(beside), input))
  return made.id
}

const succeeded = () => deliveries.filter(({ status }) => status < 300)

test('crashes interrupted requests, and all of them came to an end', () => {
  expect(deliveries.filter(({ attempts }) => attempts > 1).length).toBeGreaterThan(rounds.length)
  expect(succeeded().length).toBeGreaterThan(200)
})

test('no client got an answer that contradicts its earlier ones', () => {
  expect(shops.flatMap(({ surprises }) => surprises)).toEqual([])
})

test('every success has its stored answer, as it was sent; a refusal left nothing', async () => {
  const stored = new Map((await database.query(storedAnswers, [organizationId])).map(row => [row.key, row]))
  const audited = new Set((await database.query(auditedRequests, [organizationId])).map(row => row.request_id))
  for (const delivery of succeeded()) {
    const { status, body } = stored.get(delivery.key) ?? {}
    expect([status, dataIn(String(body))]).toEqual([delivery.status, dataIn(delivery.text)])
    stored.delete(delivery.key)
    audited.delete(delivery.key)
  }
  expect([...stored.keys(), ...audited]).toEqual([])
})

describe('in the database', () => {
  test.each(shopInvariants)('%s', async (_, violations) => {
    expect(await database.search(violations, [organizationId])).toEqual([])
  })
})

describe('through the API', () => {
  test('the pages of each set hold its products, each once, and count them', async () => {
    for (const [set, products] of shops.flatMap(shop => [...shop.products])) {
      const listed: JsonObject[] = []
      for (let page = 1; page <= Math.ceil(products.size / 5) + 1; page += 1) {
        const { data } = await client.get(`${setsPath}/${set}/products?limit=5&page=${page}`)
        expect([data.total, data.totalPages]).toEqual([products.size, Math.ceil(products.size / 5)])
        listed.push(...(Array.isArray(data.items) ? data.items.map(Object) : []))
      }
      expect(listed.map(({ id, name }) => [String(id), String(name)]).toSorted()).toEqual([...products].toSorted())
      expect((await client.get(`${setsPath}/${set}`)).data.productsCount).toBe(products.size)
    }
  })

  test('each agent has its links and its channels, and the linked records name it', async () => {
    for (const shop of shops) {
      for (const [id, links] of shop.agents) {
        const { data } = await client.get(`${agentsPath}/${id}`)
        const told = [data.productSetIds, data.knowledgeBaseIds, data.apiIntegrationIds, data.channelsCount]
        expect(told).toEqual([links.sets, links.bases, links.integrations, shop.operator.agentId === id ? 1 : 0])
      }
      const { data } = await client.get(`${channelsPath}/${shop.channel}/ai-operator`)
      expect(data).toMatchObject(shop.operator)
      for (const base of shop.bases) {
        const { agents } = (await client.get(`${linked.bases.path}/${base}`)).data
        const users = Array.isArray(agents) ? agents.map(({ id }) => String(id)).toSorted() : []
        expect(users).toEqual(shop.usersOf('bases', base).toSorted())
      }
    }
  })

  test('there are no more records of any kind than were created, and integrations have their last secrets', async () => {
    for (const [kind, { path }] of Object.entries(linked)) {
      const known = shops.flatMap(shop => idsByKind(shop)[kind] ?? [])
      expect((await client.get(path)).items.map(({ id }) => String(id)).toSorted()).toEqual(known.toSorted())
    }
    const { items } = await client.get(linked.integrations.path)
    const secrets = new Map(shops.flatMap(shop => [...shop.secrets]))
    expect(items.map(({ id, hasSecret }) => [id, hasSecret])).toEqual(
      items.map(({ id }) => [id, secrets.get(String(id))]),
    )
  })

  test('a repeated request gets the answer that it got, byte for byte', async () => {
    const url = await rig.address()
    for (const delivery of succeeded()) {
      const { status, text } = delivery
      expect(await send(url, delivery)).toEqual({ status, text, replayed: true })
    }
  })
})

/** Answers are stored in one form for all parts of the API. */
function dataIn(text: string): unknown {
  return objectOf(JSON.parse(text)).data
}

function idsByKind(shop: Shop): Readonly<Record<string, readonly string[]>> {
  return { sets: shop.idsOf('sets'), bases: shop.idsOf('bases'), integrations: shop.idsOf('integrations') }
}
