import { describe, expect, it } from 'vitest'
import { objectOf } from '../support/client.ts'
import type { TestOrganization } from '../support/organization.ts'
import { useApi } from './support/given.ts'
import { csv, errorsOf, importFile } from './support/imports.ts'
import { aRecord } from './support/requests.ts'

const given = useApi()

const counted = ({ counters }: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(objectOf(counters)).filter(([name, count]) => name !== 'total' && count !== 0))

async function someRecords(organization: TestOrganization) {
  const [one, two] = [
    await aRecord('company', organization, { externalId: 'c1' }),
    await aRecord('company', organization, { externalId: 'c2' }),
  ]
  const person = await aRecord('contact', organization, { externalId: 'p1' })
  const deal = await aRecord('deal', organization, { externalId: 'd1', companies: [], contacts: [{ id: person.id }] })
  return { one, two, person, deal }
}

describe('companies of a deal', () => {
  const mapping = { dealUuid: 0, companyUuid: 1, isPrimary: 2 }
  const link = (organization: TestOrganization, ...rows: readonly unknown[][]) =>
    importFile(given.api, organization.client, csv(['d', 'c', 'p'], ...rows), { entityType: 'deal_companies', mapping })

  it('without a primary one: the first row becomes it, and stays it', async () => {
    const organization = await given.organization()
    const { one, two, deal } = await someRecords(organization)
    const read = async () => (await organization.client.get(`/deals/${deal.id}`)).data
    expect(counted(await link(organization, [deal.id, two.id, ''], [deal.id, one.id, 'false']))).toEqual({ created: 2 })
    expect(await read()).toMatchObject({ companyIds: [two.id, one.id], version: 3 })
    expect(counted(await link(organization, [deal.id, one.id, '0'], [deal.id, two.id, '']))).toEqual({ unchanged: 2 })
    expect(await read()).toMatchObject({ companyIds: [two.id, one.id], version: 3 })
    expect(counted(await link(organization, [deal.id, one.id, 'TRUE']))).toEqual({ updated: 1 })
    expect(await read()).toMatchObject({ companyIds: [one.id, two.id], version: 4 })
  })

  it('need both sides in the mapping, and nothing but them', async () => {
    const organization = await given.organization()
    const { one, deal } = await someRecords(organization)
    const some = csv(['d', 'c'], [deal.id, one.id])
    const failed = (columns: object) =>
      importFile(given.api, organization.client, some, { entityType: 'deal_companies', mapping: { ...columns } })
    await expect(failed({ dealUuid: 0 })).rejects.toThrow('companyUuid is required')
    await expect(failed({ companyUuid: 1 })).rejects.toThrow('dealUuid is required')
    await expect(failed({ dealUuid: 0, companyExternalId: 1 })).rejects.toThrow('/mapping/companyExternalId')
    expect(counted(await failed({ dealUuid: 0, companyUuid: 1 }))).toEqual({ created: 1 })
  })
})

describe('contacts of a deal', () => {
  it('are named by ids or keys of both sides, unless these are gone', async () => {
    const organization = await given.organization()
    const { client } = organization
    const { person, deal } = await someRecords(organization)
    const [gone, erased, other] = [
      await aRecord('contact', organization, { externalId: 'gone' }),
      await aRecord('contact', organization, { externalId: 'erased' }),
      await aRecord('contact', organization, { externalId: 'other' }),
    ]
    await client.post(`/contacts/${gone.id}/delete/commit`, { mode: 'full' })
    await client.post(`/contacts/${erased.id}/delete/commit`, { mode: 'anonymize' })
    const rows = csv(
      ['deal', 'deal key', 'contact', 'contact key'],
      [deal.id, '', other.id, ''],
      ['', 'd1', '', 'p1'],
      ['', 'd1', '', 'gone'],
      ['', 'd1', erased.id, ''],
      ['', '', '', 'p1'],
      ['', 'd1', '', ''],
    )
    const mapping = { dealUuid: 0, dealExternalId: 1, contactUuid: 2, contactExternalId: 3 }
    const done = await importFile(given.api, client, rows, { entityType: 'deal_contacts', mapping })
    expect([counted(done), errorsOf(done)]).toEqual([
      { created: 1, unchanged: 1, failed: 4 },
      [
        [4, 'contactExternalId', 'external_reference_deleted'],
        [5, 'contactUuid', 'resource_deleted'],
        [6, 'dealUuid', 'required'],
        [7, 'contactUuid', 'required'],
      ],
    ])
    expect((await client.get(`/deals/${deal.id}`)).data.contactIds).toEqual([person.id, other.id])
  })
})

describe('contacts of a company', () => {
  const mapping = { companyExternalId: 0, contactExternalId: 1, role: 2, isPrimary: 3 }
  const rows = csv(['c', 'p', 'r', 'm'], ['c1', 'p1', 'Buyer', ''], ['c1', 'p1', 'Head', ''], ['c1', 'p2', '', 'yes'])

  it.each([
    ['create_or_update', { created: 2, unchanged: 1 }, 'Buyer'],
    [{ strategy: 'create_or_update', onConflict: 'overwrite' }, { created: 2, updated: 1 }, 'Head'],
    ['create_only', { created: 2, failed: 1 }, 'Buyer'],
    ['skip_existing', { created: 2, skipped: 1 }, 'Buyer'],
    ['update_only', { skipped: 3 }, undefined],
  ])('are linked by %j: %j', async (dedupPolicy, expected, role) => {
    const organization = await given.organization()
    const { one, person } = await someRecords(organization)
    await aRecord('contact', organization, { externalId: 'p2' })
    const common = { entityType: 'company_contacts', mapping, dedupPolicy }
    const rehearsed = await importFile(given.api, organization.client, rows, { ...common, dryRun: true })
    const done = await importFile(given.api, organization.client, rows, common)
    expect([counted(rehearsed), counted(done)]).toEqual([expected, expected])
    expect(errorsOf(done)).toEqual('failed' in expected ? [[3, null, 'already_exists']] : [])
    const links = (await organization.client.get(`/companies/${one.id}/contacts`)).items
    expect(links.find(({ contactId }) => contactId === person.id)?.role).toBe(role)
    if (links.length > 0) expect(links.map(({ isPrimary }) => isPrimary)).toEqual([true, false])
  })

  it('have a role by the rules of the request that replaces them', async () => {
    const organization = await given.organization()
    const { one } = await someRecords(organization)
    for (const externalId of ['p2', 'p3']) await aRecord('contact', organization, { externalId })
    const roles = ['x'.repeat(101), 'x'.repeat(100), 'Che\u0301f']
    const content = csv(['c', 'p', 'r', 'm'], ...roles.map((role, index) => ['c1', `p${index + 1}`, role, '']))
    const common = { entityType: 'company_contacts', mapping }
    const rehearsed = await importFile(given.api, organization.client, content, { ...common, dryRun: true })
    const done = await importFile(given.api, organization.client, content, common)
    for (const each of [rehearsed, done]) {
      expect(counted(each)).toEqual({ created: 2, failed: 1 })
      expect(errorsOf(each)).toEqual([[2, 'role', 'too_long']])
    }
    const links = (await organization.client.get(`/companies/${one.id}/contacts`)).items
    expect(links.map(({ role }) => role)).toEqual(['x'.repeat(100), 'Ch\u00E9f'])
  })

  it('with a later primary one: it comes first, the others keep their order, and new ones come last', async () => {
    const organization = await given.organization()
    const { one } = await someRecords(organization)
    for (const externalId of ['p2', 'p3', 'p4']) await aRecord('contact', organization, { externalId })
    const link = (...cells: readonly (readonly string[])[]) =>
      importFile(given.api, organization.client, csv(['c', 'p', 'r', 'm'], ...cells), {
        entityType: 'company_contacts',
        mapping,
        dedupPolicy: { strategy: 'create_or_update', onConflict: 'overwrite' },
      })
    await link(['c1', 'p1', '', ''], ['c1', 'p2', '', ''], ['c1', 'p3', 'Buyer', ''])
    const done = await link(['c1', 'p3', '', 'yes'], ['c1', 'p4', '', ''], ['c1', 'p2', 'Head', ''])
    expect(counted(done)).toEqual({ created: 1, updated: 2 })
    const links = (await organization.client.get(`/companies/${one.id}/contacts`)).items
    const keys = await Promise.all(
      links.map(async ({ contactId }) => (await organization.client.get(`/contacts/${contactId}`)).data.externalId),
    )
    expect(keys).toEqual(['p3', 'p1', 'p2', 'p4'])
    expect(links.map(({ role, position }) => [role, position])).toEqual([
      ['Buyer', 0],
      [null, 1],
      ['Head', 2],
      [null, 3],
    ])
  })
})
