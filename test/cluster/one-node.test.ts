import { afterAll, beforeAll, expect, test } from 'vitest'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { doneTasks } from '../conformance/support/bulk-jobs.ts'
import { startApi, type TestApi } from '../support/api.ts'
import { aCompany, aContact, aDeal, aTask } from '../support/builders.ts'
import type { Answer } from '../support/client.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'
import { type ClusterDatabase, createClusterDatabase } from './cluster-database.ts'

const flush = statement('test_flush_counters', 'select pg_stat_force_next_flush()')

// A commit in two phases leaves a row for each node that took part.
const selectTwoPhases = statement(
  'test_two_phases',
  `select s.n_tup_ins::integer as count from pg_stat_all_tables s where s.relid = 'pg_dist_transaction'::regclass`,
)

const raise = statement('test_raise_generation', 'update installation set generation = generation + 1')

let cluster: ClusterDatabase
let api: TestApi
let organization: TestOrganization
beforeAll(async () => {
  cluster = await createClusterDatabase('distributed', 1)
  api = await startApi({ test: { ...cluster, drop: async () => {} } })
  organization = await anOrganization(api)
  // It notes now and then when tokens were used, which is about the installation.
  await api.services.authentication.stop()
})
afterAll(async () => {
  await api?.close()
  await cluster?.drop()
})

/** How many rows a deed leaves of commits in two phases. There is one connection for writes, and it is asked itself. */
async function leftBy(act: () => Promise<unknown>): Promise<number> {
  const count = async () => {
    await cluster.database.query(flush, [])
    const [row] = await cluster.database.query(selectTwoPhases, [])
    return Number(row?.count)
  }
  const before = await count()
  await act()
  return (await count()) - before
}

async function succeeded(answer: Promise<Answer>): Promise<Answer> {
  const given = await answer
  expect([given.status, given.error]).toEqual([expect.toBeOneOf([200, 201, 202]), {}])
  return given
}

test('a table that every node has is committed in two phases, on each of them', async () => {
  expect(await leftBy(() => cluster.database.query(raise, []))).toBe(cluster.workers.length)
})

test('a write of one organization is committed on its node alone', async () => {
  const { client, tag } = organization
  const { data: anna } = await succeeded(client.post('/contacts', aContact()))
  const { data: boris } = await succeeded(client.post('/contacts', aContact()))
  const { data: company } = await succeeded(client.post('/companies', aCompany()))
  const { data: task } = await succeeded(client.post('/tasks', aTask()))
  const parties = { companies: [{ id: company.id }], contacts: [{ id: anna.id }, { id: boris.id }] }
  const people = Array.from({ length: 20 }, () => aContact())
  const writes: Readonly<Record<string, () => Promise<Answer>>> = {
    create: () => client.post('/contacts', aContact()),
    'create with links': () => client.post('/deals', aDeal(parties)),
    'create of a task': () => client.post('/tasks', aTask({ contact: { id: anna.id } })),
    change: () => client.patch(`/contacts/${anna.id}`, { expectedVersion: 1, firstName: 'Anne' }),
    tags: () => client.put(`/contacts/${anna.id}/tags`, { expectedVersion: 2, tags: [{ id: tag }] }),
    batch: () => client.post('/contacts/batch/upsert', { items: people }),
    removal: () => client.post(`/contacts/${boris.id}/delete/commit`, { mode: 'full' }),
    'start of an export': () => client.post('/exports', { type: 'deals' }),
    'start of a bulk job': () => client.post('/bulk-jobs', doneTasks([task])),
  }
  const left: Record<string, number> = {}
  for (const [name, write] of Object.entries(writes)) left[name] = await leftBy(() => succeeded(write()))
  expect(left).toEqual(Object.fromEntries(Object.keys(writes).map(name => [name, 0])))
  expect(api.failures).toEqual([])
})

test('writes that are committed together are committed on that node alone', async () => {
  const many = () =>
    Promise.all(Array.from({ length: 20 }, () => succeeded(organization.client.post('/contacts', aContact()))))
  expect(await leftBy(many)).toBe(0)
})
