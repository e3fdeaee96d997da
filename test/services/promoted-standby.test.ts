import { afterAll, beforeAll, expect, test } from 'vitest'
import { Database, migrate } from '../../server/src/kernel/sql/index.ts'
import { anApplication, onDatabase } from '../process/support/installations.ts'
import { aContact } from '../support/builders.ts'
import { type Answer, Client } from '../support/client.ts'
import { type Server, useProcesses } from '../support/process.ts'
import { until } from '../support/waiting.ts'
import { Forwarder } from './forwarder.ts'
import { PostgresServer } from './postgres-server.ts'

const processes = useProcesses()
let primary: PostgresServer
let standby: PostgresServer
/** Where the server finds its database. */
let address: Forwarder
/** The way from the primary to its standby. */
let replication: Forwarder
let environment: Record<string, string>
let server: Server
let client: Client

beforeAll(async () => {
  primary = await PostgresServer.primary()
  await primary.ask('create database crm')
  address = await Forwarder.start(primary.port)
  environment = await onDatabase(processes, primary.url('crm', address.port))
  const database = new Database({ location: { url: primary.url('crm') }, connections: 2 })
  await migrate(database)
  const { token } = await anApplication(database)
  await database.close()
  server = await processes.serve(environment)
  client = new Client(server.url, token)
  replication = await Forwarder.start(primary.port)
  standby = await PostgresServer.standbyOf(replication.port)
})
afterAll(async () => {
  await processes.end()
  await address?.close()
  await replication?.close()
  await standby?.remove()
  await primary?.remove()
})

async function write(count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) expect((await client.post('/contacts', aContact())).status).toBe(201)
}

/** Reads to the end of the feed, and resolves to the position there. */
async function follow(cursor: string): Promise<{ cursor: string; seqs: number[] }> {
  const seqs: number[] = []
  for (let after = cursor; ; ) {
    const { status, items, meta } = await client.get(`/changes?limit=5&after=${after}`)
    expect(status).toBe(200)
    seqs.push(...items.map(({ seq }) => Number(seq)))
    after = String(meta.nextCursor)
    if (meta.hasMore === false) return { cursor: after, seqs }
  }
}

const position = async () => String((await client.get('/changes/cursor')).data.cursor)
const changesAfter = (cursor: string) => client.get(`/changes?after=${cursor}`)
const isReady = async (status: number) => (await fetch(`${server.url}/readyz`)).status === status

async function caughtUp(): Promise<void> {
  const written = await primary.ask('select pg_current_wal_lsn()')
  await until(
    'the standby to catch up',
    async () => (await standby.ask(`select pg_last_wal_replay_lsn() >= '${written}'`)) === 't',
  )
}

function expectTold(answer: Answer): void {
  expect([answer.status, answer.error.code]).toEqual([410, 'cursor_expired'])
  expect(answer.details).toEqual({
    oldestSeq: expect.any(Number),
    oldestAt: expect.any(String),
    retentionSeconds: 30 * 86_400,
    resync: 'take /changes/cursor first, then list all, then continue from the cursor',
  })
}

test('a consumer that was ahead of a promoted standby gets a 410, also when the feed has passed its number', async () => {
  const start = await position()
  await write(5)
  const behind = await follow(start)
  await caughtUp()
  // An asynchronous standby: what follows never reaches it.
  replication.leadTo(null)
  await write(7)
  const ahead = await follow(behind.cursor)
  expect(ahead.seqs).toEqual([6, 7, 8, 9, 10, 11, 12])
  await primary.kill()

  // The address is handed over before the standby is promoted: connections from then would outlive the promotion.
  address.leadTo(standby.port)
  await until('the server to notice', () => isReady(503))
  expect((await changesAfter(ahead.cursor)).status).toBe(503)
  expect(await standby.ask('select pg_promote()')).toBe('t')
  await until('a ready server', () => isReady(200))

  await write(10)
  const { items } = await client.get('/contacts?limit=100')
  expect(items).toHaveLength(15)
  for (const cursor of [start, behind.cursor, ahead.cursor]) expectTold(await changesAfter(cursor))
  const anew = await position()
  await write(1)
  expect((await follow(anew)).seqs).toEqual([16])
})

test('a consumer goes on where the standby lost nothing and the epoch was kept, and the servers start after that', async () => {
  // The former primary is replaced by a new standby.
  await primary.remove()
  primary = standby
  replication.leadTo(primary.port)
  standby = await PostgresServer.standbyOf(replication.port)
  const start = await position()
  await write(3)
  await caughtUp()
  await server.end('SIGTERM')
  await primary.stop()
  await standby.ask('select pg_promote()')
  address.leadTo(standby.port)

  const examined = await processes.run(['doctor'], environment)
  expect(examined.out).toMatch(/change feed: epoch \d+; another database than before: the next start raises it/u)
  const kept = await processes.run(['feed', 'keep-epoch'], environment)
  expect(kept).toMatchObject({ status: 0, err: '' })
  const { token } = client
  server = await processes.serve(environment)
  client = new Client(server.url, token)
  await write(2)
  expect((await follow(start)).seqs).toEqual([17, 18, 19, 20, 21])
})
