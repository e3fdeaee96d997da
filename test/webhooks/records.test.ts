import { describe, expect, it } from 'vitest'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { webhookBounds } from '../../server/src/webhooks/bounds.ts'
import type { Delivery } from '../../server/src/webhooks/index.ts'
import { aRecord } from '../conformance/support/requests.ts'
import { aTask } from '../support/builders.ts'
import { aCalledServer, type CalledServer } from '../support/called-server.ts'
import { anOrganization } from '../support/organization.ts'
import { setBound } from '../support/set-bound.ts'
import { until } from '../support/waiting.ts'
import {
  administered,
  aNewContact,
  aWebhook,
  beforeStatements,
  eventIn,
  startDelivery,
  untilPosition,
  useWebhooks,
} from './support.ts'

const around = useWebhooks()

const receiving = () => aCalledServer((_, response) => response.end())
const bodiesOf = ({ received }: CalledServer) => received.map(({ body }) => JSON.parse(body))
const told = ({ received }: CalledServer) => received.map(each => [eventIn(each).type, eventIn(each).resourceId])
const task = (members = {}) => aRecord('task', around.organization, members)
const idOf = ({ id }: Readonly<Record<string, unknown>>) => String(id)

const narrowScopes = statement(
  'test_narrow_scopes',
  'update api_tokens set scopes = array_remove(scopes, $2) where organization_id = $1',
)

/** Takes a scope from the tokens of the organization, and waits until the delivery of the webhook knows. */
async function narrow(id: string, { lanes }: Delivery, scope: string): Promise<void> {
  await around.api.test.database.query(narrowScopes, [around.organization.id, scope])
  await administered(around.api)
  await until('the narrow scopes', () => {
    const tokens = lanes.get(id)?.subscription.principal.tokens
    return tokens?.every(token => !token.scopes.includes(scope))
  })
}

const shown = async (path: string) => (await around.organization.client.get(path)).data

describe('a full body', () => {
  it('has the record as GET shows it when it is sent, which may be later than the event', async () => {
    const receiver = await receiving()
    const id = await aWebhook(around, receiver, { body: 'full', kinds: ['*', 'bulk_job.*'] })
    const contact = await aNewContact(around)
    await around.organization.client.patch(`/contacts/${contact}`, { expectedVersion: 1, jobTitle: 'Buyer' })
    startDelivery(around.api)
    await untilPosition(around, id, { seq: 2 })
    const [created, updated] = bodiesOf(receiver)
    const record = await shown(`/contacts/${contact}`)
    expect(created).toMatchObject({ type: 'contact.created', data: { version: 1, record: { version: 2 } } })
    expect(created.data.record).toEqual(record)
    expect(updated.data).toMatchObject({ version: 2, record })
    expect(created).not.toHaveProperty('meta')
  })

  it('has null for a record that is gone', async () => {
    const receiver = await receiving()
    const id = await aWebhook(around, receiver, { body: 'full' })
    const contact = await aNewContact(around)
    expect((await around.organization.client.delete(`/contacts/${contact}?expectedVersion=1&mode=full`)).status).toBe(
      200,
    )
    startDelivery(around.api)
    await untilPosition(around, id, { seq: 2 })
    expect(bodiesOf(receiver).map(({ type, data }) => [type, data.record])).toEqual([
      ['contact.created', null],
      ['contact.deleted', null],
    ])
  })

  it('has only what the scopes of the webhook show, and names what they hide', async () => {
    const receiver = await receiving()
    const id = await aWebhook(around, receiver, { body: 'full', scopes: ['crm_contacts_read', 'crm_tags_read'] })
    const contact = await aNewContact(around)
    startDelivery(around.api)
    await untilPosition(around, id, { seq: 1 })
    const [{ data, meta }] = bodiesOf(receiver)
    expect(meta).toEqual({ redacted: ['contact_data', 'custom_fields', 'operators'] })
    expect(data).not.toHaveProperty('actorUuid')
    expect(data.record).toMatchObject({ id: contact, version: 1, tagIds: [] })
    for (const hidden of ['contactData', 'customFields']) expect(data.record).not.toHaveProperty(hidden)
  })

  it('that would be too large has no record, and says so', async () => {
    setBound(webhookBounds.webhookBody, 3000)
    const receiver = await receiving()
    const id = await aWebhook(around, receiver, { body: 'full' })
    const small = await task()
    const large = await task({ description: 'x'.repeat(3000) })
    startDelivery(around.api)
    await untilPosition(around, id, { seq: 2 })
    const bodies = bodiesOf(receiver).toSorted((one, other) => one.data.seq - other.data.seq)
    expect(bodies[0].data).toMatchObject({ record: { id: idOf(small) } })
    expect(bodies[0].data).not.toHaveProperty('bodyOmitted')
    expect(bodies[1].data).toMatchObject({ resourceId: idOf(large), bodyOmitted: true })
    expect(bodies[1].data).not.toHaveProperty('record')
  })

  it('has nothing of another organization', async () => {
    const receiver = await receiving()
    const id = await aWebhook(around, receiver, { body: 'full' })
    const there = { api: around.api, clock: around.clock, organization: await anOrganization(around.api) }
    await aNewContact(there)
    const own = await aNewContact(around)
    startDelivery(around.api)
    await untilPosition(around, id, { seq: 1 })
    expect(bodiesOf(receiver).map(({ data }) => data.record.id)).toEqual([own])
  })
})

describe('a webhook with filters', () => {
  it('is told of records that all of them find now, by any of their values', async () => {
    const receiver = await receiving()
    const filter = [
      { name: 'status', value: 'todo' },
      { name: 'status', value: 'done' },
      { name: 'priority', value: 'high' },
    ]
    const id = await aWebhook(around, receiver, { kinds: ['task.*'], filter })
    const found = idOf(await task({ status: 'todo', priority: 'high' }))
    await task({ status: 'in_progress', priority: 'high' })
    await task({ status: 'done', priority: 'low' })
    const changed = idOf(await task({ status: 'in_progress', priority: 'high' }))
    await around.organization.client.patch(`/tasks/${changed}`, { expectedVersion: 1, status: 'done' })
    startDelivery(around.api)
    await untilPosition(around, id, { seq: 5 })
    // At its creation it was not done, but now it is.
    expect(told(receiver).toSorted()).toEqual(
      [
        ['task.created', found],
        ['task.created', changed],
        ['task.updated', changed],
      ].toSorted(),
    )
  })

  it('is told of what happened to records that are gone', async () => {
    const receiver = await receiving()
    const id = await aWebhook(around, receiver, {
      kinds: ['task.*'],
      filter: [{ name: 'status', value: 'done' }],
    })
    const gone = idOf(await task({ status: 'todo' }))
    await task({ status: 'todo' })
    expect((await around.organization.client.delete(`/tasks/${gone}?expectedVersion=1`)).status).toBe(200)
    startDelivery(around.api)
    await untilPosition(around, id, { seq: 3 })
    expect(told(receiver)).toEqual([
      ['task.created', gone],
      ['task.deleted', gone],
    ])
  })

  it('is held while its token lacks a scope of a filter, and says so', async () => {
    const [receiver, other] = [await receiving(), await receiving()]
    const filter = [{ name: 'email', value: 'ann@acme.example' }]
    const asked = { kinds: ['contact.*'], filter }
    const id = await aWebhook(around, receiver, { ...asked, scopes: ['crm_contacts_read'] })
    const otherId = await aWebhook(around, other, { ...asked, scopes: ['crm_contacts_read', 'crm_contact_data_read'] })
    const contactData = { emails: [{ value: 'Ann@acme.example' }] }
    const contact = idOf(await aRecord('contact', around.organization, { contactData }))
    startDelivery(around.api)
    await untilPosition(around, id, { state: 'held', reason: 'filter_scopes', seq: 0 })
    await untilPosition(around, otherId, { seq: 1 })
    expect(told(receiver)).toEqual([])
    expect(told(other)).toEqual([['contact.created', contact]])
  })

  it('finds the next event for a receiver that is down, so that it is called', async () => {
    let isDown = true
    const receiver = await aCalledServer((_, response) => void response.writeHead(isDown ? 503 : 200).end())
    const id = await aWebhook(around, receiver, {
      kinds: ['task.*'],
      filter: [{ name: 'status', value: 'done' }],
    })
    const first = idOf(await task({ status: 'done' }))
    startDelivery(around.api)
    await untilPosition(around, id, { state: 'held', seq: 0 })
    await around.organization.client.patch(`/tasks/${first}`, { expectedVersion: 1, status: 'todo' })
    for (let count = 0; count < 30; count += 1) await task({ status: 'todo' })
    const last = idOf(await task({ status: 'done' }))
    isDown = false
    around.clock.advance(5000)
    await untilPosition(around, id, { state: 'active', seq: 33 })
    expect(told(receiver)).toEqual([
      ['task.created', first],
      ['task.created', last],
    ])
  })

  it('is held if this version does not have one of them', async () => {
    const receiver = await receiving()
    const id = await aWebhook(around, receiver, { kinds: ['task.*'], filter: [{ name: 'status', value: 'todo' }] })
    const change = statement(
      'test_outdate_filter',
      `update webhook_subscriptions set filter = '{"status":["waiting"]}' where organization_id = $1`,
    )
    await around.api.test.database.query(change, [around.organization.id])
    await task({ status: 'todo' })
    startDelivery(around.api)
    await untilPosition(around, id, { state: 'held', reason: 'unsupported', seq: 0 })
    expect(receiver.received).toEqual([])
  })
})

it('an event that waits for another attempt is dropped if its kind may be read no more', async () => {
  let status = 400
  const receiver = await aCalledServer((_, response) => void response.writeHead(status).end())
  const id = await aWebhook(around, receiver, { body: 'full' })
  const { delivery } = startDelivery(around.api)
  await aNewContact(around)
  await untilPosition(around, id, { seq: 1, state: 'active' })
  await narrow(id, delivery, 'crm_contacts_read')
  status = 200
  around.clock.advance(10_000)
  const later = idOf(await task())
  await untilPosition(around, id, { seq: 2 })
  around.clock.advance(10_000)
  const another = idOf(await task())
  await untilPosition(around, id, { seq: 3 })
  expect(told(receiver).slice(1)).toEqual([
    ['task.created', later],
    ['task.created', another],
  ])
})

describe('records are read in batches', () => {
  const counting = () => {
    const names: string[] = []
    beforeStatements(around, name => void names.push(name))
    return (wanted: string) => names.filter(name => name === wanted).length
  }

  it('by filters: one that finds little reads a hundred at a time', async () => {
    const receiver = await receiving()
    const asked = { kinds: ['task.*'], filter: [{ name: 'status', value: 'done' }] }
    const id = await aWebhook(around, receiver, asked)
    const found = await Promise.all(
      Array.from({ length: 60 }, (_, index) => task({ status: index % 30 === 0 ? 'done' : 'todo' })),
    )
    const read = counting()
    startDelivery(around.api)
    await untilPosition(around, id, { seq: 60 })
    expect(
      told(receiver)
        .map(([, task]) => task)
        .toSorted(),
    ).toEqual([idOf(found[0] ?? {}), idOf(found[30] ?? {})].toSorted())
    expect(read('judge_task')).toBe(1)
  })

  it('for full bodies: those of the next calls at once', async () => {
    const receiver = await receiving()
    const id = await aWebhook(around, receiver, { body: 'full', concurrency: 9 })
    const contacts = await Promise.all(Array.from({ length: 30 }, () => aNewContact(around)))
    const read = counting()
    startDelivery(around.api)
    await untilPosition(around, id, { seq: 30 })
    expect(
      bodiesOf(receiver)
        .map(({ data }) => data.record.id)
        .toSorted(),
    ).toEqual(contacts.toSorted())
    expect(read('read_contact_texts')).toBe(3)
  })

  it('and are read again when the rights have changed', async () => {
    const answers: (() => void)[] = []
    const receiver = await aCalledServer((_, response) => void answers.push(() => response.end()))
    const id = await aWebhook(around, receiver, { body: 'full', concurrency: 1 })
    for (let count = 0; count < 2; count += 1) await aNewContact(around)
    const { delivery } = startDelivery(around.api)
    await until('the first call', () => answers.length === 1)
    await narrow(id, delivery, 'crm_contact_data_read')
    answers[0]?.()
    await until('the second call', () => answers.length === 2)
    answers[1]?.()
    expect(bodiesOf(receiver).map(({ meta }) => meta)).toEqual([undefined, { redacted: ['contact_data'] }])
  })
})

it('a hold ends when the filter no longer finds any record whose event waits', async () => {
  const down = await aCalledServer((_, response) => void response.writeHead(503).end())
  const filter = [{ name: 'status', value: 'todo' }]
  const id = await aWebhook(around, down, { kinds: ['task.created'], filter })
  const { data } = await around.organization.client.post('/tasks', aTask({ status: 'todo' }))
  startDelivery(around.api)
  await untilPosition(around, id, { state: 'held' })
  await around.organization.client.patch(`/tasks/${String(data.id)}`, { expectedVersion: 1, status: 'done' })
  around.clock.advance(6000)
  await untilPosition(around, id, { state: 'active', failures: 0, seq: 2 })
  expect(down.received).toHaveLength(1)
})
