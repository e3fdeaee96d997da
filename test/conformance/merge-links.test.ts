import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import type { TestOrganization } from '../support/organization.ts'
import { factsOf } from './support/facts.ts'
import { useApi } from './support/given.ts'
import { aPair, commitMerge, mergedKinds, previewMerge } from './support/merges.ts'
import { aRecord } from './support/requests.ts'

const given = useApi()

/** A company with these contacts, in order, as [contact, role]. */
async function aCompanyOf(organization: TestOrganization, ...links: (readonly [JsonObject, string | null])[]) {
  const company = await aRecord('company', organization, { externalId: null })
  const contacts = links.map(([{ id }, role]) => ({ id, role }))
  await organization.client.put(`/companies/${company.id}/contacts`, { expectedVersion: 1, contacts })
  return { ...company, version: 2 }
}

/** Its version, and its contacts in order, as [contact, role]; their places have no gaps. */
async function contactsOf({ client }: TestOrganization, { id }: JsonObject) {
  const { data } = await client.get(`/companies/${id}`)
  const { items } = await client.get(`/companies/${id}/contacts`)
  expect(items.map(({ position }) => position)).toEqual(items.map((_, place) => place))
  return [data.version, items.map(({ contactId, role }) => [contactId, role])]
}

async function anActivity({ client }: TestOrganization, deal: JsonObject, contact: JsonObject) {
  const body = { type: 'note', subject: 'Chairs', contact: { id: contact.id } }
  return (await client.post(`/deals/${deal.id}/activities`, body)).data
}

describe.each(mergedKinds)('tasks about a merged %s', kind => {
  it('are about the primary then, each with one version more', async () => {
    const organization = await given.organization()
    const [primary, secondary] = await aPair(kind, organization)
    const about = (record: JsonObject) => aRecord('task', organization, { [kind]: { id: record.id } })
    const [moved, untouched] = [await about(secondary), await about(primary)]
    const told = await previewMerge(organization.client, kind, [primary, secondary])
    expect(told.data.links).toMatchObject({ tasks: { primary: 1, secondary: 1, merged: 2 } })
    const facts = await factsOf(given, organization, async () => {
      const { data } = await commitMerge(organization.client, kind, [primary, secondary])
      expect(data.moved).toMatchObject({ tasks: 1 })
    })
    const task = async ({ id }: JsonObject) => (await organization.client.get(`/tasks/${id}`)).data
    expect(await task(moved)).toMatchObject({ version: 2, [`${kind}Id`]: primary.id })
    expect(await task(untouched)).toEqual(untouched)
    expect(facts.events.filter(({ resourceType }) => resourceType === 'task')).toMatchObject([
      { kind: 'task.updated', resourceId: moved.id, version: 2, changedFields: [`${kind}Id`] },
    ])
  })
})

describe('companies of a merged contact', () => {
  it('have the primary in its place, with the role; the contacts keep their versions', async () => {
    const organization = await given.organization()
    const [primary, secondary] = await aPair('contact', organization)
    const other = await aRecord('contact', organization)
    const company = await aCompanyOf(organization, [other, null], [secondary, 'Buyer'])
    const facts = await factsOf(given, organization, async () => {
      const { data } = await commitMerge(organization.client, 'contact', [primary, secondary])
      expect(data.moved).toMatchObject({ companies: 1 })
    })
    const links = [
      [other.id, null],
      [primary.id, 'Buyer'],
    ]
    expect(await contactsOf(organization, company)).toEqual([3, links])
    expect(facts.events.map(event => [event.kind, event.version, event.changedFields])).toEqual([
      ['company.updated', 3, ['contacts']],
      ['contact.merged', 2, []],
      ['contact.deleted', 2, []],
    ])
  })

  it('that have both keep one link, at the earlier place, with the members that only the other had', async () => {
    const organization = await given.organization()
    const [primary, secondary] = await aPair('contact', organization)
    const other = await aRecord('contact', organization)
    const behind = await aCompanyOf(organization, [secondary, 'Buyer'], [other, null], [primary, null])
    const before = await aCompanyOf(organization, [primary, 'Director'], [other, null], [secondary, 'Buyer'])
    const told = await previewMerge(organization.client, 'contact', [primary, secondary])
    expect(told.data.links).toMatchObject({ companies: { primary: 2, secondary: 2, merged: 2 } })
    const { data } = await commitMerge(organization.client, 'contact', [primary, secondary])
    expect(data.moved).toMatchObject({ companies: 2 })
    expect(await contactsOf(organization, behind)).toEqual([
      3,
      [
        [primary.id, 'Buyer'],
        [other.id, null],
      ],
    ])
    expect(await contactsOf(organization, before)).toEqual([
      3,
      [
        [primary.id, 'Director'],
        [other.id, null],
      ],
    ])
  })
})

describe('the contacts of merged companies', () => {
  it('are those of the primary, then those of the secondary alone, in order', async () => {
    const organization = await given.organization()
    const [one, two, three] = await Promise.all([1, 2, 3].map(() => aRecord('contact', organization)))
    if (one === undefined || two === undefined || three === undefined) throw new Error('three contacts are needed')
    const primary = await aCompanyOf(organization, [one, 'Director'], [two, null])
    const secondary = await aCompanyOf(organization, [three, 'Buyer'], [two, 'Clerk'], [one, 'Guest'])
    const told = await previewMerge(organization.client, 'company', [primary, secondary])
    expect(told.data.links).toMatchObject({ contacts: { primary: 2, secondary: 3, merged: 3 } })
    const facts = await factsOf(given, organization, async () => {
      const { data } = await commitMerge(organization.client, 'company', [primary, secondary])
      expect(data).toMatchObject({ primary: { version: 3 }, moved: { contacts: 1 } })
    })
    expect(await contactsOf(organization, primary)).toEqual([
      3,
      [
        [one.id, 'Director'],
        [two.id, 'Clerk'],
        [three.id, 'Buyer'],
      ],
    ])
    expect(facts.events).toMatchObject([
      { kind: 'company.merged', version: 3, changedFields: ['contacts'] },
      { kind: 'company.deleted' },
    ])
    expect((await organization.client.get(`/contacts/${three.id}`)).data).toEqual(three)
  })

  it('are never more than a company may have', async () => {
    const organization = await given.organization()
    const [primary, secondary] = await aPair('company', organization)
    const fill = (company: JsonObject, count: number) =>
      given.sql(
        `with made as (
           insert into contacts (organization_id, id, version, created_at, updated_at, contact_data, custom_fields,
             tag_ids, search_names, search_contact_data, search_custom_fields)
           select $1, gen_random_uuid(), 1, now(), now(), '{}', '{}', '{}', '', '', '' from generate_series(1, $3::integer)
           returning id)
         insert into company_contacts (organization_id, id, version, created_at, updated_at, company_id, contact_id, position)
         select $1, gen_random_uuid(), 1, now(), now(), $2, id, row_number() over () from made`,
        [organization.id, company.id, count],
      )
    await fill(primary, 900)
    await fill(secondary, 101)
    const told = await previewMerge(organization.client, 'company', [primary, secondary])
    const blockers = [{ code: 'list_too_long', field: 'contacts', count: 1001, limit: 1000 }]
    expect(told.data.blockers).toEqual(blockers)
    const refused = await commitMerge(organization.client, 'company', [primary, secondary])
    expect([refused.status, refused.details.blockers]).toEqual([422, blockers])
    await given.sql('delete from company_contacts where company_id = $1 and position = 1', [secondary.id])
    expect((await commitMerge(organization.client, 'company', [primary, secondary])).status).toBe(200)
  })
})

describe('deals around a merged contact', () => {
  it('get one version more, whatever number of their own and their activities’ references changes', async () => {
    const organization = await given.organization()
    const { client } = organization
    const [primary, secondary] = await aPair('contact', organization)
    const both = await aRecord('deal', organization, { contacts: [{ id: secondary.id }] })
    const first = await anActivity(organization, both, secondary)
    await anActivity(organization, both, secondary)
    const apart = await aRecord('deal', organization)
    await anActivity(organization, apart, secondary)
    await anActivity(organization, apart, primary)
    const told = await previewMerge(client, 'contact', [primary, secondary])
    expect(told.data.links).toMatchObject({
      deals: { primary: 0, secondary: 1, merged: 1 },
      activities: { primary: 1, secondary: 3, merged: 4 },
    })
    const { events } = await factsOf(given, organization, async () => {
      const { data } = await commitMerge(client, 'contact', [primary, secondary])
      expect(data.moved).toMatchObject({ deals: 1, activities: 3 })
    })
    expect(events.map(event => [event.resourceId, event.version, event.changedFields])).toEqual(
      expect.arrayContaining([
        [both.id, 4, ['contacts', 'activities']],
        [apart.id, 4, ['activities']],
      ]),
    )
    expect(events).toHaveLength(4)
    for (const deal of [both, apart]) {
      const { items } = await client.get(`/deals/${deal.id}/activities`)
      expect(items.map(({ contactId }) => contactId)).toEqual([primary.id, primary.id])
      expect((await client.get(`/deals/${deal.id}`)).data).toMatchObject({ version: 4, activitiesCount: 2 })
    }
    const { items } = await client.get(`/deals/${both.id}/activities`)
    expect(items.find(({ id }) => id === first.id)).toMatchObject({ version: 2, subject: 'Chairs' })
  })

  it('report the merged party where they have it, and changed activities', async () => {
    const organization = await given.organization()
    const [primary, secondary] = await aPair('contact', organization)
    const both = await aRecord('deal', organization, { contacts: [{ id: secondary.id }] })
    const apart = await aRecord('deal', organization)
    await anActivity(organization, both, secondary)
    await anActivity(organization, apart, secondary)
    await commitMerge(organization.client, 'contact', [primary, secondary])
    const kindsOf = async ({ id }: JsonObject) => {
      const { items } = await organization.client.get(`/deals/${id}/events`)
      return items.filter(({ dealVersion }) => dealVersion === 3).map(({ kind }) => kind)
    }
    const told = await kindsOf(both)
    expect(told.toSorted()).toEqual(['deal.activity_updated', 'deal.contacts_changed', 'deal.party_merged'])
    expect(await kindsOf(apart)).toEqual(['deal.activity_updated'])
  })
})
