import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { createApplication, createOrganization, createToken } from '../../server/src/settings/index.ts'
import { administrationOf, environmentOf } from '../process/support/installations.ts'
import { Client } from '../support/client.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type Call, NotingReceiver } from '../support/noting-receiver.ts'
import { type Program, readyAt, useProcesses } from '../support/process.ts'
import { Random, roundsOf, seedOf } from '../support/random.ts'
import { until } from '../support/waiting.ts'
import { aWebhook } from '../support/webhooks.ts'
import { holders, isDone, noteWrites, type Written, writesIn } from './support/settled-history.ts'
import { WebhookLoad } from './support/webhook-load.ts'

const processes = useProcesses()
const random = new Random(seedOf('CRASH_SEED'))
const kills = roundsOf('WEBHOOK_KILLS', 2)
const stoppedSeconds = roundsOf('WEBHOOK_STOPPED_SECONDS', 12)
/** The leases of a worker last for 30 s. A test that has less time gives its workers shorter leases. */
const hasShortLeases = stoppedSeconds < 45
const patience = 240_000
const webhooks = 6

/** A worker that ends or stops, and what is known of that moment. */
interface Interruption {
  readonly worker: string
  readonly at: number
  readonly webhooks: ReadonlySet<string>
}

interface FeedEvent {
  readonly seq: number
  readonly id: string
  readonly kind: string
  readonly record: string
}

let made: TestDatabase
let environment: Record<string, string>
let client: Client
let organizationId: string
const receiver = new NotingReceiver(random.fork(), 12)
const workers = new Map<string, Program>()
const killed: Interruption[] = []
let started = 0
let stopped: Interruption
let continued: number
let rate: number
let events: FeedEvent[]
let written: Written[]

async function startWorker(): Promise<void> {
  started += 1
  const name = `worker-${started}`
  const worker = processes.start(['serve', '--role', 'worker'], named(name))
  const isReady = await until('a worker', () =>
    !worker.running ? 'no' : worker.out.includes('CRM worker ready') && 'yes',
  )
  // A database that is busy for too long ends it, and its supervisor starts it again.
  if (isReady === 'no') return startWorker()
  workers.set(name, worker)
}

const named = (name: string) => ({
  ...environment,
  DATABASE_URL: `${environment.DATABASE_URL}&application_name=${name}`,
  OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8',
})

const held = async () => holders(made.database)

/** A worker by chance, with the webhooks that it has. */
async function chosen(): Promise<Interruption & { readonly program: Program }> {
  const all = await held()
  const [worker, program] = random.pick([...workers].filter(([name]) => [...all.values()].includes(name)))
  return { worker, program, at: 0, webhooks: webhooksOf(worker, all) }
}

const webhooksOf = (worker: string, all: ReadonlyMap<string, string>) =>
  new Set([...all].flatMap(([webhook, holder]) => (holder === worker ? [webhook] : [])))

async function untilTakenOver({ worker }: Interruption): Promise<void> {
  await until('a take-over', async () => webhooksOf(worker, await held()).size === 0, patience).catch(error => {
    const told = [...workers].map(([name, { out, err }]) => `${name}: ${out.slice(-2000)}${err.slice(-2000)}`)
    throw new Error(told.join('\n'), { cause: error })
  })
}

const selectEvents = statement(
  'crash_select_feed',
  `select c.seq::integer as seq, c.id, c.kind, c.resource_id as record
     from changes c where c.organization_id = $1 order by c.seq`,
)
const selectPositions = statement(
  'crash_select_open_positions',
  `select p.settled_seq, p.state from webhook_positions p join organization_feed f on f.organization_id = p.organization_id
    where p.organization_id = $1 and (p.settled_seq < f.seq or p.state <> 'active')`,
)

beforeAll(async () => {
  if (hasShortLeases) processes.useSources(fileURLToPath(new URL('support/short-leases.ts', import.meta.url)))
  made = await createTestDatabase(4)
  environment = await environmentOf(processes, made)
  const administration = administrationOf(made.database)
  const { id } = await createOrganization(administration, { name: 'Acme' })
  organizationId = id
  const rates = { rateRead: 1_000_000, rateWrite: 1_000_000 }
  const { id: applicationId } = await createApplication(administration, { organizationId, name: 'ERP', ...rates })
  const names = { organizationId, applicationId, name: 'Test', scopes: ['all'] }
  const { token } = await createToken(administration, names)
  const url = await receiver.listen()
  for (let count = 0; count < webhooks; count += 1) await aWebhook(made, { id, applicationId }, { url })
  await noteWrites(made.database)

  const api = processes.start(['serve', '--role', 'api'], { PORT: '0', ...named('api') })
  const [, address = ''] = await api.printed(readyAt)
  client = new Client(address, token)
  await Promise.all([startWorker(), startWorker()])
  await until('all webhooks', async () => (await held()).size === webhooks)

  const load = new WebhookLoad(client, random.fork())
  for (let round = 0; round < kills; round += 1) {
    await sleep(random.between(1500, 4000))
    const { program, ...victim } = await chosen()
    program.send('SIGKILL')
    killed.push({ ...victim, at: Date.now() })
    workers.delete(victim.worker)
    await startWorker()
    await untilTakenOver(victim)
  }
  await sleep(3000)
  const { program, ...victim } = await chosen()
  program.send('SIGSTOP')
  stopped = { ...victim, at: Date.now() }
  await sleep(stoppedSeconds * 1000)
  await untilTakenOver(stopped)
  program.send('SIGCONT')
  continued = Date.now()
  await until('its return', async () => webhooksOf(stopped.worker, await held()).size > 0, patience)
  rate = load.rate
  await load.end()
  await until(
    'the end of all deliveries',
    async () => (await made.database.search(selectPositions, [organizationId])).length === 0,
    patience,
  )
  for (const worker of [...workers.values(), api]) await worker.end('SIGTERM')
  const rows = await made.database.search(selectEvents, [organizationId])
  events = rows.map(row => ({
    seq: Number(row.seq),
    id: String(row.id),
    kind: String(row.kind),
    record: String(row.record),
  }))
  written = await writesIn(made.database)
  tellFigures()
}, 3_600_000)

afterAll(async () => {
  receiver.close()
  await made?.drop()
})

const seqs = () => new Map(events.map(({ id, seq }) => [id, seq]))
const positions = () => written.filter(({ table }) => table === 'webhook_positions')

/** The positions as workers have taken them over. */
function taken(): Written[] {
  const tokens = new Map<string, number>()
  return positions().filter(({ webhook, token }) => {
    const isTaken = tokens.get(webhook) !== token
    tokens.set(webhook, token)
    return isTaken
  })
}

function grouped<Item>(items: readonly Item[], by: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>()
  for (const item of items) {
    const group = groups.get(by(item)) ?? []
    group.push(item)
    groups.set(by(item), group)
  }
  return groups
}

/** The calls of each webhook in the order in which they arrived. */
const byWebhook = () => grouped(receiver.calls, ({ webhook }) => webhook)

/** Calls with an id that had arrived before. */
function doubles(): { readonly first: Call; readonly again: Call }[] {
  const first = new Map<string, Call>()
  return receiver.calls.flatMap(call => {
    const before = first.get(call.id)
    if (before !== undefined) return [{ first: before, again: call }]
    first.set(call.id, call)
    return []
  })
}

/** What became of a kill: how many events came again, and how many of them had been under way or answered in its last 20 ms. */
function consequences({ at, webhooks }: Interruption, next: number) {
  const own = doubles().filter(
    ({ again, first }) =>
      webhooks.has(again.webhook) && first.arrived < next && again.arrived > at && again.arrived <= next,
  )
  const underWay = own.filter(({ first }) => first.answered === null || first.answered > at)
  const late = own.filter(({ first }) => first.answered !== null && first.answered <= at && first.answered > at - 20)
  const earlier = own.length - underWay.length - late.length
  return { doubled: own.length, underWay: underWay.length, late: late.length, earlier }
}

function tellFigures(): void {
  const ends = [...killed.slice(1).map(({ at }) => at), stopped.at]
  const all = killed.map((each, index) => consequences(each, ends[index] ?? Number.POSITIVE_INFINITY))
  const sum = (of: (each: (typeof all)[number]) => number) => all.reduce((total, each) => total + of(each), 0)
  const again = consequences(stopped, Number.POSITIVE_INFINITY)
  console.log(
    `${events.length} events at ${rate.toFixed(0)}/s, ${receiver.calls.length} calls for ${webhooks} webhooks. ` +
      `${kills} kills: ${sum(each => each.doubled)} came again, at most ${Math.max(...all.map(each => each.doubled))} after one; ` +
      `${sum(each => each.underWay)} had been under way, ${sum(each => each.late)} answered in the last 20 ms, ` +
      `${sum(each => each.earlier)} before. A stop of ${stoppedSeconds} s: ${again.doubled} came again`,
  )
}

test('every event reached every webhook, and those of a record in their order', () => {
  const bySeq = new Map(events.map(event => [event.seq, event]))
  const number = seqs()
  const ofRecord = grouped(events, ({ record }) => record)
  const wrong: string[] = []
  for (const [webhook, calls] of byWebhook()) {
    const told = new Set<number>()
    const last = new Map<string, number>()
    for (const { id, body } of calls) {
      const seq = number.get(id.split('_')[1] ?? '') ?? 0
      const record = bySeq.get(seq)?.record ?? ''
      const { coalesced = 1 } = JSON.parse(body).data
      const all = ofRecord.get(record) ?? []
      const place = all.findIndex(event => event.seq === seq)
      const merged = all.slice(place + 1 - coalesced, place + 1)
      if (coalesced > 1 && merged.some(({ kind }) => kind !== 'contact.updated')) wrong.push(`${id} merges other kinds`)
      // An update that came as part of a later one can come again by itself.
      const [fresh] = merged.filter(event => !told.has(event.seq))
      if (fresh !== undefined && fresh.seq < (last.get(record) ?? 0)) wrong.push(`${id} comes late`)
      for (const event of merged) told.add(event.seq)
      last.set(record, Math.max(seq, last.get(record) ?? 0))
    }
    expect([webhook, events.filter(event => !told.has(event.seq))]).toEqual([webhook, []])
  }
  expect(wrong).toEqual([])
  expect(byWebhook().size).toBe(webhooks)
})

test('what came again came with the same bytes, unless its record had lost its key or other updates were merged', () => {
  const removed = new Set(events.flatMap(({ kind, record }) => (kind === 'contact.deleted' ? [record] : [])))
  const withoutKey = (body: string) =>
    body.replace(/"externalId":(null|"[^"]*")/u, '').replace(/"externalIdTombstoned":\w+/u, '')
  for (const { first, again } of doubles()) {
    const [one, other] = [JSON.parse(first.body).data, JSON.parse(again.body).data]
    if (one.coalesced !== other.coalesced) {
      expect([other.id, other.seq, other.version]).toEqual([one.id, one.seq, one.version])
      continue
    }
    const compared = (body: string) => (removed.has(one.resourceId) ? withoutKey(body) : body)
    expect(compared(again.body)).toBe(compared(first.body))
  }
})

test('nothing came again that was stored when another worker took its webhook', () => {
  const number = seqs()
  const takes = taken()
  expect(takes.length).toBeGreaterThan(webhooks)
  for (const { first, again } of doubles()) {
    // Its clock is that of the receiver. The calls of the worker before had arrived, or had not been made.
    const take = takes.findLast(({ webhook, begun }) => webhook === again.webhook && begun <= again.arrived)
    if (take === undefined || first.arrived > take.begun) continue
    const seq = number.get(again.id.split('_')[1] ?? '') ?? 0
    const { at } = [...killed, stopped].findLast(each => each.at <= again.arrived) ?? { at: 0 }
    const byContinued = again.arrived >= continued && stopped.webhooks.has(again.webhook)
    if (!byContinued) expect([seq, at, isDone(take, seq)]).toEqual([seq, at, false])
  }
})

test('after each kill only calls came again that were under way, or answered since the last but one stored settlement', () => {
  const takes = new Set(taken().map(({ webhook, token, begun }) => `${webhook} ${token} ${begun}`))
  const isTake = ({ webhook, token, begun }: Written) => takes.has(`${webhook} ${token} ${begun}`)
  for (const [index, { worker, at, webhooks: own }] of killed.entries()) {
    const next = killed[index + 1]?.at ?? stopped.at
    const stored = positions().filter(row => row.worker === worker && row.begun <= at && !isTake(row))
    const begins = [...new Set(stored.map(({ begun }) => begun))]
    const since = begins.at(-2) ?? 0
    const unstored = doubles().filter(({ first, again }) => {
      const isOfKill = own.has(again.webhook) && first.arrived <= at && again.arrived > at && again.arrived <= next
      return isOfKill && first.answered !== null && first.answered <= since
    })
    expect([worker, unstored]).toEqual([worker, []])
  }
})

test('no position ever went back, and a worker that had lost a webhook wrote nothing for it', () => {
  const last = new Map<string, Written>()
  for (const row of written) {
    const before = last.get(row.webhook)
    if (row.table !== 'webhook_positions') {
      expect([row.table, row.worker]).toEqual([row.table, before?.worker])
      continue
    }
    if (before !== undefined) {
      expect(row.settledSeq).toBeGreaterThanOrEqual(before.settledSeq)
      expect(row.token - before.token).toBeOneOf([0, 1])
      if (row.token === before.token) expect(row.worker).toBe(before.worker)
    }
    last.set(row.webhook, row)
  }
  const afterwards = positions().filter(({ worker, begun }) => worker === stopped.worker && begun > continued)
  expect(afterwards.length).toBeGreaterThan(0)
})
