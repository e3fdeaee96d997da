import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import type { TestOrganization } from '../support/organization.ts'
import { factsOf } from './support/facts.ts'
import { useApi } from './support/given.ts'
import { aRecord, plurals } from './support/requests.ts'

const given = useApi()

const preview = ({ client }: TestOrganization, plural: string, { id }: JsonObject) =>
  client.get(`/${plural}/${id}/delete/preview`)

const remove = ({ client }: TestOrganization, plural: string, { id }: JsonObject) =>
  client.post(`/${plural}/${id}/delete/commit`, plural === 'contacts' ? { mode: 'full' } : {})

/** A contact with a company, a deal, an activity of that deal and one of another, and a task. */
async function aWorld(organization: TestOrganization) {
  const { client } = organization
  const contact = await aRecord('contact', organization)
  const other = await aRecord('contact', organization)
  const company = await aRecord('company', organization)
  const links = [{ id: contact.id, role: 'Buyer' }, { id: other.id }]
  await client.put(`/companies/${company.id}/contacts`, { expectedVersion: 1, contacts: links })
  const deal = await aRecord('deal', organization, { contacts: [{ id: contact.id }], companies: [{ id: company.id }] })
  const apart = await aRecord('deal', organization)
  const activity = async ({ id }: JsonObject) => {
    const body = { type: 'note', subject: 'Chairs', contact: { id: contact.id } }
    return (await client.post(`/deals/${id}/activities`, body)).data
  }
  const activities = [await activity(deal), await activity(apart)]
  const about = { contact: { id: contact.id }, company: { id: company.id }, deal: { id: deal.id } }
  const task = await aRecord('task', organization, about)
  return { contact, other, company, deal, apart, activities, task }
}

const ids = (...records: readonly JsonObject[]) => records.map(({ id }) => String(id)).toSorted()

describe('a contact that is fully deleted', () => {
  it('is taken out of companies, deals, activities and tasks, as its preview says', async () => {
    const organization = await given.organization()
    const { contact, other, company, deal, apart, activities, task } = await aWorld(organization)
    const { data: told } = await preview(organization, 'contacts', contact)
    expect(told.links).toEqual({
      companies: { count: 1, sampleIds: ids(company) },
      deals: { count: 1, sampleIds: ids(deal) },
      companyActivities: { count: 0, sampleIds: [] },
      activities: { count: 2, sampleIds: ids(...activities) },
      tasks: { count: 1, sampleIds: ids(task) },
    })
    const { events } = await factsOf(given, organization, async () => {
      const { data } = await remove(organization, 'contacts', contact)
      expect(data.unlinked).toEqual({ companies: 1, deals: 1, tasks: 1 })
    })
    expect(events.map(event => [event.resourceId, event.version, event.changedFields])).toEqual(
      expect.arrayContaining([
        [company.id, 3, ['contacts']],
        [deal.id, 3, ['contacts', 'activities']],
        [apart.id, 3, ['activities']],
        [task.id, 2, ['contactId']],
        [contact.id, 2, []],
      ]),
    )
    expect(events).toHaveLength(5)
    const { items } = await organization.client.get(`/companies/${company.id}/contacts`)
    expect(items).toMatchObject([{ contactId: other.id, isPrimary: true }])
    for (const { id } of [deal, apart]) {
      const found = (await organization.client.get(`/deals/${id}/activities`)).items
      expect(found).toMatchObject([{ contactId: null, version: 2 }])
    }
    const kept = (await organization.client.get(`/tasks/${task.id}`)).data
    expect([kept.contactId, kept.companyId, kept.dealId]).toEqual([null, company.id, deal.id])
  })

  it('leaves activities without it: each gets a version, and so does the deal, whose feeds say so', async () => {
    const organization = await given.organization()
    const { client } = organization
    const { contact, other, apart, activities } = await aWorld(organization)
    const body = { type: 'note', subject: 'Lamps', contact: { id: other.id } }
    const { data: untouched } = await client.post(`/deals/${apart.id}/activities`, body)
    const { events, audit } = await factsOf(given, organization, () => remove(organization, 'contacts', contact))
    const [, activity] = activities
    expect((await client.get(`/deals/${apart.id}/activities`)).items).toEqual([
      untouched,
      { ...activity, contactId: null, version: 2, updatedAt: expect.any(String) },
    ])
    expect((await client.get(`/deals/${apart.id}`)).data).toMatchObject({ version: 4, activitiesCount: 2 })
    expect(events.find(({ resourceId }) => resourceId === apart.id)).toMatchObject({
      kind: 'deal.updated',
      operation: 'updated',
      version: 4,
      changedFields: ['activities'],
    })
    // What was said of a person who is erased is not said again.
    expect(audit.find(({ resourceId }) => resourceId === apart.id)).toMatchObject({
      versions: [3, 4],
      changes: [{ field: 'activities', redacted: true }],
    })
    const [latest] = (await client.get(`/deals/${apart.id}/events`)).items
    const data = { activityId: activity?.id, type: 'note' }
    expect(latest).toMatchObject({ kind: 'deal.activity_updated', dealVersion: 4, data })
  })
})

describe('a company that is deleted', () => {
  it('is taken out of deals and tasks; its links to contacts go with it, and they keep their versions', async () => {
    const organization = await given.organization()
    const { contact, company, deal, task } = await aWorld(organization)
    const { data: told } = await preview(organization, 'companies', company)
    expect(told.links).toMatchObject({
      deals: { count: 1, sampleIds: ids(deal) },
      tasks: { count: 1, sampleIds: ids(task) },
      contacts: { count: 2 },
    })
    const { events } = await factsOf(given, organization, async () => {
      const { data } = await remove(organization, 'companies', company)
      expect(data.unlinked).toEqual({ contacts: 2, deals: 1, tasks: 1 })
    })
    expect(events.map(event => [event.kind, event.resourceId])).toEqual(
      expect.arrayContaining([
        ['deal.updated', deal.id],
        ['task.updated', task.id],
        ['company.deleted', company.id],
      ]),
    )
    expect(events).toHaveLength(3)
    expect(await given.sql('select from company_contacts where company_id = $1', [company.id])).toEqual([])
    expect((await organization.client.get(`/contacts/${contact.id}`)).data).toEqual(contact)
  })

  it('names a sample of the contacts it is linked to', async () => {
    const organization = await given.organization()
    const { contact, other, company } = await aWorld(organization)
    const { data } = await preview(organization, 'companies', company)
    expect(data.links).toMatchObject({ contacts: { count: 2, sampleIds: ids(contact, other) } })
  })
})

describe('a deal that is deleted', () => {
  it('is taken out of the tasks about it, and takes its activities along', async () => {
    const organization = await given.organization()
    const { deal, task, contact } = await aWorld(organization)
    const { events } = await factsOf(given, organization, async () => {
      const answer = await organization.client.delete(`/deals/${deal.id}?expectedVersion=2`)
      expect(answer.body).toEqual({ data: { id: deal.id, deleted: true }, meta: {} })
    })
    expect(events.map(event => [event.kind, event.version, event.changedFields])).toEqual([
      ['task.updated', 2, ['dealId']],
      ['deal.deleted', 3, []],
    ])
    expect((await organization.client.get(`/tasks/${task.id}`)).data).toMatchObject({ dealId: null })
    const { data } = await preview(organization, 'contacts', contact)
    expect(data.links).toMatchObject({ activities: { count: 1 }, deals: { count: 0 } })
  })
})

describe('a task that is deleted', () => {
  it('changes none of its referenced records', async () => {
    const organization = await given.organization()
    const { task } = await aWorld(organization)
    const { events } = await factsOf(given, organization, () =>
      organization.client.delete(`/${plurals.task}/${task.id}?expectedVersion=1`),
    )
    expect(events.map(({ kind }) => kind)).toEqual(['task.deleted'])
  })
})
