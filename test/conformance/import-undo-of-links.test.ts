import { describe, expect, it } from 'vitest'
import { useApi } from './support/given.ts'
import { csv, importFile } from './support/imports.ts'
import { erase } from './support/persons.ts'
import { aRecord } from './support/requests.ts'
import { undo } from './support/undos.ts'

const given = useApi()
const overwriting = { strategy: 'create_or_update', onConflict: 'overwrite' }

describe('undoing an import of links', () => {
  it('restores the role of a link, unless it was changed since', async () => {
    const organization = await given.organization()
    const { client } = organization
    const company = await aRecord('company', organization)
    const [one, other] = [await aRecord('contact', organization), await aRecord('contact', organization)]
    const links = (role: string) => [one, other].map(({ id }) => ({ id, role }))
    await client.put(`/companies/${company.id}/contacts`, { expectedVersion: 1, contacts: links('buyer') })
    const file = csv(['c', 'p', 'r'], ...[one, other].map(({ id }) => [company.id, id, 'seller']))
    const { id } = await importFile(given.api, client, file, {
      entityType: 'company_contacts',
      mapping: { companyUuid: 'c', contactUuid: 'p', role: 'r' },
      dedupPolicy: overwriting,
    })
    const { version } = (await client.get(`/companies/${company.id}`)).data
    const contacts = [
      { id: one.id, role: 'seller' },
      { id: other.id, role: 'driver' },
    ]
    await client.put(`/companies/${company.id}/contacts`, { expectedVersion: version, contacts })
    const { counters, kept } = await undo(given, organization, id)
    expect(counters).toMatchObject({ restored: 1, kept: 1 })
    expect(kept).toEqual([{ resourceType: 'company', id: company.id, reason: 'changed', fields: ['contacts'] }])
    const { items } = await client.get(`/companies/${company.id}/contacts`)
    expect(items.map(({ role }) => role)).toEqual(['buyer', 'driver'])
  })

  it.each(['anonymize', 'full'] as const)(
    'restores the role of a person beside one who was erased by mode %s, and of that one nothing',
    async mode => {
      const organization = await given.organization()
      const { client } = organization
      const [stays, goes] = [await aRecord('contact', organization), await aRecord('contact', organization)]
      const company = await aRecord('company', organization)
      const contacts = [
        { id: stays.id, role: 'buyer' },
        { id: goes.id, role: 'Zwetschkenbaum' },
      ]
      await client.put(`/companies/${company.id}/contacts`, { expectedVersion: 1, contacts })
      const file = csv(['c', 'p', 'r'], ...[stays, goes].map(({ id }) => [company.id, id, 'seller']))
      const { id } = await importFile(given.api, client, file, {
        entityType: 'company_contacts',
        mapping: { companyUuid: 'c', contactUuid: 'p', role: 'r' },
        dedupPolicy: overwriting,
      })
      expect((await erase(organization, goes.id, mode)).status).toBe(200)
      const { counters, kept } = await undo(given, organization, id)
      expect(counters).toMatchObject({ restored: 1, kept: 1 })
      expect(kept).toEqual([{ resourceType: 'company', id: company.id, reason: 'erased', fields: ['contacts'] }])
      const { items } = await client.get(`/companies/${company.id}/contacts`)
      expect(items.map(({ contactId, role }) => [contactId, role])).toEqual([
        [stays.id, 'buyer'],
        ...(mode === 'full' ? [] : [[goes.id, null]]),
      ])
      const told = JSON.stringify((await client.get('/audit?resourceType=company')).items)
      expect([told.includes('buyer'), told.includes('Zwetschkenbaum')]).toEqual([true, false])
    },
  )

  it('removes contacts that it added to a deal, and leaves those that were added since', async () => {
    const organization = await given.organization()
    const { client } = organization
    const [first, imported, later] = [
      await aRecord('contact', organization),
      await aRecord('contact', organization),
      await aRecord('contact', organization),
    ]
    const deal = await aRecord('deal', organization, { contacts: [{ id: first.id }] })
    const { id } = await importFile(given.api, client, csv(['d', 'p', 'x'], [deal.id, imported.id, 'yes']), {
      entityType: 'deal_contacts',
      mapping: { dealUuid: 'd', contactUuid: 'p', isPrimary: 'x' },
    })
    const { data } = await client.get(`/deals/${deal.id}`)
    expect(data.contactIds).toEqual([imported.id, first.id])
    const contacts = [imported, first, later].map(each => ({ id: each.id }))
    await client.patch(`/deals/${deal.id}`, { expectedVersion: data.version, contacts })
    expect((await undo(given, organization, id)).counters).toMatchObject({ restored: 1, kept: 0 })
    expect((await client.get(`/deals/${deal.id}`)).data.contactIds).toEqual([first.id, later.id])
  })

  it('leaves the last party of a deal, because the rules refuse a deal without one', async () => {
    const organization = await given.organization()
    const { client } = organization
    const [first, second] = [await aRecord('contact', organization), await aRecord('contact', organization)]
    const deal = await aRecord('deal', organization, { contacts: [{ id: first.id }] })
    const { id } = await importFile(given.api, client, csv(['d', 'p'], [deal.id, second.id]), {
      entityType: 'deal_contacts',
      mapping: { dealUuid: 'd', contactUuid: 'p' },
    })
    await client.patch(`/deals/${deal.id}`, { expectedVersion: 2, contacts: [{ id: second.id }] })
    expect((await undo(given, organization, id)).kept).toEqual([
      { resourceType: 'deal', id: deal.id, reason: 'refused', fields: ['contacts'] },
    ])
  })
})
