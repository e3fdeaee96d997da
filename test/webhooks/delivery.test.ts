import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { aCalledServer } from '../support/called-server.ts'
import { until } from '../support/waiting.ts'
import { aWebhook as createdWebhook } from '../support/webhooks.ts'
import { aNewContact, aWebhook, eventIn, startDelivery, untilPosition, useWebhooks } from './support.ts'

const around = useWebhooks()

async function removed(contact: string, version: number): Promise<void> {
  const { status } = await around.organization.client.delete(
    `/contacts/${contact}?expectedVersion=${version}&mode=full`,
  )
  expect(status).toBe(200)
}

describe('a webhook', () => {
  it('sends everything that is written once, in order for each record, over few connections', async () => {
    const receiver = await aCalledServer((_, response) => response.end())
    const id = await aWebhook(around, receiver, { concurrency: 4 })
    const { failures } = startDelivery(around.api)
    const ids = await Promise.all(Array.from({ length: 20 }, () => aNewContact(around)))
    for (const contact of ids) await removed(contact, 1)
    await untilPosition(around, id, { seq: 40, state: 'active' })
    const events = receiver.received.map(eventIn)
    expect(events.map(({ seq }) => seq).sort((one, other) => one - other)).toEqual(
      Array.from({ length: 40 }, (_, n) => n + 1),
    )
    for (const contact of ids)
      expect(events.filter(({ resourceId }) => resourceId === contact).map(({ type }) => type)).toEqual([
        'contact.created',
        'contact.deleted',
      ])
    expect(receiver.connections()).toBeLessThanOrEqual(4)
    expect(failures).toEqual([])
  })

  it('sends the element of the feed with a computed id and a signature', async () => {
    const receiver = await aCalledServer((_, response) => response.writeHead(204).end())
    const url = `http://127.0.0.1:${receiver.port}/hook`
    const { id, secret } = await createdWebhook(around.api.test, around.organization, { url })
    startDelivery(around.api)
    const { data: position } = await around.organization.client.get('/changes/cursor')
    await aNewContact(around)
    await untilPosition(around, id, { seq: 1 })
    const [received] = receiver.received
    const { items } = await around.organization.client.get(`/changes?after=${String(position.cursor)}`)
    const [change = {}] = items
    const body = received?.body ?? ''
    expect(JSON.parse(body)).toEqual({ type: 'contact.created', timestamp: change.occurredAt, data: change })
    const { headers } = received ?? {}
    expect(headers).toMatchObject({
      'webhook-id': `chg_${change.id}_${id}`,
      'webhook-timestamp': String(Math.floor(around.clock.now() / 1000)),
      'content-type': 'application/json',
      'crm-request-id': change.requestId,
    })
    const signed = `${String(headers?.['webhook-id'])}.${String(headers?.['webhook-timestamp'])}.${body}`
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
    expect(headers?.['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
  })

  it('sends nothing from before it began', async () => {
    await aNewContact(around)
    const receiver = await aCalledServer((_, response) => response.end())
    const id = await aWebhook(around, receiver)
    startDelivery(around.api)
    const contact = await aNewContact(around)
    await untilPosition(around, id, { seq: 2 })
    expect(receiver.received.map(eventIn)).toMatchObject([{ resourceId: contact }])
  })

  it('merges updates of a record that wait, and names their fields', async () => {
    let release = () => {}
    const receiver = await aCalledServer((_, response) => {
      if (receiver.received.length > 1) response.end()
      else release = () => response.end()
    })
    const id = await aWebhook(around, receiver)
    const { delivery } = startDelivery(around.api)
    const contact = await aNewContact(around)
    await until('the first call', () => receiver.received.length === 1)
    const changes = [{ firstName: 'One' }, { lastName: 'Two' }, { description: 'Three' }]
    for (const [index, change] of changes.entries())
      await around.organization.client.patch(`/contacts/${contact}`, { expectedVersion: index + 1, ...change })
    await removed(contact, 4)
    await until('all events in memory', () => delivery.lanes.get(id)?.state.held === 5)
    release()
    await untilPosition(around, id, { seq: 5 })
    const events = receiver.received.map(eventIn)
    expect(events.map(({ type, seq }) => [type, seq])).toEqual([
      ['contact.created', 1],
      ['contact.updated', 4],
      ['contact.deleted', 5],
    ])
    expect(events[1]?.data).toMatchObject({ coalesced: 3, changedFields: ['firstName', 'lastName', 'description'] })
    expect(events[2]?.data).not.toHaveProperty('coalesced')
  })

  it.each([
    [['deal.*'], [], 0],
    [['contact.created'], [], 1],
    [['contact.*', 'deal.created'], [], 2],
    [['*'], ['firstName'], 1],
  ])('for %j with the fields %j sends what it asks for', async (kinds, changedFields, count) => {
    const receiver = await aCalledServer((_, response) => response.end())
    const id = await aWebhook(around, receiver, { kinds, changedFields })
    startDelivery(around.api)
    const contact = await aNewContact(around)
    await untilPosition(around, id, { seq: 1 })
    await around.organization.client.patch(`/contacts/${contact}`, { expectedVersion: 1, description: 'Changed' })
    await untilPosition(around, id, { seq: 2 })
    expect(receiver.received).toHaveLength(count)
  })
})
