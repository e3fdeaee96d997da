import { describe, expect, it } from 'vitest'
import { bounds } from '../../server/src/kernel/index.ts'
import { isObject } from '../../server/src/kernel/schema/index.ts'
import { allBut } from '../conformance/support/given.ts'
import { aCompany, aContact, aDeal, aTask } from '../support/builders.ts'
import { objectOf } from '../support/client.ts'
import { setBound } from '../support/set-bound.ts'
import { readIn, useReads } from './support/reads.ts'

const given = useReads()

/** One record of each kind, all linked with each other. */
async function linkedRecords() {
  const organization = await given.organization()
  const { client } = organization
  const contact = await client.post('/contacts', aContact({ externalId: 'P-1' }))
  const company = await client.post('/companies', aCompany({ name: 'Mills' }))
  const [contactId, companyId] = [String(contact.data.id), String(company.data.id)]
  await client.put(`/companies/${companyId}/contacts`, {
    expectedVersion: 1,
    contacts: [{ id: contactId }],
  })
  const parties = { companies: [{ id: companyId }], contacts: [{ id: contactId }] }
  const deal = await client.post('/deals', aDeal({ ...parties, title: 'Chairs', amount: '98765.43' }))
  const dealId = String(deal.data.id)
  const about = { deal: { id: dealId }, contact: { id: contactId }, company: { id: companyId } }
  const task = await client.post('/tasks', aTask({ ...about, title: 'Call' }))
  expect([deal.status, task.status]).toEqual([201, 201])
  return { organization, contactId, companyId, dealId, taskId: String(task.data.id) }
}

const titlesOf = (list: unknown) =>
  [list]
    .flat()
    .filter(isObject)
    .map(({ title, name }) => title ?? name)

const one = { count: 1, isExact: true }
const none = { count: 0, isExact: true }

describe('the page of a record', () => {
  it('has the record, what is linked with it, how many that are, and what the caller may do', async () => {
    const { organization, contactId, companyId, dealId, taskId } = await linkedRecords()
    const pageOf = async (path: string) => (await readIn(organization, `/pages/${path}`)).data
    const companies = [{ id: companyId, name: 'Mills' }]
    const contacts = [{ id: contactId, name: 'Petrova Anna' }]
    const deals = [{ id: dealId, title: 'Chairs' }]
    const tasks = [{ id: taskId, title: 'Call' }]
    const contact = await pageOf(`contacts/${contactId}`)
    const { data: record } = await organization.client.get(`/contacts/${contactId}`)
    expect(contact).toMatchObject({
      record,
      linked: { companies, deals, tasks },
      counts: { companies: one, deals: one, tasks: one, activities: none, files: none },
    })
    expect(contact.permissions).toContain('crm_contacts_write')
    expect(await pageOf(`companies/${companyId}`)).toMatchObject({ linked: { contacts, deals, tasks } })
    expect(await pageOf(`deals/${dealId}`)).toMatchObject({ linked: { contacts, companies, tasks } })
    expect(await pageOf(`tasks/${taskId}`)).toMatchObject({ linked: { contacts, companies, deals } })
  })

  it('has the keys of all applications', async () => {
    const { organization, contactId } = await linkedRecords()
    const other = await organization.application()
    await other.client.patch(`/contacts/${contactId}`, { expectedVersion: 1, externalId: 'X-9' })
    const { data } = await readIn(organization, `/pages/contacts/${contactId}`)
    const key = (id: string, externalId: string) => ({ application: { id, name: 'Integration' }, externalId })
    expect(data.keys).toHaveLength(2)
    expect(data.keys).toEqual(expect.arrayContaining([key(organization.applicationId, 'P-1'), key(other.id, 'X-9')]))
  })

  it('shows nothing that its reader may not read', async () => {
    const { organization, dealId, contactId } = await linkedRecords()
    const less = await organization.token(allBut('crm_amounts_read', 'crm_contact_data_read', 'crm_tasks_read'))
    const deal = await readIn(organization, `/pages/deals/${dealId}`, less)
    expect(JSON.stringify(deal.body)).not.toMatch(/98765|"tasks"/u)
    expect(deal.meta.redacted).toEqual(['amounts'])
    const contact = await readIn(organization, `/pages/contacts/${contactId}`, less)
    expect(JSON.stringify(contact.body)).not.toMatch(/anna@example|555 ?0143|Call/u)
    expect((await readIn(organization, `/pages/tasks/${dealId}`, less)).status).toBe(403)
  })

  it('counts linked records up to its bound, and says so', async () => {
    const { organization, companyId } = await linkedRecords()
    await organization.client.post('/deals', aDeal({ companies: [{ id: companyId }] }))
    const countOf = async () => (await readIn(organization, `/pages/companies/${companyId}`)).data.counts
    expect(await countOf()).toMatchObject({ deals: { count: 2, isExact: true } })
    setBound(bounds.linkedCount, 1)
    expect(await countOf()).toMatchObject({ deals: { count: 1, isExact: false }, tasks: one })
  })

  it('names the newest linked records, of however many there are', async () => {
    const { organization, companyId, contactId } = await linkedRecords()
    setBound(bounds.linkedCount, 1)
    const parties = { companies: [{ id: companyId }], contacts: [{ id: contactId }] }
    const about = { contact: { id: contactId }, company: { id: companyId } }
    for (const title of ['Second', 'Newest']) {
      await organization.client.post('/deals', aDeal({ ...parties, title }))
      await organization.client.post('/tasks', aTask({ ...about, title }))
    }
    const company = await organization.client.post('/companies', aCompany({ name: 'Newest' }))
    await organization.client.put(`/companies/${company.data.id}/contacts`, {
      expectedVersion: 1,
      contacts: [{ id: contactId }],
    })
    const titlesOn = async (path: string) => {
      const { linked } = (await readIn(organization, `/pages/${path}`)).data
      const titles = Object.entries(objectOf(linked)).map(([name, list]) => [name, titlesOf(list)])
      return Object.fromEntries(titles)
    }
    // One more is looked at than is counted.
    const two = ['Newest', 'Second']
    expect(await titlesOn(`companies/${companyId}`)).toEqual({ contacts: ['Petrova Anna'], deals: two, tasks: two })
    expect(await titlesOn(`contacts/${contactId}`)).toEqual({ companies: ['Newest', 'Mills'], deals: two, tasks: two })
  })

  it('says what became of a record: anonymized, merged, or of another organization', async () => {
    const { organization, contactId, companyId } = await linkedRecords()
    const { client } = organization
    const other = await given.organization()
    expect((await readIn(other, `/pages/contacts/${contactId}`)).error.code).toBe('not_found')
    expect((await readIn(organization, `/pages/contacts/${companyId}`)).error.code).toBe('not_found')
    const second = await client.post('/companies', { name: 'Old Mills' })
    await given.sql(
      'insert into merged_records (organization_id, id, kind, into_id, merged_at) values ($1, $2, $3, $4, now())',
      [organization.id, second.data.id, 'company', companyId],
    )
    await given.sql('delete from companies where organization_id = $1 and id = $2', [organization.id, second.data.id])
    const merged = await readIn(organization, `/pages/companies/${String(second.data.id)}`)
    expect(merged.details.mergedIntoId).toBe(companyId)
    await given.sql('update contacts set anonymized_at = now() where organization_id = $1', [organization.id])
    expect((await readIn(organization, `/pages/contacts/${contactId}`)).error.code).toBe('resource_deleted')
  })
})
