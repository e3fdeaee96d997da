import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { type Database, type Row, statement } from '../../server/src/kernel/sql/index.ts'
import { anApplication, anotherApplication } from '../process/support/installations.ts'
import { aContact } from '../support/builders.ts'
import { type Answer, Client } from '../support/client.ts'
import { useProcesses } from '../support/process.ts'
import { until } from '../support/waiting.ts'
import { invariants } from './support/invariants.ts'
import { Rig } from './support/rig.ts'

// A transaction that commits a contact waits for a lock that the test holds: all is written, and the commit is on its way.
const waitInCommit = `
  create function test_wait_in_commit() returns trigger language plpgsql as $$ begin
    perform pg_advisory_xact_lock_shared(4242);
    return null;
  end $$;
  create constraint trigger test_wait_in_commit after insert on contacts deferrable initially deferred
    for each row execute function test_wait_in_commit()`

const holdFeed = statement(
  'crash_hold_feed',
  'select f.seq from organization_feed f where f.organization_id = $1 for update',
)
const holdCommits = statement(
  'crash_hold_commits',
  'select pg_advisory_xact_lock(4242) from organizations o where o.id = $1',
)
// A new contact locks the key of its request and its external key.
const selectWaiting = statement(
  'crash_waiting_writes',
  `select count(*)::integer / 2 as writes
     from pg_stat_activity a
     join pg_locks l on l.pid = a.pid and l.locktype = 'advisory' and l.granted
    where a.datname = current_database() and a.wait_event_type = 'Lock'
    group by a.pid`,
)
// Rows that one transaction has written have the same `xmin`.
const selectWritten = statement(
  'crash_written_together',
  'select count(*)::integer as writes from contacts c where c.organization_id = $1 group by c.xmin::text',
)

const processes = useProcesses()
const writes = 30

let rig: Rig
beforeAll(async () => {
  rig = await Rig.start(processes)
  await rig.beside(database => database.script(waitInCommit))
})

/** How many writes each transaction has in flight, once one of them is a group's. The queue then lets nobody else begin. */
function waitingWrites(database: Database): Promise<readonly number[]> {
  return until('a group that waits', async () => {
    const sizes = sizesOf(await database.search(selectWaiting, []))
    return sizes.some(size => size > 1) && sizes
  })
}

const writtenIn = (organizationId: string) =>
  rig.beside(async database => sizesOf(await database.search(selectWritten, [organizationId])))
const sizesOf = (rows: readonly Row[]) =>
  rows.map(({ writes: size }) => Number(size)).toSorted((one, other) => one - other)
const sumOf = (sizes: readonly number[]) => sizes.reduce((sum, size) => sum + size, 0)

test.each([
  ['a server is killed while groups commit, all of them take effect', 'server', holdCommits],
  ['server and database are killed before groups commit, each takes effect as a whole or not at all', 'both', holdFeed],
  ['server and database are killed while groups commit, so does each', 'both', holdCommits],
] as const)('where %s, and each write is done once when all are repeated', async (_, target, held) => {
  const { organizationId, tokens } = await rig.beside(async database => {
    const { organizationId: id, token } = await anApplication(database)
    return { organizationId: id, tokens: [token, await anotherApplication(database, id)] }
  })
  const sent = Array.from({ length: writes }, (_unused, index) => {
    const key = randomUUID()
    return { token: tokens[index % 2] ?? '', body: aContact(), options: { key, headers: { 'x-request-id': key } } }
  })
  const sendAll = async (): Promise<(Answer | null)[]> => {
    const url = await rig.address()
    return Promise.all(
      sent.map(({ token, body, options }) => new Client(url, token).post('/contacts', body, options).catch(() => null)),
    )
  }

  const { lost, waiting } = await rig.beside(async database => {
    const holder = await database.begin()
    await holder.query(held, [organizationId])
    const answers = sendAll()
    const sizes = await waitingWrites(database)
    const crashed = rig.crash(target)
    const unanswered = await answers
    // A database that is killed lets nobody commit: it ends what waits, and this with it.
    if (target === 'both') await crashed
    await holder.rollback()
    await crashed
    return { lost: unanswered, waiting: sizes }
  })
  expect(lost).toEqual(sent.map(() => null))
  const isWhole = async () => (await writtenIn(organizationId)).join() === waiting.join()
  if (target === 'server') await until('what was on its way to take effect', isWhole)
  const written = await writtenIn(organizationId)
  expect(written.filter(size => !waiting.includes(size))).toEqual([])

  const answers = await sendAll()
  expect(answers.map(answer => answer?.status)).toEqual(sent.map(() => 201))
  expect(answers.map(answer => answer?.data.externalId)).toEqual(sent.map(({ body }) => body.externalId))
  expect(answers.filter(answer => answer?.headers.get('idempotent-replayed') === 'true')).toHaveLength(sumOf(written))
  expect(sumOf(await writtenIn(organizationId))).toBe(writes)
  await rig.beside(async database => {
    for (const [promise, violations] of invariants)
      expect([promise, ...(await database.search(violations, [organizationId]))]).toEqual([promise])
  })
})
