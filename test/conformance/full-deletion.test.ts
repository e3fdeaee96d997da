import { describe, expect, it } from 'vitest'
import type { TestOrganization } from '../support/organization.ts'
import { factsOf } from './support/facts.ts'
import { useApi } from './support/given.ts'
import { aPerson, erase } from './support/persons.ts'
import { aRecord, issueRules, outcome } from './support/requests.ts'

const given = useApi({ ownDatabase: true })

/** Copies of the organization's newest linked deal, with its company and contact. */
async function copyDeals({ id }: TestOrganization, count: number): Promise<void> {
  await given.sql(
    `with source as (
       select d from deals d where d.organization_id = $1
          and exists (select from deal_contacts c where c.organization_id = $1 and c.deal_id = d.id) limit 1),
     copies as (
       insert into deals
       select (copy).* from (
         select jsonb_populate_record(d, jsonb_build_object('id', gen_random_uuid(), 'rank', 'a' || number)) as copy
           from source, generate_series(1, $2::integer) number) as copied
       returning id),
     companies as (
       insert into deal_companies select $1, copies.id, l.company_id, l.position from copies, deal_companies l, source
        where l.organization_id = $1 and l.deal_id = (source.d).id)
     insert into deal_contacts select $1, copies.id, l.contact_id, l.position from copies, deal_contacts l, source
      where l.organization_id = $1 and l.deal_id = (source.d).id`,
    [id, count],
  )
}

describe('a fully deleted contact', () => {
  it('is 404 by id', async () => {
    const organization = await given.organization()
    const { client } = organization
    const { id } = await aPerson(organization)
    await erase(organization, id, 'full')
    expect(outcome(await client.get(`/contacts/${id}`))).toBe('404 not_found')
    expect(outcome(await erase(organization, id, 'full', 2))).toBe('404 not_found')
    const batch = await client.post('/contacts/batch/get', { items: [{ id }] })
    expect(batch.items).toMatchObject([{ status: 404, error: { code: 'not_found' } }])
  })

  it('is taken out of its deals, each of which gets a version and an event in the same transaction', async () => {
    const organization = await given.organization()
    const { client } = organization
    const { id } = await aPerson(organization)
    const other = await aRecord('contact', organization)
    const company = await aRecord('company', organization)
    const one = await aRecord('deal', organization, { contacts: [{ id }, { id: other.id }] })
    const two = await aRecord('deal', organization, { contacts: [{ id }], companies: [{ id: company.id }] })
    const facts = await factsOf(given, organization, async () => {
      expect((await erase(organization, id, 'full')).data.unlinked).toEqual({ deals: 2, companies: 0, tasks: 0 })
    })
    expect((await client.get(`/deals/${one.id}`)).data).toMatchObject({
      version: 2,
      contactIds: [other.id],
      contacts: [{ contactId: other.id, isPrimary: true, anonymized: false }],
    })
    expect((await client.get(`/deals/${two.id}`)).data).toMatchObject({ version: 2, contactIds: [] })
    const words = facts.events.map(({ kind, version, changedFields }) => [kind, version, changedFields])
    expect(words).toHaveLength(3)
    expect(words).toContainEqual(['deal.updated', 2, ['contacts']])
    expect(words).toContainEqual(['contact.deleted', 2, []])
    expect(new Set(facts.events.map(({ transactionId }) => transactionId)).size).toBe(1)
    expect(facts.audit.map(({ action }) => action).toSorted()).toEqual([
      'contact.deleted',
      'deal.updated',
      'deal.updated',
    ])
  })

  it('is refused while an ordinary deal would be left without a party; all such deals are named: 422', async () => {
    const organization = await given.organization()
    const { client } = organization
    const person1 = await aPerson(organization)
    const { id } = person1
    const company = await aRecord('company', organization)
    const blocking = [
      await aRecord('deal', organization, { contacts: [{ id }] }),
      await aRecord('deal', organization, { contacts: [{ id }] }),
    ].map(deal => deal.id)
    const free = await aRecord('deal', organization, { contacts: [{ id }], companies: [{ id: company.id }] })
    const facts = await factsOf(given, organization, async () => {
      const answer = await erase(organization, id, 'full')
      expect([outcome(answer), issueRules(answer)]).toEqual(['422 validation_error', ['deal_party_required']])
      expect(answer.details.blockers).toEqual([{ code: 'deal_party_required', count: 2, dealIds: blocking.toSorted() }])
      expect(answer.error.message).toContain('details.blockers')
    })
    expect(facts).toEqual({ events: [], audit: [] })
    expect((await client.get(`/contacts/${id}`)).data).toEqual(person1)
    expect((await client.get(`/deals/${free.id}`)).data).toEqual(free)
    await client.patch(`/deals/${blocking[0]}`, { expectedVersion: 1, companies: [{ id: company.id }] })
    await client.delete(`/deals/${blocking[1]}?expectedVersion=1`)
    expect((await erase(organization, id, 'full')).status).toBe(200)
  })

  it('is taken out of hundreds of deals at once, and refused beyond ten thousand: 422 too_many_links', async () => {
    const organization = await given.organization()
    const { id } = await aPerson(organization)
    const company = await aRecord('company', organization)
    await aRecord('deal', organization, { contacts: [{ id }], companies: [{ id: company.id }] })
    await copyDeals(organization, 300)
    expect((await erase(organization, id, 'full')).data.unlinked).toMatchObject({ deals: 301 })
    const versions = 'select version, count(*) as deals from deals where organization_id = $1 group by version'
    expect(await given.sql(versions, [organization.id])).toEqual([{ version: '2', deals: '301' }])

    const { id: popular } = await aPerson(organization)
    const [deal] = (await organization.client.get('/deals?limit=1')).items
    await organization.client.patch(`/deals/${deal?.id}`, { expectedVersion: 2, contacts: [{ id: popular }] })
    // In parts: a busy machine takes longer for all of them than one statement may.
    for (let part = 0; part < 10; part += 1) await copyDeals(organization, 1000)
    // As a server does for tables that have grown.
    await given.sql('analyze deals, deal_contacts, deal_companies')
    const answer = await erase(organization, popular, 'full')
    expect([outcome(answer), issueRules(answer)]).toEqual(['422 validation_error', ['too_many_links']])
    expect(answer.details.blockers).toMatchObject([{ code: 'too_many_links' }])
    expect(answer.error.message).toContain('10000 records')
    expect((await erase(organization, popular, 'anonymize')).status).toBe(200)
  })

  it('may leave an unsorted deal of a channel without a party', async () => {
    const organization = await given.organization()
    const { id } = await aPerson(organization)
    const deal = await aRecord('deal', organization, { contacts: [{ id }] })
    await given.sql(`update deals set kind = 'unsorted' where id = $1`, [deal.id])
    expect((await erase(organization, id, 'full')).data.unlinked).toMatchObject({ deals: 1 })
  })

  it('leaves a tombstone: the key answers 410 everywhere and cannot be taken again', async () => {
    const organization = await given.organization()
    const { client } = organization
    const { id, externalId } = await aPerson(organization)
    await erase(organization, id, 'full')
    const answers = [
      await client.get(`/contacts?externalId=${encodeURIComponent(String(externalId))}`),
      await client.post('/contacts', { lastName: 'New', externalId }),
      await client.post('/contacts/upsert', { lastName: 'New', externalId }),
      await client.post('/contacts/upsert', { lastName: 'New', externalId, expectedVersion: 1 }),
      await client.post('/deals', { title: 'x', contacts: [{ externalId }] }),
    ]
    expect(answers.map(outcome)).toEqual(answers.map(() => '410 external_reference_deleted'))
  })
})
