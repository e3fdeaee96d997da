import { describe, expect, it } from 'vitest'
import { scopes } from '../../server/src/kernel/index.ts'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { createToken, revokeToken, setToken } from '../../server/src/settings/index.ts'
import { aCompany, aContact } from '../support/builders.ts'
import { aCalledServer } from '../support/called-server.ts'
import { until } from '../support/waiting.ts'
import {
  administered,
  aNewContact,
  aWebhook,
  eventIn,
  startDelivery,
  untilLooks,
  untilPosition,
  useWebhooks,
} from './support.ts'

const around = useWebhooks()

const secretOf = (text: string) => ({
  firstName: `First ${text}`,
  contactData: { phones: [{ value: '+1 202 555 0177' }], emails: [{ value: `${text}@private.example` }] },
})
const shown = /private\.example|2025550177|202 555 0177/u

const withoutData = scopes.filter(scope => scope !== 'crm_contact_data_read')

async function aPerson(text: string): Promise<string> {
  const { data } = await around.organization.client.post('/contacts', aContact(secretOf(text)))
  return String(data.id)
}

/** A token of the application with these scopes; gives its id. */
async function aToken(granted: readonly string[]): Promise<string> {
  const { id: organizationId, applicationId } = around.organization
  const names = { organizationId, applicationId, name: 'Webhook' }
  return (await createToken(around.api.test, { ...names, scopes: [...granted] })).id
}

const own = (tokenId: string) => ({ organizationId: around.organization.id, tokenId })

/** A receiver that refuses, until it is told otherwise, and a full webhook for this token. */
async function aRefusingReceiver(tokenId: string) {
  const answer = { status: 500 }
  const receiver = await aCalledServer((_, response) => void response.writeHead(answer.status).end())
  const id = await aWebhook(around, receiver, { body: 'full', tokenId })
  return { id, receiver, takes: () => void (answer.status = 200) }
}

const countParked = statement(
  'test_count_withdrawn_parked',
  'select count(*)::integer as parked from webhook_parked where organization_id = $1',
)
const untilNothingWaits = () =>
  until('no parked event', async () => {
    around.clock.advance(10_000)
    return (await around.api.test.database.query(countParked, [around.organization.id]))[0]?.parked === 0
  })

describe('contact data that a token may read no more', () => {
  it('is in no body of an event that was committed before, be it read or refused already', async () => {
    const tokenId = await aToken(scopes)
    const { id, receiver, takes } = await aRefusingReceiver(tokenId)
    startDelivery(around.api)
    const person = await aPerson('before')
    await untilPosition(around, id, { seq: 1 })
    expect(receiver.received[0]?.body).toMatch(shown)
    await setToken(around.api.test, { ...own(tokenId), scopes: withoutData })
    // A worker knows of changed rights from its next look.
    await untilLooks(around, 2)
    takes()
    await untilNothingWaits()
    await aPerson('after')
    await untilPosition(around, id, { seq: 2 })
    const later = receiver.received.slice(1)
    expect(later.map(eventIn)).toMatchObject([{ resourceId: person }, { type: 'contact.created' }])
    for (const { body } of later) {
      expect(body).not.toMatch(shown)
      expect(JSON.parse(body).meta.redacted).toContain('contact_data')
    }
  })

  it('is in no body after its token was replaced by one without the scope', async () => {
    const { receiver, takes } = await (async () => {
      const answer = { status: 503 }
      const called = await aCalledServer((_, response) => void response.writeHead(answer.status).end())
      await aWebhook(around, called, { body: 'full' })
      return { receiver: called, takes: () => void (answer.status = 200) }
    })()
    startDelivery(around.api)
    await aPerson('first')
    await until('a refused call', () => receiver.received.length === 1)
    expect(receiver.received[0]?.body).toMatch(shown)
    const [, , tokenId = ''] = around.organization.client.token.split('_')
    await revokeToken(around.api.test, own(tokenId))
    await aToken(withoutData)
    await untilLooks(around, 2)
    takes()
    await until('a delivery', () => {
      around.clock.advance(10_000)
      return receiver.received.length > 1
    })
    expect(receiver.received[1]?.body).not.toMatch(shown)
  })

  it('leaves the server no more once its token is revoked: nothing is sent', async () => {
    const tokenId = await aToken(scopes)
    const { id, receiver, takes } = await aRefusingReceiver(tokenId)
    startDelivery(around.api)
    await aPerson('first')
    await untilPosition(around, id, { seq: 1 })
    await revokeToken(around.api.test, own(tokenId))
    await untilPosition(around, id, { state: 'held', reason: 'token_revoked' })
    const calls = receiver.received.length
    takes()
    around.clock.advance(600_000)
    await administered(around.api)
    await aPerson('second')
    await untilPosition(around, id, { state: 'held', reason: 'token_revoked' })
    expect(receiver.received).toHaveLength(calls)
  })
})

describe('a person who was erased', () => {
  it.each([
    ['anonymized', ''],
    ['deleted', '&mode=full'],
  ])('is in no full body afterwards: %s', async (kind, mode) => {
    const tokenId = await aToken(scopes)
    const { id, receiver, takes } = await aRefusingReceiver(tokenId)
    startDelivery(around.api)
    const person = await aPerson('erased')
    await untilPosition(around, id, { seq: 1 })
    const erased = await around.organization.client.delete(`/contacts/${person}?expectedVersion=1${mode}`)
    expect(erased.status).toBe(200)
    await around.organization.client.post('/companies', aCompany())
    await untilPosition(around, id, { seq: 3 })
    takes()
    await untilNothingWaits()
    const ofPerson = receiver.received.slice(1).filter(each => eventIn(each).resourceId === person)
    expect(ofPerson.at(-1)?.body).toContain(`"contact.${kind}"`)
    for (const { body } of ofPerson) {
      expect(JSON.parse(body).data.record).toBeNull()
      expect(body).not.toMatch(shown)
      expect(body).not.toContain('First erased')
    }
  })
})

it('an event that has waited for other calls is sent with the key that its record has by then', async () => {
  const waiting: (() => void)[] = []
  const receiver = await aCalledServer((_, response) => void waiting.push(() => response.end()))
  await aWebhook(around, receiver, { kinds: ['contact.created'], concurrency: 1 })
  await aNewContact(around)
  const { client } = around.organization
  const { data } = await client.post('/contacts', aContact({ externalId: 'written-down' }))
  startDelivery(around.api)
  await until('the first call', () => waiting.length === 1)
  expect((await client.delete(`/contacts/${String(data.id)}?expectedVersion=1&mode=full`)).status).toBe(200)
  around.clock.advance(2000)
  waiting[0]?.()
  await until('the second call', () => waiting.length === 2)
  waiting[1]?.()
  const [, later] = receiver.received
  expect(JSON.parse(later?.body ?? '')).toMatchObject({ data: { resourceId: data.id } })
  expect(later?.body).not.toContain('written-down')
})
