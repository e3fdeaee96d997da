import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isObject, type JsonObject } from '../../server/src/kernel/schema/index.ts'
import { type Delivery, send } from '../crash/support/courier.ts'
import { personsIn, severalAtOnce } from '../crash/support/deliveries.ts'
import { effectiveRequests, invariants, openStages, storedAnswers } from '../crash/support/invariants.ts'
import { createEmptyDatabase, type EmptyDatabase } from '../migrations/empty-database.ts'
import { onDatabase } from '../process/support/installations.ts'
import { Client } from '../support/client.ts'
import { everything } from '../support/follower.ts'
import { type Environment, type Processes, useProcesses } from '../support/process.ts'
import { Random, seedOf } from '../support/random.ts'
import { Balancer } from './support/balancer.ts'
import { Cluster } from './support/cluster.ts'
import { type Crossing, cross } from './support/crossing.ts'
import { Load } from './support/load.ts'
import { previousRelease, programOf } from './support/release.ts'
import { type SdkUse, useSdk } from './support/sdk-use.ts'

const previous = useProcesses()
const present = useProcesses()
const random = new Random(seedOf('UPGRADE_SEED'))
const balancer = new Balancer()
/** What was served by which releases, with the requests that each server has had. */
const phases: [phase: string, served: number[]][] = []

let empty: EmptyDatabase
let environment: Environment
let organizationId: string
let token: string
let applied: unknown
let load: Load
let deliveries: Delivery[]
let crossings: Crossing[]
let used: SdkUse

/** Runs a command of a release; what it prints is one JSON document. */
async function crm(release: Processes, ...words: string[]): Promise<JsonObject> {
  const { status, out, err } = await release.run([...words, '--json'], environment)
  const document: unknown = status === 0 ? JSON.parse(out) : null
  if (!isObject(document)) throw new Error(`${words.join(' ')}: ${err}${out}`)
  return document
}

/** An organization of the old release, and a token of an application without limits. */
async function anOrganization(): Promise<{ readonly id: string; readonly token: string }> {
  const settings = ['--time-zone', 'Europe/Berlin', '--currency', 'EUR']
  const organization = await crm(previous, 'organization', 'create', '--name', 'Acme', ...settings)
  const id = String(organization.id)
  const rates = ['--rate-read', '1000000', '--rate-write', '1000000']
  const ofOrganization = ['--organization', id, '--name', 'ERP', ...rates]
  const application = await crm(previous, 'application', 'create', ...ofOrganization)
  const ofApplication = ['--application', String(application.id), '--name', 'Test', '--scopes', 'all']
  return { id, token: String((await crm(previous, 'token', 'create', ...ofApplication)).token) }
}

async function serving(phase: string): Promise<void> {
  balancer.served()
  await load.goOn()
  phases.push([phase, balancer.served()])
}

beforeAll(async () => {
  previous.useProgram(await programOf(await previousRelease()))
  empty = await createEmptyDatabase()
  environment = await onDatabase(present, empty.url)
  await crm(previous, 'migrate')
  ;({ id: organizationId, token } = await anOrganization())
  const other = await anOrganization()
  await balancer.start()
  const cluster = new Cluster(balancer, environment)
  for (const _ of [0, 1]) await cluster.add(previous)
  used = await useSdk(balancer.url, other.token)
  const stages = await empty.database.query(openStages, [organizationId])
  const stageUuids = stages.map(({ id }) => String(id))
  load = await Load.begin(balancer.url, token, stageUuids, random)

  await serving('both servers are of the old release')
  applied = (await crm(present, 'migrate')).applied
  await serving('the database is of the new release, both servers are of the old one')
  await cluster.replace(0, present)
  await serving('one server is of the new release')
  const [newer = '', older = ''] = cluster.urls
  crossings = [await cross(older, newer, token), await cross(newer, older, token)]
  await cluster.replace(0, previous)
  await serving('the upgraded server is of the old release again')
  await cluster.replace(0, present)
  await cluster.replace(1, present)
  await serving('both servers are of the new release')
  await load.end()
  deliveries = [...load.deliveries, ...crossings.map(({ delivery }) => delivery)]
}, 600_000)

afterAll(async () => {
  await balancer.stop()
  await previous.end()
  await present.end()
  await empty?.drop()
})

const succeeded = () => deliveries.filter(({ status }) => status < 300)
const versionsOf = (records: ReadonlyMap<string, JsonObject>) =>
  Object.fromEntries([...records].map(([id, { version }]) => [id, version]))

test('every request is answered at its first attempt, as if there were no upgrade', () => {
  expect(balancer.failures).toEqual([])
  expect(deliveries.filter(({ attempts }) => attempts > 1)).toEqual([])
  expect(load.reader.surprises).toEqual([])
  expect(load.integrations.flatMap(({ surprises }) => surprises)).toEqual([])
})

test('both servers answer at every step: after the migration, with two releases, and after going back', () => {
  expect(phases).toHaveLength(5)
  for (const [phase, served] of phases) {
    expect([phase, served]).toEqual([phase, [expect.any(Number), expect.any(Number)]])
    expect([phase, Math.min(...served)]).not.toEqual([phase, 0])
  }
  console.log(`${deliveries.length} writes; migrated meanwhile: ${JSON.stringify(applied)}`)
})

test('each release continues the work of the other: lists, the feed, and repeated requests', () => {
  const whole = { listGoesOn: true, feedGoesOn: true, requestIsReplayed: true }
  expect(crossings).toEqual([expect.objectContaining(whole), expect.objectContaining(whole)])
})

test('every write that was answered with a success took effect once, and no other', async () => {
  const answered = succeeded().map(({ key }) => key)
  const keysIn = (rows: readonly JsonObject[], name: string) => rows.map(row => String(row[name]))
  const stored = await empty.database.query(storedAnswers, [organizationId])
  expect(keysIn(stored, 'key').toSorted()).toEqual(answered.toSorted())
  const effective = await empty.database.query(effectiveRequests, [organizationId])
  expect(keysIn(effective, 'request_id').filter(key => !answered.includes(key))).toEqual([])
})

describe('in the database', () => {
  test.each(invariants)('%s', async (_, violations) => {
    expect(await empty.database.search(violations, [organizationId])).toEqual([])
  })
})

describe('through the API of the new release', () => {
  const client = () => new Client(balancer.url, token)

  test('a client that has followed the feed all the while has missed no event, and has the records of the server', async () => {
    const head = Number((await client().get('/changes/cursor')).data.seq)
    // The first one was there before it began.
    expect(load.follower.numbers).toEqual(Array.from({ length: head - 1 }, (_, index) => index + 2))
    expect(versionsOf(load.follower.records)).toEqual(versionsOf(await everything(client())))
  })

  test('every record is as its last answer showed it', async () => {
    const known = load.integrations.flatMap(integration =>
      Object.values(integration.known).flatMap(ofKind => [...ofKind.values()]),
    )
    const versions = versionsOf(await everything(client()))
    expect(known.filter(({ id, version }) => versions[id] !== version)).toEqual([])
  })

  test('a repeated request gets the answer that it got from the old release, byte for byte', async () => {
    const untouched = succeeded().filter(each => personsIn(each, load.erased).length === 0)
    await severalAtOnce(untouched, async delivery => {
      const { status, text } = delivery
      expect(await send(balancer.url, delivery)).toEqual({ status, text, replayed: true })
    })
  })
})

describe('the SDK with the server of the old release', () => {
  test('creates rows, each once, and tells of those that it may not overwrite', () => {
    expect(used.written).toEqual(Array.from({ length: 250 }, () => [201, undefined]))
    expect(used.repeated).toEqual(Array.from({ length: 2 }, () => [428, 'precondition_required']))
    expect(used.withVersions).toEqual(Array.from({ length: 2 }, () => [200, undefined]))
  })

  test('reads all pages of a list, changes a record beside another change, and names what is missing', () => {
    expect(used.names.toSorted()).toEqual([...Array(248).fill('Anna'), 'Berta', 'Berta'])
    expect([used.changed, used.missing]).toEqual([['A', 'B'], 'not_found'])
  })

  test('follows the feed without a gap by asking again and again', () => {
    const expected = ['contact.created', 'contact.updated'].flatMap((kind, at) => Array(at === 0 ? 250 : 4).fill(kind))
    expect(used.events).toEqual(expected)
    expect(used.numbers).toEqual(Array.from({ length: 254 }, (_, at) => at))
  })
})
