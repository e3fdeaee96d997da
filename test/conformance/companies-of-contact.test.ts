import { describe, expect, it } from 'vitest'
import type { Scope } from '../../server/src/kernel/index.ts'
import type { Client } from '../support/client.ts'
import type { TestOrganization } from '../support/organization.ts'
import { allBut, useApi } from './support/given.ts'
import { aRecord, issuePaths, outcome } from './support/requests.ts'

const given = useApi()

/** A contact, and how to link companies with it: as their primary contact, or behind another one. */
async function aPerson() {
  const organization = await given.organization()
  const { client } = organization
  const contact = await aRecord('contact', organization)
  const { id: other } = await aRecord('contact', organization)
  const link = async (name: string, isPrimary: boolean, role: string | null = null) => {
    const { id, externalId } = await aRecord('company', organization, { name })
    const own = { id: contact.id, role }
    const contacts = isPrimary ? [own, { id: other, role: 'Other' }] : [{ id: other, role: 'Other' }, own]
    expect((await client.put(`/companies/${id}/contacts`, { expectedVersion: 1, contacts })).status).toBe(200)
    return { id, externalId, name, role, isPrimary }
  }
  return { organization, client, contact, link, path: `/contacts/${contact.id}?include=companies` }
}

describe('GET /contacts/:id?include=companies', () => {
  it('shows beside the contact its companies: those that name it first come first, then by name', async () => {
    const { client, contact, link, path } = await aPerson()
    const [southwind, contoso] = [await link('southwind', false, 'Buyer'), await link('Contoso', false)]
    const [tailspin, northwind] = [await link('Tailspin', true, 'Founder'), await link('Northwind', true)]
    const { status, body } = await client.get(path)
    expect(status).toBe(200)
    expect(body).toEqual({
      data: contact,
      meta: { companies: [northwind, tailspin, contoso, southwind], companiesTruncated: false },
    })
  })

  it('shows none where there is none, and none unless it is asked', async () => {
    const { client, contact, path } = await aPerson()
    expect((await client.get(path)).meta).toEqual({ companies: [], companiesTruncated: false })
    expect((await client.get(`/contacts/${contact.id}`)).meta).toEqual({})
  })

  it('needs the read scopes of contacts and of companies', async () => {
    const { organization, contact, link, path } = await aPerson()
    const { id } = await link('Northwind', true)
    const refusedFor = async (scope: Scope, asked: string) => {
      const refused = await (await organization.token(allBut(scope))).get(asked)
      return [outcome(refused), refused.details.missingScopes, JSON.stringify(refused.body).includes(String(id))]
    }
    for (const scope of ['crm_companies_read', 'crm_contacts_read'] as const)
      for (const asked of [path, `${path},companies`])
        expect(await refusedFor(scope, asked)).toEqual(['403 insufficient_scope', [scope], false])
    const poor = await organization.token(allBut('crm_companies_read'))
    expect((await poor.get(`/contacts/${contact.id}`)).status).toBe(200)
  })

  it('refuses any other value of the parameter', async () => {
    const { client, contact } = await aPerson()
    for (const word of ['', 'company', 'companies,deals', 'Companies']) {
      const refused = await client.get(`/contacts/${contact.id}?include=${word}`)
      expect([outcome(refused), issuePaths(refused)]).toEqual(['400 validation_error', ['query:include']])
    }
  })

  it('shows to each application its own keys alone', async () => {
    const { organization, link, path } = await aPerson()
    const { id, externalId } = await link('Northwind', true)
    const keysFor = async (client: Client) => (await client.get(path)).meta.companies
    expect(await keysFor(organization.client)).toMatchObject([{ id, externalId }])
    expect(await keysFor((await organization.application()).client)).toMatchObject([{ id, externalId: null }])
  })

  it('hides what the token may not read of the contact, and shows the companies as before', async () => {
    const { organization, client, link, path } = await aPerson()
    await link('Northwind', true, 'Founder')
    const whole = await client.get(path)
    const less = await (await organization.token(allBut('crm_contact_data_read'))).get(path)
    expect(less.data).not.toHaveProperty('contactData')
    expect(less.meta).toEqual({ ...whole.meta, redacted: ['contact_data'] })
  })

  it('is 410 for an anonymized contact, and tells of no link', async () => {
    const { client, contact, link, path } = await aPerson()
    const { id } = await link('Northwind', true)
    await client.delete(`/contacts/${contact.id}?expectedVersion=1`)
    const gone = await client.get(path)
    expect([outcome(gone), JSON.stringify(gone.body).includes(String(id))]).toEqual(['410 resource_deleted', false])
  })

  it('shows 100 companies, and says that there are more', async () => {
    const { organization, client, contact, path } = await aPerson()
    await linkCompanies(organization, contact.id, 100)
    const full = await client.get(path)
    expect([namesIn(full.meta).length, full.meta.companiesTruncated]).toEqual([100, false])
    await linkCompanies(organization, contact.id, 1)
    const cut = await client.get(path)
    expect([namesIn(cut.meta), cut.meta.companiesTruncated]).toEqual([namesIn(full.meta), true])
  })
})

const namesIn = ({ companies }: Readonly<Record<string, unknown>>): unknown[] =>
  Array.isArray(companies) ? companies.map(({ name }) => name) : []

/** Links so many new companies with the contact, each with a name behind those that are there. */
async function linkCompanies({ id }: TestOrganization, contactId: unknown, count: number): Promise<void> {
  await given.sql(
    `with made as (
       insert into companies (organization_id, id, version, created_at, updated_at, name, websites, contact_data,
         custom_fields, tag_ids, search_names, search_contact_data, search_custom_fields)
       select $1, gen_random_uuid(), 1, now(), now(),
              'Company ' || lpad(((select count(*) from companies c where c.organization_id = $1) + n)::text, 5, '0'),
              '[]', '{"phones": [], "emails": []}', '{}', '{}', '', '', ''
         from generate_series(1, $3::integer) as n
       returning id)
     insert into company_contacts (organization_id, id, version, created_at, updated_at, company_id, contact_id, rank)
     select $1, gen_random_uuid(), 1, now(), now(), m.id, $2::uuid, 'a0' from made m`,
    [id, contactId, count],
  )
}
