import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, statement } from '../../server/src/kernel/sql/index.ts'
import { aContact } from '../support/builders.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'
import { until } from '../support/waiting.ts'
import { callEveryOperation } from './every-operation.ts'
import { genericPlan, type PlanNode } from './plan.ts'
import { type RecordedApi, type Sent, startRecordedApi } from './recorded-api.ts'

// All writers of an organization queue for its feed row. Its lock is taken when everything else is written, and so is
// held for the commit alone; PostgreSQL does not run the fragments of a statement in the order of the text.
describe('the feed comes last', () => {
  let api: RecordedApi
  let organization: TestOrganization
  beforeAll(async () => {
    api = await startRecordedApi()
    organization = await anOrganization(api)
  })
  afterAll(() => api.close())

  test('a writer that waits for the feed has written all else, and nothing behind it', async () => {
    const { database } = api.test
    const empty = await pagesOf(database)
    expect(empty).toMatchObject({ contacts: 0, external_keys: 0, audit_entries: 0, idempotency_answers: 0, changes: 0 })

    const holder = await database.begin()
    await holder.query(lockFeed, [organization.id])
    const written = organization.client.post('/contacts', aContact())
    await untilWaiting(database)

    // Pages grow before the commit, in the sight of all; the rows in them do not show yet.
    const waiting = await pagesOf(database)
    expect(waiting).toEqual({ contacts: 1, external_keys: 1, audit_entries: 1, idempotency_answers: 1, changes: 0 })

    await holder.rollback()
    expect((await written).status).toBe(201)
    expect((await pagesOf(database)).changes).toBe(1)
  })

  test('in the plan of every save it needs all the other fragments', async () => {
    const sent = await api.recorded(() => callEveryOperation(organization))
    const saves = new Map(sent.filter(movesFeed).map(each => [each.statement.name, each]))
    expect(saves.size).toBeGreaterThan(5)
    for (const save of saves.values()) {
      const fragments = fragmentsOf(save)
      expect(fragments.length).toBeGreaterThan(2)
      const { nodes } = await genericPlan(api.test.database, save)
      expect([...needsOf('feed', nodes)].sort()).toEqual([...fragments, 'touched'].sort())
      if (save.statement.text.includes('published as')) expect([...needsOf('published', nodes)]).toContain('feed')
    }
  })
})

const movesFeed = ({ statement: { name, text } }: Sent) =>
  name.startsWith('save_') && text.includes('organization_feed')

/** Names of the fragments that write rows. */
function fragmentsOf({ statement: { text } }: Sent): string[] {
  return [...text.matchAll(/\b(part_\d+) as \(/gu)].map(([, name = '']) => name)
}

/** The fragments that must have been read to the end before this one gives a row, directly or through others. */
function needsOf(fragment: string, nodes: readonly PlanNode[], found = new Set<string>()): Set<string> {
  for (const node of nodes.filter(candidate => candidate.fragment === fragment)) {
    for (const name of readBy(node)) {
      if (found.has(name)) continue
      found.add(name)
      needsOf(name, nodes, found)
    }
  }
  return found
}

function readBy(node: PlanNode): string[] {
  const own = node.reads === undefined ? [] : [node.reads]
  return [...own, ...node.children.flatMap(readBy)]
}

const lockFeed = statement(
  'test_lock_feed',
  'select f.seq from organization_feed f where f.organization_id = $1 for no key update',
)

const selectPages = statement(
  'test_pages',
  `select r.relname::text as name,
          coalesce((select sum(pg_relation_size(t.relid)) from pg_partition_tree(r.oid) as t), pg_relation_size(r.oid))
            / current_setting('block_size')::integer as pages
     from pg_class r
    where r.relname in ('contacts', 'external_keys', 'audit_entries', 'idempotency_answers', 'changes')`,
)

async function pagesOf(database: Database): Promise<Record<string, number>> {
  const rows = await database.search(selectPages, [])
  return Object.fromEntries(rows.map(({ name, pages }) => [String(name), Number(pages)]))
}

// A transaction that waits for a row's lock holds a lock on the place of the row meanwhile.
const selectWaiting = statement(
  'test_waiting',
  `select from pg_locks place
     join pg_locks wanted on wanted.pid = place.pid and not wanted.granted and wanted.locktype = 'transactionid'
    where place.locktype = 'tuple' and place.granted and place.relation = 'organization_feed'::regclass
      and place.database = (select oid from pg_database where datname = current_database())`,
)

async function untilWaiting(database: Database): Promise<void> {
  await until(
    'a writer that waits for the feed',
    async () => (await database.search(selectWaiting, [])).length > 0,
    20_000,
  )
}
