import { beforeAll, expect, test } from 'vitest'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { aContact } from '../support/builders.ts'
import { useProcesses } from '../support/process.ts'
import { until } from '../support/waiting.ts'
import { holdContact } from './support/hold.ts'
import { type Installation, installationOn } from './support/installations.ts'

const processes = useProcesses()

const holdFeed = statement(
  'test_hold_feed_of_metrics',
  'select f.seq from organization_feed f where f.organization_id = $1 for update',
)
// A transaction that has locked the keys of several requests is a group's: a new contact has two.
const selectGroups = statement(
  'test_waiting_groups',
  `select 1 from pg_stat_activity a join pg_locks l on l.pid = a.pid and l.locktype = 'advisory' and l.granted
    where a.datname = current_database() and a.wait_event_type = 'Lock'
    group by a.pid having count(*) > 2`,
)

let installation: Installation
beforeAll(async () => {
  installation = await installationOn(processes)
})

/** The metrics of the server, by name and labels. */
async function metrics(): Promise<(name: string) => number> {
  const text = await (await fetch(`${installation.server.url}/metrics`)).text()
  const values = new Map(
    text.split('\n').map(line => [line.slice(0, line.lastIndexOf(' ')), line.slice(line.lastIndexOf(' '))]),
  )
  return name => Number(values.get(name))
}

test('the metrics show the size of groups, the waits of writes, and the writes that ran alone with their reasons', async () => {
  const { client, test: at, organizationId } = installation
  const create = () => client.post('/contacts', aContact())
  const kept = await create()
  const merged = [await create(), await create()].map(({ data }) => data.id)
  const sizes = 'crm_write_group_requests'
  const single = await metrics()
  expect([single(`${sizes}_count`), single(`${sizes}_sum`), single('crm_write_lane_seconds_count')]).toEqual([3, 3, 3])
  expect(single('crm_writes_alone_total{reason="rows"}')).toBe(0)
  await client.post('/contacts/merge/preview', { primaryId: kept.data.id, secondaryId: merged[0] })
  await client.delete(`/contacts/${merged[1]}?expectedVersion=1&mode=full`)

  // Behind a group that waits nobody begins. Those who come then are a group of two, in which nobody can wait for a held row.
  const holder = await at.database.begin()
  await holder.query(holdFeed, [organizationId])
  const created = Promise.all(Array.from({ length: 24 }, create))
  await until('a group that waits', async () => (await at.database.search(selectGroups, [])).length > 0)
  const held = await holdContact(at.database, kept.data.id)
  const patched = client.patch(`/contacts/${kept.data.id}`, { expectedVersion: 1, jobTitle: 'Buyer' })
  const beside = create()
  const requests = 'crm_bound_used{bound="processRequests"}'
  await until('writes that wait in the queue', async () => (await metrics())(requests) === 26)
  // They are counted before they enter the queue. When a later request has been answered, they are in the queue.
  expect((await client.get(`/contacts/${kept.data.id}`)).status).toBe(200)
  await holder.rollback()
  expect(new Set([...(await created), await beside].map(({ status }) => status))).toEqual(new Set([201]))
  await held.letGo()
  expect((await patched).status).toBe(200)

  const all = await metrics()
  expect([all(`${sizes}_sum`), all('crm_write_lane_seconds_count')]).toEqual([29, 29])
  expect(all(`${sizes}_count`)).toBeLessThan(29)
  expect(all(`${sizes}_bucket{le="1"}`)).toBeLessThan(all(`${sizes}_count`))
  expect(all('crm_write_lane_seconds_sum')).toBeGreaterThan(single('crm_write_lane_seconds_sum'))
  expect(all('crm_write_groups_failed_total')).toBe(0)
  const alone = ['preview', 'rows', 'locked', 'settings'].map(reason =>
    all(`crm_writes_alone_total{reason="${reason}"}`),
  )
  expect(alone).toEqual([1, 1, 1, 0])
})
