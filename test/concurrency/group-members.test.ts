import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Decision, defineJob, defineOperation, mutate } from '../../server/src/kernel/index.ts'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { operations } from '../../server/src/modules.ts'
import { aContact } from '../support/builders.ts'
import { type GatheringApi, startGatheringApi } from '../support/gathering.ts'
import { anOrganization } from '../support/organization.ts'

/** An operation of the tests that shows what it is like only when it is decided. */
const surprising = (id: string, more: Partial<Decision>) =>
  defineOperation({
    ...{ id: `test.${id}`, method: 'POST', path: `/surprises/${id}`, scopes: [], answer: { data: {} } },
    summary: 'An operation of the tests that turns out to need a transaction of its own',
    execute: ({ writer }, services) => mutate({ needs() {}, decide: () => ({ ...plain, ...more }) }, writer, services),
  })
const plain = { status: 200, data: {}, meta: {}, shown: [] }

const job = defineJob({ name: 'test_surprise', run: async () => 'done' })
const jobs = [{ job, payload: {}, key: 'surprise' }]
const sweep = async () => []

const transactionsOf = statement(
  'test_transactions_of_contacts',
  `select count(distinct c.xmin::text)::integer as count
     from contacts c where c.organization_id = $1 and c.id = any ($2::uuid[])`,
)

let api: GatheringApi
beforeAll(async () => {
  api = await startGatheringApi({
    operations: [...operations, surprising('statements', { sweep }), surprising('jobs', { jobs })],
  })
})
afterAll(async () => {
  await api.close()
  expect(api.failures).toEqual([])
})

it.each(['statements', 'jobs'])(
  'a write that turns out to need a transaction of its own, for its %s, leaves the others together and without blame',
  async reason => {
    const { id, client } = await anOrganization(api)
    const groups: (readonly [size: number, hasFailed: boolean])[] = []
    const alone: string[] = []
    api.services.lanes.observer = {
      onGroup: (size, hasFailed) => groups.push([size, hasFailed]),
      onStart() {},
      onAlone: told => alone.push(told),
    }
    const create = () => client.post('/contacts', aContact())
    const [surprise, ...created] = await api.together(9, () =>
      Promise.all([client.post(`/surprises/${reason}`), ...Array.from({ length: 8 }, create)]),
    )
    expect([surprise.status, ...created.map(({ status }) => status)]).toEqual([200, ...created.map(() => 201)])
    expect(groups).toEqual([
      [9, false],
      [8, false],
    ])
    expect(alone).toEqual([reason])
    const ids = created.map(({ data }) => data.id)
    expect(await api.test.database.search(transactionsOf, [id, ids])).toEqual([{ count: 1 }])
  },
)
