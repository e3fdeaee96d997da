import { afterEach, describe, expect, it, vi } from 'vitest'
import { scopes } from '../../server/src/kernel/index.ts'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { aCompany } from '../support/builders.ts'
import { aCalledServer, type CalledServer } from '../support/called-server.ts'
import { anOrganization } from '../support/organization.ts'
import { until } from '../support/waiting.ts'
import { administered, aNewContact, aWebhook, eventIn, startDelivery, untilPosition, useWebhooks } from './support.ts'

const around = useWebhooks()
afterEach(() => vi.restoreAllMocks())

const receiving = () => aCalledServer((_, response) => response.end())
const kindsOf = ({ received }: CalledServer) => received.map(each => eventIn(each).type)

async function aNewCompany(): Promise<void> {
  expect((await around.organization.client.post('/companies', aCompany())).status).toBe(201)
}

const change = async (name: string, text: string) => {
  await around.api.test.database.query(statement(`test_change_${name}`, text), [around.organization.id])
  await administered(around.api)
}

const idOfToken = (token: string) => token.split('_')[2] ?? ''

describe('what a webhook shows', () => {
  it('is what its token may read: other kinds are skipped, and members are absent', async () => {
    const unread = new Set(['crm_contacts_read', 'crm_operators_read'])
    const granted = scopes.filter(scope => !unread.has(scope)).join(',')
    await change('narrow', `update api_tokens set scopes = '{${granted}}' where organization_id = $1`)
    const receiver = await receiving()
    const id = await aWebhook(around, receiver)
    startDelivery(around.api)
    await aNewContact(around)
    await aNewCompany()
    await untilPosition(around, id, { seq: 2 })
    expect(kindsOf(receiver)).toEqual(['company.created'])
    expect(JSON.parse(receiver.received[0]?.body ?? '').data).not.toHaveProperty('actorUuid')
  })

  it('is no more than its own scopes', async () => {
    const receiver = await receiving()
    const id = await aWebhook(around, receiver, { scopes: ['crm_contacts_read'] })
    startDelivery(around.api)
    await aNewCompany()
    await aNewContact(around)
    await untilPosition(around, id, { seq: 2 })
    expect(kindsOf(receiver)).toEqual(['contact.created'])
    expect(JSON.parse(receiver.received[0]?.body ?? '').data).not.toHaveProperty('actorUuid')
  })

  it('has the actor with the scope for operators', async () => {
    const receiver = await receiving()
    const id = await aWebhook(around, receiver, { scopes: ['crm_contacts_read', 'crm_operators_read'] })
    startDelivery(around.api)
    await aNewContact(around)
    await untilPosition(around, id, { seq: 1 })
    expect(JSON.parse(receiver.received[0]?.body ?? '').data).toMatchObject({ actorUuid: null })
  })

  it('has the key of its own application, and not that of another one', async () => {
    const receiver = await receiving()
    const other = await around.organization.application()
    const id = await aWebhook(around, receiver)
    startDelivery(around.api)
    await other.client.post('/companies', aCompany())
    await aNewCompany()
    await untilPosition(around, id, { seq: 2 })
    expect(receiver.received.map(each => eventIn(each).data.externalId)).toEqual([
      null,
      expect.stringMatching(/^company-/u),
    ])
  })

  it('leaves out what its application has changed, if it asks for that', async () => {
    const receiver = await receiving()
    const other = await around.organization.application()
    const id = await aWebhook(around, receiver, { ownChanges: 'skip' })
    startDelivery(around.api)
    await aNewCompany()
    await other.client.post('/companies', aCompany())
    await untilPosition(around, id, { seq: 2 })
    expect(receiver.received.map(eventIn)).toMatchObject([{ seq: 2 }])
  })

  it('is nothing of another organization', async () => {
    const [receiver, elsewhere] = [await receiving(), await receiving()]
    const id = await aWebhook(around, receiver)
    const other = await anOrganization(around.api)
    const there = { api: around.api, clock: around.clock, organization: other }
    const idThere = await aWebhook(there, elsewhere)
    startDelivery(around.api)
    const own = await aNewContact(around)
    const foreign = await aNewContact(there)
    await untilPosition(around, id, { seq: 1 })
    await untilPosition(there, idThere, { seq: 1 })
    expect(receiver.received.map(each => eventIn(each).resourceId)).toEqual([own])
    expect(elsewhere.received.map(each => eventIn(each).resourceId)).toEqual([foreign])
  })
})

describe('a webhook is held, and goes on afterwards,', () => {
  it.each([
    [
      'when its token is revoked',
      'token_revoked',
      'update api_tokens set revoked_at = now() where organization_id = $1',
      'update api_tokens set revoked_at = null where organization_id = $1',
    ],
    [
      'when its application is disabled',
      'application_disabled',
      'update applications set enabled = false where organization_id = $1',
      'update applications set enabled = true where organization_id = $1',
    ],
    [
      'when the organization has another CRM',
      'crm_provider',
      `update organizations set crm_provider = 'external' where id = $1`,
      `update organizations set crm_provider = 'built_in' where id = $1`,
    ],
    [
      'when its token is good for some networks',
      'token_networks',
      `update api_tokens set cidrs = '{10.0.0.0/8}' where organization_id = $1`,
      `update api_tokens set cidrs = '{}' where organization_id = $1`,
    ],
    [
      'when its secret cannot be read',
      'secret_unreadable',
      `update webhook_subscriptions set secret = 'x' || secret where organization_id = $1`,
      'update webhook_subscriptions set secret = substr(secret, 2) where organization_id = $1',
    ],
  ])('%s', async (title, reason, end, begin) => {
    const receiver = await receiving()
    const id = await aWebhook(around, receiver)
    startDelivery(around.api)
    await aNewContact(around)
    await untilPosition(around, id, { seq: 1 })
    const name = title.replaceAll(/\W+/gu, '_')
    // The API is not asked while the token is not valid.
    await change(`end_${name}`, end)
    await untilPosition(around, id, { state: 'held', reason })
    await change(`begin_${name}`, begin)
    await untilPosition(around, id, { state: 'active', reason: null })
    await until(
      'a request of the token',
      async () => (await around.organization.client.get('/contacts')).status === 200,
    )
    await aNewContact(around)
    await untilPosition(around, id, { seq: 2 })
    expect(receiver.received).toHaveLength(2)
  })

  it('when its token has expired', async () => {
    const receiver = await receiving()
    const id = await aWebhook(around, receiver)
    const soon = new Date(around.clock.now() + 1000).toISOString()
    await change(`expire_${receiver.port}`, `update api_tokens set expires_at = '${soon}' where organization_id = $1`)
    startDelivery(around.api)
    await aNewContact(around)
    await untilPosition(around, id, { seq: 1 })
    around.clock.advance(1000)
    await untilPosition(around, id, { state: 'held', reason: 'token_expired' })
  })

  it('when its token expires between two pages of a backlog', async () => {
    const id = await aWebhook(around, await receiving(), { kinds: ['contact.merged'] })
    for (let part = 0; part < 3; part += 1) {
      const items = Array.from({ length: 100 }, (_, n) => ({ externalId: `backlog-${part}-${n}`, lastName: 'Petrova' }))
      expect((await around.organization.client.post('/contacts/batch/upsert', { items })).status).toBe(200)
    }
    const soon = new Date(around.clock.now() + 1000).toISOString()
    await change('expire_backlog', `update api_tokens set expires_at = '${soon}' where organization_id = $1`)
    const { database } = around.api.services
    const query = database.query.bind(database)
    vi.spyOn(database, 'query').mockImplementation(async (asked, ...others) => {
      const rows = await query(asked, ...others)
      if (asked.name === 'select_changes') around.clock.advance(1000)
      return rows
    })
    startDelivery(around.api)
    await untilPosition(around, id, { seq: 200, state: 'held', reason: 'token_expired' })
  })

  it('when its application has several tokens and it names none; each token alone would do', async () => {
    const receiver = await receiving()
    const id = await aWebhook(around, receiver)
    const { token } = await around.organization.token([...scopes])
    const named = await aWebhook(around, receiver, { tokenId: idOfToken(token) })
    startDelivery(around.api)
    await aNewContact(around)
    await untilPosition(around, id, { state: 'held', reason: 'several_tokens', seq: 0 })
    await untilPosition(around, named, { state: 'active', seq: 1 })
  })
})
