import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { anActivityOf, partyKinds } from './support/activities.ts'
import { factsOf, nothing } from './support/facts.ts'
import { allBut, useApi } from './support/given.ts'
import { aChangeOf, aPart } from './support/parts.ts'
import { aRecord, issuePaths, outcome, plurals, unknownId } from './support/requests.ts'

const given = useApi()

/** A note that somebody writes on a contact or a company. */
const note = { type: 'call', subject: 'Called, wants an offer', direction: 'inbound', durationSeconds: 90 }

describe.each(partyKinds)('activities of a %s', kind => {
  const versionOf = (version: number) => ({ [`${kind}Version`]: version })

  it('are added with all members, and raise the version of their owner', async () => {
    const organization = await given.shared()
    const { id } = await aRecord(kind, organization)
    const path = `/${plurals[kind]}/${id}`
    const added = await organization.client.post(`${path}/activities`, note)
    const now = new Date(given.clock.now()).toISOString()
    expect([added.status, added.meta]).toEqual([201, versionOf(2)])
    expect(added.data).toEqual({
      id: expect.any(String),
      version: 1,
      [`${kind}Id`]: id,
      ...note,
      body: null,
      occurredAt: now,
      outcome: null,
      ...(kind === 'company' ? { contactId: null } : {}),
      authorUuid: null,
      applicationId: organization.applicationId,
      createdAt: now,
      updatedAt: now,
    })
    expect((await organization.client.get(path)).data.version).toBe(2)
    expect((await organization.client.get(`${path}/activities`)).items).toEqual([added.data])
  })

  it('are changed and deleted by their own version', async () => {
    const organization = await given.shared()
    const { client } = organization
    const { path, collection } = await anActivityOf(kind, organization)
    const change = { expectedVersion: 1, ...aChangeOf.activities }
    const changed = await client.patch(path, change)
    expect([changed.status, changed.data.version, changed.meta]).toEqual([200, 2, versionOf(3)])
    expect(outcome(await client.patch(path, change))).toBe('409 version_conflict')
    expect(outcome(await client.delete(`${path}?expectedVersion=1`))).toBe('409 version_conflict')
    const deleted = await client.delete(`${path}?expectedVersion=2`)
    expect([deleted.status, deleted.meta]).toEqual([200, versionOf(4)])
    expect((await client.get(collection)).items).toEqual([])
    expect(outcome(await client.patch(path, change))).toBe('404 not_found')
  })

  it('keep the rules of activities: 422', async () => {
    const organization = await given.shared()
    const { path, collection } = await anActivityOf(kind, organization)
    const answers = [
      await organization.client.post(collection, { ...note, type: 'note' }),
      await organization.client.patch(path, { expectedVersion: 1, subject: null }),
    ]
    expect(answers.map(answer => [outcome(answer), issuePaths(answer)])).toEqual([
      ['422 validation_error', ['/direction', '/durationSeconds']],
      ['422 validation_error', ['/subject']],
    ])
  })

  it('write one event of their owner, and an audit entry with their values', async () => {
    const organization = await given.organization()
    const owner = await aRecord(kind, organization)
    const facts = await factsOf(given, organization, () =>
      organization.client.post(`/${plurals[kind]}/${owner.id}/activities`, note),
    )
    expect(facts.events).toMatchObject([
      { kind: `${kind}.updated`, resourceId: owner.id, version: 2, changedFields: ['activities'] },
    ])
    expect(facts.audit).toMatchObject([
      {
        action: `${kind}.updated`,
        versions: [1, 2],
        changes: [{ field: 'activities', before: null, after: { subject: note.subject } }],
      },
    ])
  })

  it('leave nothing behind by a change of nothing', async () => {
    const organization = await given.organization()
    const { path } = await anActivityOf(kind, organization)
    const facts = await factsOf(given, organization, () => organization.client.patch(path, { expectedVersion: 1 }))
    expect(facts).toEqual(nothing)
  })

  it('are found only below their owner', async () => {
    const organization = await given.shared()
    const { record } = await anActivityOf(kind, organization)
    const other = await aRecord(kind, organization)
    for (const owner of [other.id, unknownId]) {
      const path = `/${plurals[kind]}/${owner}/activities/${record.id}`
      expect(outcome(await organization.client.patch(path, { expectedVersion: 1 }))).toBe('404 not_found')
    }
    expect(outcome(await organization.client.get(`/${plurals[kind]}/${unknownId}/activities`))).toBe('404 not_found')
  })

  it('need the scopes of their owner, and hide their author without that of operators', async () => {
    const organization = await given.shared()
    const { collection } = await anActivityOf(kind, organization)
    const blind = await organization.token(allBut('crm_operators_read'))
    expect(Object.keys((await blind.get(collection)).items[0] ?? {})).not.toContain('authorUuid')
    const reader = await organization.token([kind === 'contact' ? 'crm_contacts_read' : 'crm_companies_read'])
    expect((await reader.get(collection)).status).toBe(200)
    expect(outcome(await reader.post(collection, note))).toBe('403 insufficient_scope')
  })

  it('are not found by a search', async () => {
    const organization = await given.organization()
    await anActivityOf(kind, organization, { subject: 'Rhododendron' })
    expect((await organization.client.get('/search?q=rhododendron')).items).toEqual([])
  })
})

describe('the participant of an activity', () => {
  it('is a contact, at a company', async () => {
    const organization = await given.shared()
    const { client } = organization
    const contact = await aRecord('contact', organization)
    const reference = { externalId: contact.externalId }
    const { path, record } = await anActivityOf('company', organization, { contact: reference })
    expect(record.contactId).toBe(contact.id)
    expect((await client.patch(path, { expectedVersion: 1, contact: null })).data.contactId).toBeNull()
  })

  it.each([
    ['full', 'externalId', '410 external_reference_deleted'],
    ['anonymize', 'id', '410 resource_deleted'],
  ] as const)('who was removed (%s) is named by %s no more: %s', async (mode, member, refusal) => {
    const organization = await given.shared()
    const { client } = organization
    const contact = await aRecord('contact', organization)
    await client.delete(`/contacts/${contact.id}?expectedVersion=1&mode=${mode}`)
    const { path, collection } = await anActivityOf('company', organization)
    const reference = { [member]: contact[member] }
    for (const answer of [
      await client.post(collection, { ...aPart.activities, contact: reference }),
      await client.patch(path, { expectedVersion: 1, contact: reference }),
    ])
      expect(outcome(answer)).toBe(refusal)
  })

  it('is the owner itself at a contact, and cannot be named', async () => {
    const organization = await given.shared()
    const { collection, owner, record } = await anActivityOf('contact', organization)
    expect(record.contactId).toBe(owner.id)
    const answer = await organization.client.post(collection, { ...note, contact: { id: owner.id } })
    expect(outcome(answer)).toBe('400 validation_error')
  })

  it('who is deleted is named no longer, which is a version of the activity and of the company', async () => {
    const organization = await given.organization()
    const { client } = organization
    const contact = await aRecord('contact', organization)
    const { collection, owner } = await anActivityOf('company', organization, { contact: { id: contact.id } })
    const preview = await client.get(`/contacts/${contact.id}/delete/preview`)
    expect(preview.data.links).toMatchObject({ companyActivities: { count: 1 }, activities: { count: 0 } })
    const facts = await factsOf(given, organization, () =>
      client.post(`/contacts/${contact.id}/delete/commit`, { mode: 'full' }),
    )
    expect((await client.get(collection)).items).toMatchObject([{ version: 2, contactId: null }])
    expect(facts.events.map((event: JsonObject) => [event.kind, event.resourceId, event.changedFields])).toEqual([
      ['company.updated', owner.id, ['activities']],
      ['contact.deleted', contact.id, []],
    ])
  })
})
