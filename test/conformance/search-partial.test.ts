import { describe, expect, it } from 'vitest'
import type { Client } from '../support/client.ts'
import type { TestOrganization } from '../support/organization.ts'
import { allBut, useApi } from './support/given.ts'
import { aRecord, kinds } from './support/requests.ts'
import { idsOf, namedRecords, nameOf, search } from './support/searches.ts'

const given = useApi()
const named = namedRecords(given)

describe.each(kinds)('a %s with some of the words', kind => {
  it('comes after those with all of them, the more words the earlier', async () => {
    const organization = await given.organization()
    const one = await named(kind, organization, 'Quillon')
    const two = await named(kind, organization, 'Quillon Ferrant')
    const mistaken = await named(kind, organization, 'Quilon Ferrant Osgood')
    const parts = await named(kind, organization, 'Aquillon Ferrants Osgoods')
    await named(kind, organization, 'Unrelated')
    expect(await idsOf(organization.client, 'quillon ferrant osgood')).toEqual([parts, mistaken, two, one])
    expect(await idsOf(organization.client, 'quillon ferrant osgood', '&limit=1')).toEqual([parts])
  })

  it('names the members in which words stand', async () => {
    const organization = await given.organization()
    const id = await named(kind, organization, 'Quillon Ferrant')
    expect((await search(organization.client, 'prof. quilon ferrant')).items).toMatchObject([
      { id, matchedFields: [nameOf[kind]], snippet: null },
    ])
  })

  it('has at least half of them', async () => {
    const organization = await given.organization()
    const id = await named(kind, organization, 'Quillon Ferrant')
    expect(await idsOf(organization.client, 'herr doktor quillon ferrant')).toEqual([id])
    expect(await idsOf(organization.client, 'sehr geehrter herr doktor quillon ferrant')).toEqual([])
  })

  it('comes the earlier the more its names are like the missing word', async () => {
    const organization = await given.organization()
    const like = await named(kind, organization, 'Quillon Ferranterson')
    const unlike = await named(kind, organization, 'Quillon Osgood')
    expect(await idsOf(organization.client, 'quillon ferxantxrson')).toEqual([like, unlike])
  })
})

it('a rarer word counts for more than a frequent one', async () => {
  const organization = await given.organization()
  const rare = await named('company', organization, 'Torrento Foods')
  for (let count = 0; count < 6; count += 1) await named('company', organization, `Firm${count} Incorporated`)
  expect(await idsOf(organization.client, 'torrento incorporated', '&limit=1')).toEqual([rare])
})

it('pages give every record once, also where others were added meanwhile', async () => {
  const organization = await given.organization()
  const names = ['Quillon Ferrant', 'Quilon Ferrant', 'Quillon one', 'Ferrant two', 'Quillon three', 'Ferrant four']
  for (const [index, name] of names.entries()) await named(kinds[index % kinds.length] ?? 'contact', organization, name)
  const whole = await idsOf(organization.client, 'quillon ferrant')
  expect(whole).toHaveLength(6)
  for (const limit of [2, 3, 4, 5]) {
    const found: unknown[] = []
    for (let cursor: unknown = ''; cursor !== null; ) {
      const page = await search(
        organization.client,
        'quillon ferrant',
        `&limit=${limit}${cursor && `&cursor=${cursor}`}`,
      )
      found.push(...page.items.map(({ id }) => id))
      cursor = page.meta.nextCursor
      // The words become more frequent, which does not change their weights.
      await named('task', organization, `Ferr${limit} Unrelated`)
    }
    expect([limit, found]).toEqual([limit, whole])
  }
})

it('an address or a number is found as a whole or not at all', async () => {
  const organization = await given.organization()
  const contactData = { phones: [{ value: '+12025550143' }], emails: [{ value: 'quillon@example.com' }] }
  await aRecord('contact', organization, { lastName: 'Quillon', contactData })
  for (const q of ['quillon@example.org', '+1 202 555 0199', '555 0199'])
    expect([q, await idsOf(organization.client, q)]).toEqual([q, []])
})

describe('the subtitle of a hit', () => {
  it.each([
    ['contact', 'lastName', 'jobTitle', 'Chef de Réception'],
    ['company', 'name', 'industry', 'Chef de Réception'],
  ] as const)('is searched: of a %s', async (kind, name, member, text) => {
    const organization = await given.organization()
    const { id } = await aRecord(kind, organization, { [name]: 'Quillon', [member]: text })
    const other = await named('deal', organization, 'Reception')
    for (const q of ['quillon reception', 'réception chef'])
      expect([q, (await search(organization.client, q)).items[0]]).toMatchObject([q, { id }])
    const { items } = await search(organization.client, 'reception')
    expect(items).toMatchObject([{ id: other }, { id, matchedFields: [member], snippet: text }])
  })

  it('is no longer searched once the person is erased', async () => {
    const { client, ...organization } = await given.organization()
    const { id } = await aRecord('contact', { client, ...organization }, { lastName: 'Quillon', jobTitle: 'Falconer' })
    expect(await idsOf(client, 'falconer')).toEqual([id])
    await client.delete(`/contacts/${id}?expectedVersion=1`)
    expect(await idsOf(client, 'falconer')).toEqual([])
  })
})

describe('the company of a deal or contact', () => {
  async function linked(organization: TestOrganization) {
    const { id: company } = await aRecord('company', organization, { name: '“Velaria” Trading Ltd' })
    const { id: contact } = await aRecord('contact', organization, { lastName: 'Quillon' })
    const { id: deal } = await aRecord('deal', organization, { title: 'Shelving', companies: [{ id: company }] })
    const links = { expectedVersion: 1, contacts: [{ id: contact }] }
    expect((await organization.client.put(`/companies/${company}/contacts`, links)).status).toBe(200)
    return { company, contact, deal }
  }
  const first = async (client: Client, q: string) => (await search(client, q)).items[0]

  it('is searched beside their own words', async () => {
    const organization = await given.organization()
    const { company, contact, deal } = await linked(organization)
    const matched = { matchedFields: ['title', 'companies'], snippet: '“Velaria” Trading Ltd' }
    expect(await first(organization.client, 'shelving velaria')).toMatchObject({ id: deal, ...matched })
    expect(await first(organization.client, 'vleria quillon')).toMatchObject({ id: contact })
    expect(await first(organization.client, 'quillon velaira')).toMatchObject({ id: contact })
    const ids = await idsOf(organization.client, 'velaria')
    expect([ids[0], new Set(ids)]).toEqual([company, new Set([company, contact, deal])])
    expect(await idsOf(organization.client, 'velaria', '&types=deal')).toEqual([deal])
  })

  it('is not searched for a token that may not read companies', async () => {
    const organization = await given.organization()
    const { deal } = await linked(organization)
    const blind = await organization.token(allBut('crm_companies_read'))
    expect(await idsOf(blind, 'velaria')).toEqual([])
    expect((await search(blind, 'shelving velaria')).items).toMatchObject([
      { id: deal, matchedFields: ['title'], snippet: null },
    ])
  })
})
