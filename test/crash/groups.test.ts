import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { type Database, statement } from '../../server/src/kernel/sql/index.ts'
import { anApplication, anotherApplication } from '../process/support/installations.ts'
import { aContact } from '../support/builders.ts'
import { type Answer, Client } from '../support/client.ts'
import { useProcesses } from '../support/process.ts'
import { until } from '../support/waiting.ts'
import { invariants } from './support/invariants.ts'
import { Rig } from './support/rig.ts'

// Whoever commits a contact waits for a lock that the test holds: all is written, and the commit is on its way.
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
// A new contact locks the key of its request and its external key. A transaction that waits with more than that is a
// group's.
const selectWaiting = statement(
  'crash_waiting_writes',
  `select sum(w.locks / 2)::integer as writes
     from (select count(*) as locks
             from pg_stat_activity a
             join pg_locks l on l.pid = a.pid and l.locktype = 'advisory' and l.granted
            where a.datname = current_database() and a.wait_event_type = 'Lock'
            group by a.pid) as w
    having max(w.locks) > 2`,
)
const countContacts = statement(
  'crash_contacts_of_group',
  'select count(*)::integer as count from contacts c where c.organization_id = $1',
)

const processes = useProcesses()
const writes = 30

let rig: Rig
beforeAll(async () => {
  rig = await Rig.start(processes)
  await rig.beside(database => database.script(waitInCommit))
})

const contactsOf = (organizationId: string) =>
  rig.beside(async database => Number((await database.search(countContacts, [organizationId]))[0]?.count))

/** How many writes wait, once there is a group among them. The lane then lets nobody else begin. */
async function waitingWrites(database: Database): Promise<number> {
  const ask = async () => (await database.search(selectWaiting, []))[0]?.writes
  return Number(await until('a group that waits', ask))
}

test.each([
  ['a server is killed while groups commit, all of them takes effect', 'server', holdCommits, true],
  ['server and database are killed before groups commit, none of them does', 'both', holdFeed, false],
  ['server and database are killed while groups commit, none of them does', 'both', holdCommits, false],
] as const)('where %s, and each write is done once when all are repeated', async (_, target, held, hasEffect) => {
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

  const { lost, waiting, crashed } = await rig.beside(async database => {
    const holder = await database.begin()
    await holder.query(held, [organizationId])
    const answers = sendAll()
    const count = await waitingWrites(database)
    const restarted = rig.crash(target)
    const unanswered = await answers
    await holder.rollback()
    return { lost: unanswered, waiting: count, crashed: restarted }
  })
  await crashed
  expect(lost).toEqual(sent.map(() => null))
  expect(waiting).toBeGreaterThan(1)
  const done = hasEffect ? waiting : 0
  await until('the end of what was on its way', async () => (await contactsOf(organizationId)) === done)

  const answers = await sendAll()
  expect(answers.map(answer => answer?.status)).toEqual(sent.map(() => 201))
  expect(answers.map(answer => answer?.data.externalId)).toEqual(sent.map(({ body }) => body.externalId))
  expect(answers.filter(answer => answer?.headers.get('idempotent-replayed') === 'true')).toHaveLength(done)
  expect(await contactsOf(organizationId)).toBe(writes)
  await rig.beside(async database => {
    for (const [promise, violations] of invariants)
      expect([promise, ...(await database.search(violations, [organizationId]))]).toEqual([promise])
  })
})
