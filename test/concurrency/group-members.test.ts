import { afterAll, beforeAll, expect, it } from 'vitest'
import { contact } from '../../server/src/crm/contacts/index.ts'
import {
  type Decision,
  defineJob,
  defineOperation,
  mutate,
  type Needs,
  notFound,
} from '../../server/src/kernel/index.ts'
import { statement } from '../../server/src/kernel/sql/index.ts'
import type { WorkingSet } from '../../server/src/kernel/write/index.ts'
import { operations } from '../../server/src/modules.ts'
import { aContact } from '../support/builders.ts'
import { type GatheringApi, startGatheringApi, watchGroups } from '../support/gathering.ts'
import { anOrganization } from '../support/organization.ts'

/** An operation of the tests that shows what it is like only when it is decided. */
const surprising = (id: string, more: Partial<Decision<unknown>>) =>
  defineOperation({
    id: `test.${id}`,
    method: 'POST',
    path: `/api/v1/crm/surprises/${id}`,
    scopes: [],
    answer: { data: {} },
    summary: 'An operation of the tests that turns out to need a transaction of its own',
    execute: ({ actor }, services) =>
      mutate({ needs() {}, decide: () => ({ result: {}, ...more }) }, actor, services, data => ({
        status: 200,
        data,
      })),
  })

/** An operation of the tests that refuses a change of a contact which it has applied already. */
const hesitant = defineOperation({
  id: 'test.refusal',
  method: 'POST',
  path: '/api/v1/crm/surprises/refusals/{id}',
  scopes: [],
  answer: { data: {} },
  summary: 'An operation of the tests that refuses what it has begun',
  refuses: [['not_found', 'It is asked for.']],
  execute({ path: { id = '' }, actor }, services) {
    const decide = (work: WorkingSet) => {
      const before = work.record(contact.kind, id)
      if (before === null) throw new Error('the contact was not loaded')
      work.apply({ resource: contact, before, after: { ...before, version: before.version + 1, jobTitle: 'Wrong' } })
      return notFound()
    }
    const mutation = { needs: (needs: Needs) => needs.toChange(contact, { id }), decide }
    return mutate(mutation, actor, services, () => ({ status: 200, data: null }))
  },
})

const job = defineJob({ name: 'test_surprise', run: async () => 'done' })
const jobs = [{ job, payload: {}, key: 'surprise' }]
const sweep = async () => ({})

const transactionsOf = statement(
  'test_transactions_of_contacts',
  `select count(distinct c.xmin::text)::integer as count
     from contacts c where c.organization_id = $1 and c.id = any ($2::uuid[])`,
)

let api: GatheringApi
beforeAll(async () => {
  api = await startGatheringApi({
    operations: [...operations, surprising('statements', { sweep }), surprising('jobs', { jobs }), hesitant],
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
    const { groups, alone } = watchGroups(api)
    const create = () => client.post('/contacts', aContact())
    const [surprise, ...created] = await api.together(9, () =>
      Promise.all([client.post(`/surprises/${reason}`), ...Array.from({ length: 8 }, create)]),
    )
    expect([surprise.status, ...created.map(({ status }) => status)]).toEqual([200, ...created.map(() => 201)])
    expect(groups).toEqual([
      { size: 9, hasFailed: false },
      { size: 8, hasFailed: false },
    ])
    expect(alone).toEqual([reason])
    const ids = created.map(({ data }) => data.id)
    expect(await api.test.database.search(transactionsOf, [id, ids])).toEqual([{ count: 1 }])
  },
)

it('a write that is refused after it has begun leaves nothing in the rows that the others save', async () => {
  const { client } = await anOrganization(api)
  const { data } = await client.post('/contacts', aContact({ jobTitle: 'Buyer' }))
  const [refused, ...created] = await api.together(4, () =>
    Promise.all([
      client.post(`/surprises/refusals/${data.id}`),
      ...Array.from({ length: 3 }, () => client.post('/contacts', aContact())),
    ]),
  )
  expect([refused.status, ...created.map(({ status }) => status)]).toEqual([404, 201, 201, 201])
  expect((await client.get(`/contacts/${data.id}`)).data).toEqual(data)
})
