import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { startApi, type TestApi } from '../support/api.ts'
import { type Client } from '../support/client.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'
import { Random, seedOf } from '../support/random.ts'
import { until } from '../support/waiting.ts'
import { RandomClient } from './client.ts'
import { effects } from './effects.ts'
import { readFeed, replay, unexplained } from './replay.ts'
import { Sightings } from './sightings.ts'
import { tagsOf } from './tags.ts'
import { type Part, plurals, type World } from './world.ts'

const seconds = Number(process.env['MODEL_SECONDS'] ?? 4)
const clients = 8
// The replay takes time, too, and what is looked at in the end grows with the run.
const patience = (2 * seconds + 120) * 1000

let api: TestApi
let organization: TestOrganization
let client: Client
let sightings: Sightings
let workers: RandomClient[]
let world: World
let findings: string[]
let feed: JsonObject[]

beforeAll(async () => {
  const random = new Random(seedOf('MODEL_SEED'))
  api = await startApi()
  organization = await anOrganization(api)
  client = organization.client
  sightings = new Sightings()
  const { first, second, won, lost } = organization.stages
  const surroundings = {
    stages: [first, second, won, lost],
    lostStage: lost,
    lostReason: organization.lostReason,
    tagIds: await tagsOf(api, organization, 5),
  }
  workers = Array.from({ length: clients }, () => new RandomClient(client, random.fork(), sightings, surroundings))
  const start = String((await client.get('/changes/cursor')).data.cursor)
  let over = false
  const work = workers.map(worker => worker.work(() => over))
  await Promise.race([sleep(seconds * 1000), Promise.all(work)])
  // On a machine that is busy they need longer to come to everything.
  await until('every effect', () => neverHad(workers).length === 0, patience / 2).catch(() => {})
  over = true
  await Promise.all(work)
  const actions = workers.flatMap(worker => worker.actions)
  feed = await readFeed(client, start)
  ;({ world, findings } = replay(feed, actions))
  const successes = actions.filter(({ status }) => status < 300).length
  console.log(`${actions.length} requests, ${successes} successes, ${world.history.size} versions`)
}, patience)
afterAll(() => api?.close())

test('clients get only answers that concurrency explains', () => {
  expect(workers.flatMap(({ surprises }) => surprises).slice(0, 5)).toEqual([])
  expect(api.failures).toEqual([])
})

test('the feed matches the answers, in one order that explains every compare-and-set', () => {
  expect(findings.slice(0, 5)).toEqual([])
})

test('every record in an answer is a version that existed', () => {
  expect(unexplained(world, sightings.seen).slice(0, 5)).toEqual([])
})

test('in the end every record is as the replay of the feed has it', { timeout: patience }, async () => {
  const answered = []
  for (const [id, { kind }] of world.records) {
    const { status, data } = await client.get(`/${plurals[kind]}/${id}`)
    answered.push({ data: status === 200 ? data : { id, version: status }, by: 'GET' })
    expect([id, data.version]).toEqual([id, world.find(id)?.version])
  }
  expect(unexplained(world, answered).slice(0, 5)).toEqual([])
})

test('in the end the parts of records are in the places that the replay gives them', {
  timeout: patience,
}, async () => {
  const idsOf = (parts: ReadonlyMap<string, Part>, within?: string) =>
    [...parts].filter(([, { checklistId }]) => checklistId === within).map(([id]) => id)
  for (const [id, { kind }] of world.records) {
    if (kind === 'deal') await expectPlaces(`/deals/${id}/items`, idsOf(world.parts('items', id)))
    if (kind === 'company') await expectPlaces(`/companies/${id}/contacts`, idsOf(world.parts('links', id)))
    if (kind !== 'task') continue
    const parts = world.parts('checklists', id)
    for (const { id: within, items } of await expectPlaces(`/tasks/${id}/checklists`, idsOf(parts)))
      expect(placesOf(items)).toEqual(idsOf(parts, String(within)).map((item, place) => [item, place]))
  }
})

test('in the end the activities of records are those of the replay, with their contacts and versions', {
  timeout: patience,
}, async () => {
  for (const [owner, { kind }] of world.records) {
    if (kind === 'task') continue
    const listed = await listAll(`/${plurals[kind]}/${owner}/activities`)
    const found = listed.map(({ id, contactId, version }) => [id, contactId, version])
    // The participant of an activity of a contact is its owner.
    const due = [...world.parts('activities', owner)].map(([id, { contactId, version }]) => [
      id,
      kind === 'contact' ? owner : contactId,
      version,
    ])
    expect([kind, owner, found.sort()]).toEqual([kind, owner, due.sort()])
  }
})

test('every effect that the model knows has occurred', () => {
  expect(neverHad(workers)).toEqual([])
})

/** Effects that no request had so far. */
function neverHad(asked: readonly RandomClient[]): string[] {
  const successes = asked.flatMap(({ actions }) => actions).filter(({ status }) => status < 300)
  const names = new Set(successes.map(({ name }) => name))
  return Object.keys(effects).filter(name => !names.has(name))
}

test('the model notices an event that is missing, one that is wrong, and an answer that never was', {
  timeout: patience,
}, () => {
  const actions = workers.flatMap(worker => worker.actions)
  // One that another event of the same record follows: what is missing at the end need not be missed.
  const middle = feed.findIndex(
    ({ resourceId }, index) =>
      index >= feed.length / 2 && feed.slice(index + 1).some(later => later.resourceId === resourceId),
  )
  expect(middle).toBeGreaterThan(0)
  expect(replay(feed.toSpliced(middle, 1), actions).findings).not.toEqual([])
  const wrong = feed.map((event, index) =>
    index === middle ? { ...event, version: Number(event.version) + 1 } : event,
  )
  expect(replay(wrong, actions).findings).not.toEqual([])
  const [first] = sightings.seen
  const changed = { data: { ...first?.data, version: 10_000 }, by: 'nobody' }
  expect(unexplained(world, [changed])).toHaveLength(1)
})

const placesOf = (items: unknown) =>
  Array.isArray(items) ? items.map(({ id, contactId, position }) => [id ?? contactId, position]) : []

/** Reads the whole list; each has to be in its place. */
async function expectPlaces(path: string, ids: readonly string[]): Promise<readonly JsonObject[]> {
  const listed = await listAll(path)
  expect([path, placesOf(listed)]).toEqual([path, ids.map((id, place) => [id, place])])
  return listed
}

async function listAll(path: string): Promise<readonly JsonObject[]> {
  const listed: JsonObject[] = []
  for (let query = 'limit=100'; query !== ''; ) {
    const { items, meta } = await client.get(`${path}?${query}`)
    listed.push(...items)
    query = meta.nextCursor === null ? '' : `limit=100&cursor=${meta.nextCursor}`
  }
  return listed
}
