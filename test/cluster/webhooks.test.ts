import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { startApi, type TestApi, TestClock } from '../support/api.ts'
import { aCalledServer } from '../support/called-server.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'
import { until } from '../support/waiting.ts'
import { aNewContact, aWebhook, eventIn, startDelivery, untilPosition } from '../webhooks/support.ts'
import { type ClusterDatabase, createClusterDatabase } from './cluster-database.ts'

const clock = new TestClock()
let cluster: ClusterDatabase
let api: TestApi
let organization: TestOrganization
beforeAll(async () => {
  cluster = await createClusterDatabase('distributed', 8)
  api = await startApi({ clock, test: { ...cluster, drop: async () => {} } })
})
beforeEach(async () => {
  organization = await anOrganization(api)
})
afterAll(async () => {
  await api?.close()
  await cluster?.drop()
})

const around = () => ({ api, clock, organization })

const selectPlaces = statement(
  'test_places_of_webhook_tables',
  `select t.table_name::text as name, t.colocation_id as place
     from citus_tables t
    where t.table_name::text like 'webhook\\_%' or t.table_name::text = 'organizations'`,
)
const selectLocal = statement(
  'test_local_webhook_tables',
  `select c.relname::text as name
     from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relname like 'webhook\\_%'
      and not exists (select from pg_dist_partition p where p.logicalrelid = c.oid)`,
)
const selectParked = statement(
  'test_parked_on_cluster',
  'select k.attempts from webhook_parked k where k.organization_id = $1',
)
const expire = statement(
  'test_expire_leases_on_cluster',
  `update webhook_leases set until = now() - interval '1 second' where subscription_id = $1`,
)

test('what belongs to a webhook is on the node of its organization, and leases are on the coordinator', async () => {
  const placed = await cluster.database.search(selectPlaces, [])
  expect(placed.length).toBeGreaterThan(5)
  expect(new Set(placed.map(({ place }) => place)).size).toBe(1)
  expect(await cluster.database.search(selectLocal, [])).toEqual([{ name: 'webhook_leases' }])
})

test('events are delivered, parked and delivered again, and another worker goes on where one was lost', async () => {
  let isRefusing = true
  const receiver = await aCalledServer((_, response) => void response.writeHead(isRefusing ? 400 : 200).end())
  const id = await aWebhook(around(), receiver)
  const first = startDelivery(api)
  await aNewContact(around())
  await untilPosition(around(), id, { seq: 1, state: 'active' })
  expect(await cluster.database.query(selectParked, [organization.id])).toMatchObject([{ attempts: 1 }])
  isRefusing = false
  clock.advance(6000)
  await until(
    'no parked event',
    async () => (await cluster.database.query(selectParked, [organization.id])).length === 0,
  )
  await aNewContact(around())
  await untilPosition(around(), id, { seq: 2, token: 1 })
  first.delivery.lanes.get(id)?.lose()
  await cluster.database.query(expire, [id])
  const other = startDelivery(api)
  await aNewContact(around())
  await untilPosition(around(), id, { seq: 3 })
  expect(receiver.received.map(each => eventIn(each).seq)).toEqual([1, 1, 2, 3])
  expect([...first.failures, ...other.failures]).toEqual([])
})
