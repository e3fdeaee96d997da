import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../server/src/kernel/sql/index.ts'
import { anApplication, anotherApplication, besideServer } from '../process/support/installations.ts'
import { aContact } from '../support/builders.ts'
import { Client } from '../support/client.ts'
import { useProcesses } from '../support/process.ts'
import { Random, seedOf } from '../support/random.ts'
import { until } from '../support/waiting.ts'
import { Courier, type Delivery, partsOf, send } from './support/courier.ts'
import { personsIn, severalAtOnce } from './support/deliveries.ts'
import { Integration, type Surroundings } from './support/integration.ts'
import { effectiveRequests, invariants, openStages, storedAnswers } from './support/invariants.ts'
import { Rig, targets } from './support/rig.ts'

const processes = useProcesses()
const random = new Random(seedOf('CRASH_SEED'))
const rounds = random.shuffled(targets)
const integrationsPerApplication = 3

let rig: Rig
let database: Database
let organizationId: string
let client: Client
let surroundings: Surroundings
let integrations: Integration[]
let deliveries: Delivery[]
/** The position before anything was written. */
let beginning: string

beforeAll(async () => {
  rig = await Rig.start(processes)
  const first = await besideServer(rig.folder)
  const application = await anApplication(first)
  organizationId = application.organizationId
  const tokens = [application.token, await anotherApplication(first, organizationId)]
  const stages = await first.query(openStages, [organizationId])
  await first.close()

  const couriers = tokens.flatMap(token =>
    Array.from({ length: integrationsPerApplication }, () => new Courier(rig.address, token)),
  )
  const setUp = new Courier(rig.address, application.token)
  client = new Client(await rig.address(), application.token)
  beginning = String((await client.get('/changes/cursor')).data.cursor)
  const { data } = partsOf(await setUp.deliver('POST', '/contacts', aContact()))
  surroundings = {
    contested: { id: String(data.id), version: 1, changes: 0 },
    stageUuids: stages.map(({ id }) => String(id)),
    erased: new Set(),
  }
  integrations = couriers.map(courier => new Integration(courier, random.fork(), surroundings))

  let over = false
  const working = Promise.all(integrations.map(integration => integration.work(() => over)))
  const delivered = () => couriers.reduce((count, courier) => count + courier.deliveries.length, 0)
  for (const target of rounds) {
    const enough = delivered() + random.between(60, 140)
    await until('work to interrupt', () => delivered() >= enough)
    await sleep(random.between(0, 12))
    await rig.crash(target)
  }
  over = true
  await working
  deliveries = [setUp, ...couriers].flatMap(courier => courier.deliveries)
  database = await besideServer(rig.folder)
  client = new Client(await rig.address(), application.token)
}, 180_000)

afterAll(() => database?.close())

const succeeded = () => deliveries.filter(({ status }) => status < 300)

const erasedIn = (delivery: Delivery) => personsIn(delivery, surroundings.erased)

test('crashes interrupted requests, and all of them came to an end', () => {
  expect(deliveries.filter(({ attempts }) => attempts > 1).length).toBeGreaterThan(rounds.length)
  expect(succeeded().length).toBeGreaterThan(100)
})

test('no integration got an answer that contradicts its earlier ones', () => {
  expect(integrations.flatMap(({ surprises }) => surprises)).toEqual([])
})

test('every success has its stored answer, as it was sent, and its events; every refusal has neither', async () => {
  const stored = new Map((await database.query(storedAnswers, [organizationId])).map(row => [row.key, row]))
  const effective = new Set((await database.query(effectiveRequests, [organizationId])).map(row => row.request_id))
  for (const delivery of deliveries) {
    const row = stored.get(delivery.key)
    stored.delete(delivery.key)
    effective.delete(delivery.key)
    if (delivery.status >= 300) expect(row).toBeUndefined()
    else if (erasedIn(delivery).length === 0)
      expect(row).toMatchObject({ status: delivery.status, body: delivery.text })
    else expect(row).toMatchObject({ status: delivery.status })
  }
  expect([...stored.keys(), ...effective]).toEqual([])
})

describe('in the database', () => {
  test.each(invariants)('%s', async (_, violations) => {
    expect(await database.search(violations, [organizationId])).toEqual([])
  })
})

describe('through the API', () => {
  test('every record is as its last answer showed it', async () => {
    const records = integrations.flatMap(({ known }) =>
      Object.entries(known).flatMap(([kind, ofKind]) => [...ofKind.values()].map(record => ({ kind, ...record }))),
    )
    await severalAtOnce(records, async ({ kind, id, version }) => {
      const { status, data } = await client.get(`/${kind}/${id}`)
      expect([kind, id, status, data.version]).toEqual([kind, id, 200, version])
    })
  })

  test('a record that several clients changed at once has one version for each success', async () => {
    const { contested } = surroundings
    expect((await client.get(`/contacts/${contested.id}`)).data.version).toBe(1 + contested.changes)
  })

  test('a key that several created at once was created by one', () => {
    const perApplication = [
      integrations.slice(0, integrationsPerApplication),
      integrations.slice(integrationsPerApplication),
    ]
    for (const members of perApplication) {
      const won = members.flatMap(member => member.won)
      expect(new Set(won).size).toBe(won.length)
    }
  })

  test('the feed can be read from its beginning to its end without a gap', async () => {
    const head = Number((await client.get('/changes/cursor')).data.seq)
    let cursor = beginning
    const seen: number[] = []
    for (let more = true; more; ) {
      const page = await client.get(`/changes?after=${cursor}&limit=100`)
      seen.push(...page.items.map(({ seq }) => Number(seq)))
      cursor = String(page.meta.nextCursor)
      more = page.meta.hasMore === true
    }
    expect(seen).toEqual(Array.from({ length: head }, (_, index) => index + 1))
  })

  test('a repeated request gets the answer that it got, byte for byte', async () => {
    const url = await rig.address()
    const untouched = succeeded().filter(each => erasedIn(each).length === 0)
    await severalAtOnce(untouched, async delivery => {
      const { status, text } = delivery
      expect(await send(url, delivery)).toEqual({ status, text, replayed: true })
    })
  })

  test('a repeated request whose answer held a person that was erased since is 410, in a batch that element alone', async () => {
    const url = await rig.address()
    const concerned = succeeded().filter(each => erasedIn(each).length > 0)
    expect(concerned).not.toEqual([])
    for (const delivery of concerned) {
      const { status, text } = await until('an answer', () => send(url, delivery))
      if (!delivery.path.includes('/batch/')) expect(status).toBe(410)
      else if (status === 200) {
        expect(erasedIn({ ...delivery, text })).toEqual([])
        const gone = partsOf({ text }).items.filter(element => element.status === 410)
        expect(gone.length).toBeGreaterThanOrEqual(new Set(erasedIn(delivery)).size)
      } else expect(status).toBe(410)
    }
  })
})
