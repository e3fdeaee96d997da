import { describe, expect, it } from 'vitest'
import { deal as deals } from '../../server/src/crm/deals/deal.ts'
import type { Scope } from '../../server/src/kernel/index.ts'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { objectOf } from '../support/client.ts'
import type { TestOrganization } from '../support/organization.ts'
import { aDealIn } from './support/deals.ts'
import { allBut, useApi } from './support/given.ts'
import { aPart } from './support/parts.ts'
import { aPerson, traces } from './support/persons.ts'
import { aRecord, outcome, partOf, unknownId } from './support/requests.ts'

const given = useApi()

const patchable = Object.keys(objectOf(deals.input.patch.schema.properties)).toSorted()

const eventsOf = async ({ client }: TestOrganization, id: unknown) => (await client.get(`/deals/${id}/events`)).items

/** Lets deals have the custom field `region`. */
const aRegion = (organization: TestOrganization) =>
  given.configure(
    organization,
    `insert into custom_field_definitions (organization_id, kind, key, label, type, position, created_at)
     values ($1, 'deal', 'region', 'Region', 'text', 0, now()) on conflict do nothing`,
    [organization.id],
  )

/** A deal with an event of every kind that values of several scopes stand in. */
async function anEventfulDeal(organization: TestOrganization) {
  const { client, operator } = organization
  await aRegion(organization)
  const { deal, record } = await partOf(organization, 'items', { quantity: '1', price: '12345.67' })
  const path = `/deals/${deal.id}`
  await client.patch(path, {
    expectedVersion: 2,
    amount: '76543.21',
    customFields: { region: 'north' },
    title: 'Lamps',
  })
  await client.patch(path, { expectedVersion: 3, ownerUuid: operator })
  return { deal, record }
}

describe('the events of a deal', () => {
  it('show what happened, the latest first', async () => {
    const organization = await given.shared()
    const { deal, record } = await anEventfulDeal(organization)
    const events = await eventsOf(organization, deal.id)
    const { title, stageUuid, companyIds, contactIds } = deal
    expect(events.map(({ kind, dealVersion, data }) => [kind, dealVersion, data])).toEqual([
      ['deal.owner_changed', 4, { fromOwnerUuid: null, toOwnerUuid: organization.operator }],
      [
        'deal.updated',
        3,
        {
          changedFields: ['title', 'amount', 'customFields'],
          before: { title, amount: '1500.00', customFields: {} },
          after: { title: 'Lamps', amount: '76543.21', customFields: { region: 'north' } },
        },
      ],
      ['deal.item_added', 2, { itemId: record.id, name: 'Chair', total: '12345.67' }],
      ['deal.created', 1, { title, stageUuid, companyIds, contactIds }],
    ])
  })

  it('show everything that a PATCH can change: plain fields before and after', async () => {
    const organization = await given.shared()
    await aRegion(organization)
    const deal = await aDealIn('lost', organization, { priority: 'low' })
    const plain = {
      externalId: `renamed-${deal.externalId}`,
      title: 'Lamps',
      description: 'Not chairs',
      amount: '20.50',
      currency: 'EUR',
      priority: 'urgent',
      expectedCloseDate: '2026-04-01',
      lostReasonComment: 'Too late',
      customFields: { region: 'north' },
    }
    const others = {
      ownerUuid: 'deal.owner_changed',
      companies: 'deal.companies_changed',
      contacts: 'deal.contacts_changed',
    }
    expect(Object.keys({ expectedVersion: 1, ...plain, ...others }).toSorted()).toEqual(patchable)

    const [company, contact] = [await aRecord('company', organization), await aRecord('contact', organization)]
    const links = { companies: [{ id: company.id }], contacts: [{ id: contact.id }] }
    const change = { expectedVersion: 1, ...plain, ...links, ownerUuid: organization.operator }
    expect((await organization.client.patch(`/deals/${deal.id}`, change)).status).toBe(200)

    const events = (await eventsOf(organization, deal.id)).filter(({ dealVersion }) => dealVersion === 2)
    expect(events.map(({ kind }) => kind).toSorted()).toEqual(['deal.updated', ...Object.values(others)].toSorted())
    const { changedFields, before, after } = objectOf(events.find(({ kind }) => kind === 'deal.updated')?.data)
    expect([changedFields, after]).toEqual([Object.keys(plain), plain])
    expect(before).toEqual(Object.fromEntries(Object.keys(plain).map(name => [name, deal[name]])))
  })

  it('say who did it, when, and in which request', async () => {
    const organization = await given.shared()
    const { id } = await aRecord('deal', organization)
    const [event] = await eventsOf(organization, id)
    expect(event).toEqual({
      id: expect.any(String),
      dealId: id,
      kind: 'deal.created',
      dealVersion: 1,
      createdAt: new Date(given.clock.now()).toISOString(),
      actorType: 'application',
      actorUuid: null,
      applicationId: organization.applicationId,
      requestId: expect.any(String),
      data: expect.any(Object),
    })
  })

  it('that one request leaves keep their order: moved, then won', async () => {
    const organization = await given.shared()
    const { id } = await aDealIn('first', organization)
    await organization.client.patch(`/deals/${id}/move`, { expectedVersion: 1, stageUuid: organization.stages.won })
    const kinds = (await eventsOf(organization, id)).map(({ kind }) => kind)
    expect(kinds).toEqual(['deal.won', 'deal.moved', 'deal.created'])
  })

  it('are absent for a change of nothing', async () => {
    const organization = await given.shared()
    const { deal, path } = await partOf(organization, 'items')
    await organization.client.patch(path, { expectedVersion: 1, quantity: '3.0' })
    expect(await eventsOf(organization, deal.id)).toHaveLength(2)
  })

  it('are paged by key: ties of one moment are neither lost nor doubled, nor is what comes later', async () => {
    const organization = await given.shared()
    const { client } = organization
    const { deal, collection } = await partOf(organization, 'activities')
    for (let made = 0; made < 5; made += 1) await client.post(collection, aPart.activities)
    const all = (await eventsOf(organization, deal.id)).map(({ id }) => id)
    const first = await client.get(`/deals/${deal.id}/events?limit=3`)
    await client.post(collection, aPart.activities)
    const second = await client.get(`/deals/${deal.id}/events?limit=3&cursor=${first.meta.nextCursor}`)
    const third = await client.get(`/deals/${deal.id}/events?limit=3&cursor=${second.meta.nextCursor}`)
    const paged = [first, second, third].flatMap(({ items }) => items.map(({ id }) => id))
    expect([paged, third.meta.nextCursor]).toEqual([all, null])
  })

  it('take a cursor of their own deal alone: 400 invalid_cursor', async () => {
    const organization = await given.shared()
    const { client } = organization
    const { deal } = await partOf(organization, 'activities')
    const { meta } = await client.get(`/deals/${deal.id}/events?limit=1`)
    const { id } = await aRecord('deal', organization)
    for (const cursor of [meta.nextCursor, 'invented', '']) {
      expect(outcome(await client.get(`/deals/${id}/events?cursor=${cursor}`))).toBe('400 invalid_cursor')
    }
  })

  it('stay when items and activities go', async () => {
    const organization = await given.shared()
    const { deal, path, record } = await partOf(organization, 'items')
    const before = await eventsOf(organization, deal.id)
    await organization.client.delete(`${path}?expectedVersion=1`)
    const [latest, ...others] = await eventsOf(organization, deal.id)
    expect(others).toEqual(before)
    expect(latest).toMatchObject({
      kind: 'deal.item_deleted',
      data: { itemId: record.id, name: 'Chair', total: '1.01' },
    })
  })

  it('of an unknown or removed deal are 404; they stay in the database', async () => {
    const organization = await given.shared()
    const { client } = organization
    const { id } = await aRecord('deal', organization)
    await client.delete(`/deals/${id}?expectedVersion=1`)
    for (const gone of [id, unknownId, 'deal-1']) {
      expect(outcome(await client.get(`/deals/${gone}/events`))).toBe('404 not_found')
    }
    expect(await given.sql('select kind from deal_events where deal_id = $1', [id])).toEqual([{ kind: 'deal.created' }])
  })

  it('hold nothing of a person: the ids of contacts alone', async () => {
    const organization = await given.shared()
    const { client } = organization
    const contact = await aPerson(organization)
    const { id } = await aRecord('deal', organization, { contacts: [{ id: contact.id }] })
    await client.post(`/deals/${id}/activities`, { ...aPart.activities, contact: { id: contact.id } })
    await client.patch(`/deals/${id}`, { expectedVersion: 2, companies: [], contacts: [{ id: contact.id }] })
    expect(JSON.stringify(await eventsOf(organization, id))).not.toMatch(traces)
  })
})

describe('a part of events that a token may not read', () => {
  const shownTo = async (scope: Scope) => {
    const organization = await given.shared()
    const { deal } = await anEventfulDeal(organization)
    const { items, meta } = await (await organization.token(allBut(scope))).get(`/deals/${deal.id}/events`)
    const of = (kind: string): JsonObject => objectOf(items.find(event => event.kind === kind)?.data)
    return { items, meta, of }
  }

  it('is every amount without crm_amounts_read, not that it was changed', async () => {
    const { items, meta, of } = await shownTo('crm_amounts_read')
    expect(meta.redacted).toEqual(['amounts'])
    expect(JSON.stringify(items)).not.toMatch(/12345|76543|1500/u)
    expect(of('deal.item_added')).toEqual({ itemId: expect.any(String), name: 'Chair' })
    expect(of('deal.updated')).toMatchObject({
      changedFields: ['title', 'amount', 'customFields'],
      before: { title: 'Two hundred chairs', customFields: {} },
    })
  })

  it('is every custom field without crm_custom_fields_read', async () => {
    const { items, meta, of } = await shownTo('crm_custom_fields_read')
    expect(meta.redacted).toEqual(['custom_fields'])
    expect(JSON.stringify(items)).not.toContain('north')
    expect(of('deal.updated')).toMatchObject({ after: { title: 'Lamps', amount: '76543.21' } })
  })

  it('is the author without crm_operators_read, not the owner of the deal', async () => {
    const { items, meta, of } = await shownTo('crm_operators_read')
    expect(meta.redacted).toEqual(['operators'])
    expect(items.every(event => !('actorUuid' in event))).toBe(true)
    expect(of('deal.owner_changed').toOwnerUuid).toEqual(expect.any(String))
  })

  it('is the added and removed tags without crm_tags_read', async () => {
    const organization = await given.shared()
    const { id } = await aRecord('deal', organization)
    const tags = [{ id: organization.tag }]
    await organization.client.put(`/deals/${id}/tags`, { expectedVersion: 1, tags })
    const [whole] = await eventsOf(organization, id)
    expect(whole).toMatchObject({ kind: 'deal.tags_changed', data: { added: [organization.tag], removed: [] } })
    const { items, meta } = await (await organization.token(allBut('crm_tags_read'))).get(`/deals/${id}/events`)
    expect(meta.redacted).toEqual(['tags'])
    expect(items[0]).toMatchObject({ kind: 'deal.tags_changed', data: {} })
    expect(objectOf(items[0]?.data)).toEqual({})
  })

  it('is absent for a token with every scope: meta says nothing', async () => {
    const organization = await given.shared()
    const { deal } = await anEventfulDeal(organization)
    expect((await organization.client.get(`/deals/${deal.id}/events`)).meta).toEqual({ nextCursor: null })
  })
})
