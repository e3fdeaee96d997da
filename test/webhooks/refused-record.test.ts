import { expect, it } from 'vitest'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { aRecord } from '../conformance/support/requests.ts'
import { aCalledServer } from '../support/called-server.ts'
import { until } from '../support/waiting.ts'
import { aNewContact, aWebhook, eventIn, startDelivery, untilPosition, useWebhooks } from './support.ts'

const around = useWebhooks()

const countParked = statement(
  'test_count_parked_of_record',
  'select count(*)::integer as parked from webhook_parked where organization_id = $1',
)
const parked = async () => (await around.api.test.database.query(countParked, [around.organization.id]))[0]?.parked

it('a receiver that refuses one record gets all others, and that record later, in order, with only its updates merged', async () => {
  let isRefusing = true
  let refused = ''
  const receiver = await aCalledServer((_, response) => {
    const last = receiver.received.at(-1)
    const isOfRecord = last !== undefined && eventIn(last).resourceId === refused
    response.writeHead(isRefusing && isOfRecord ? 500 : 200).end()
  })
  const id = await aWebhook(around, receiver, { kinds: ['deal.*', 'contact.*'] })
  const { client, stages, lostReason } = around.organization
  const contacts = [{ id: await aNewContact(around) }]
  refused = String((await aRecord('deal', around.organization, { contacts })).id)
  startDelivery(around.api)
  await untilPosition(around, id, { seq: 2 })

  let version = 1
  const changed = async (route: string, body: object) => {
    const { status, error } = await client.patch(`/deals/${refused}${route}`, { expectedVersion: version, ...body })
    expect([status, error]).toEqual([200, {}])
    version += 1
    await aNewContact(around)
  }
  await changed('', { title: 'First' })
  await changed('', { description: 'Second' })
  await changed('', { title: 'Third' })
  await changed('/move', { stageUuid: stages.won })
  await changed('/move', { stageUuid: stages.first })
  await changed('', { title: 'Fourth' })
  await changed('/move', { stageUuid: stages.lost, lostReasonCategoryUuid: lostReason })
  await changed('', { title: 'Fifth' })
  await changed('', { description: 'Sixth' })
  await untilPosition(around, id, { seq: 20, state: 'active' })
  const before = receiver.received.map(eventIn)
  expect(before.filter(({ type }) => type === 'contact.created')).toHaveLength(10)
  expect(before.filter(({ resourceId }) => resourceId === refused)).toMatchObject([{ type: 'deal.created' }])

  isRefusing = false
  around.clock.advance(6_000)
  await until('no parked event', async () => (await parked()) === 0)
  const later = receiver.received.map(eventIn).filter(({ resourceId }) => resourceId === refused)
  expect(later.map(({ type, data }) => [type, data.version, data.coalesced ?? 1])).toEqual([
    ['deal.created', 1, 1],
    ['deal.created', 1, 1],
    ['deal.updated', 4, 3],
    ['deal.moved', 5, 1],
    ['deal.moved', 6, 1],
    ['deal.updated', 7, 1],
    ['deal.moved', 8, 1],
    ['deal.updated', 10, 2],
  ])
  expect(later[2]?.data.changedFields).toEqual(['title', 'description'])
  expect(later[7]?.data.changedFields).toEqual(['title', 'description'])
})
