import { expect, it } from 'vitest'
import { useApi } from './support/given.ts'
import { aPair, commitMerge, previewMerge } from './support/merges.ts'
import { aRecord, outcome } from './support/requests.ts'

const given = useApi({ ownDatabase: true })
const limit = 10_000

/** Two contacts to merge; one of them is linked to a company. */
async function aLinkedPair(linked: 'primary' | 'secondary') {
  const organization = await given.organization()
  const { client } = organization
  const pair = await aPair('contact', organization)
  const company = await aRecord('company', organization)
  const contacts = [{ id: pair[linked === 'primary' ? 0 : 1].id }]
  await client.put(`/companies/${company.id}/contacts`, { expectedVersion: 1, contacts })
  return { organization, client, pair, company }
}

it('a deal or contact with more links than one request may change is neither deleted nor merged away; the contact is anonymized', async () => {
  const { organization, client, pair, company } = await aLinkedPair('secondary')
  const [primary, secondary] = pair
  const deal = await aRecord('deal', organization)
  const task = await aRecord('task', organization, { contact: { id: secondary.id }, deal: { id: deal.id } })
  const copies = `insert into tasks
    select (copy).* from (
      select jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid())) as copy
        from tasks t, generate_series(1, $3) where t.organization_id = $1 and t.id = $2) as copies`
  // In parts: a busy machine takes longer for all of them than one statement may.
  for (let part = 0; part < 4; part += 1) await given.sql(copies, [organization.id, task.id, limit / 4])
  // As a server does for tables that have grown.
  await given.sql('analyze tasks')
  const tooMany = { code: 'too_many_links', count: limit + 2, limit }

  const kept = await client.delete(`/deals/${deal.id}?expectedVersion=1`)
  const blockers = [{ ...tooMany, count: limit + 1 }]
  expect([outcome(kept), kept.details.blockers]).toEqual(['422 validation_error', blockers])

  const { data: told } = await client.get(`/contacts/${secondary.id}/delete/preview`)
  expect(told.blockers).toEqual({ anonymize: [], full: [tooMany] })
  expect(told.links).toMatchObject({ companies: { count: 1, sampleIds: [company.id] }, tasks: { count: limit + 1 } })
  const refused = await client.post(`/contacts/${secondary.id}/delete/commit`, { mode: 'full' })
  expect([outcome(refused), refused.details.blockers]).toEqual(['422 validation_error', [tooMany]])

  const merge = await previewMerge(client, 'contact', pair)
  expect(merge.data).toMatchObject({
    blockers: [tooMany],
    links: { companies: { secondary: 1, merged: 1 }, tasks: { primary: 0, secondary: limit + 1, merged: limit + 1 } },
  })
  expect(outcome(await commitMerge(client, 'contact', pair))).toBe('422 validation_error')
  expect((await commitMerge(client, 'contact', [secondary, primary])).status).toBe(200)

  const anonymized = await client.post(`/contacts/${secondary.id}/delete/commit`, { mode: 'anonymize' })
  expect(anonymized.status).toBe(200)
  const { items } = await client.get(`/companies/${company.id}/contacts`)
  expect(items).toMatchObject([{ contactId: secondary.id, anonymized: true }])
})

it('a record is merged into one with more links than one request may change; the links of both become one', async () => {
  const { organization, client, pair, company } = await aLinkedPair('primary')
  const [primary, secondary] = pair
  const companies = `insert into companies
    select (copy).* from (
      select jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid())) as copy
        from companies t, generate_series(1, $3) where t.organization_id = $1 and t.id = $2) as copies
    returning id`
  const links = `insert into company_contacts
    select (copy).* from (
      select jsonb_populate_record(l, jsonb_build_object('id', gen_random_uuid(), 'company_id', copied)) as copy
        from company_contacts l, unnest($3::uuid[]) as copied where l.organization_id = $1 and l.company_id = $2) as copies`
  for (let part = 0; part < 5; part += 1) {
    const copied = await given.sql(companies, [organization.id, company.id, limit / 5])
    await given.sql(links, [organization.id, company.id, copied.map(({ id }) => id)])
  }
  await given.sql('analyze companies, company_contacts')
  const shared = await aRecord('company', organization)
  const contacts = [{ id: secondary.id, role: 'Buyer' }, { id: primary.id }]
  await client.put(`/companies/${shared.id}/contacts`, { expectedVersion: 1, contacts })

  const { data: told } = await previewMerge(client, 'contact', pair)
  expect(told).toMatchObject({
    blockers: [],
    links: { companies: { primary: limit + 2, secondary: 1, merged: limit + 2 } },
  })
  expect(outcome(await commitMerge(client, 'contact', pair))).toBe('200')
  const { items } = await client.get(`/companies/${shared.id}/contacts`)
  expect(items).toEqual([{ contactId: primary.id, isPrimary: true, role: 'Buyer', position: 0, anonymized: false }])
})
