import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { Follower } from '../support/follower.ts'
import { runJobs } from '../support/jobs.ts'
import type { TestOrganization } from '../support/organization.ts'
import { useApi } from './support/given.ts'
import { csv, type Imported, importFile, upload } from './support/imports.ts'
import { erase } from './support/persons.ts'
import { aRecord } from './support/requests.ts'
import { undo } from './support/undos.ts'

const given = useApi()
const mapping = { externalId: 'Key', firstName: 'First', lastName: 'Last', email1: 'Mail', phone1: 'Phone' }
const header = ['Key', 'First', 'Last', 'Mail', 'Phone']
const overwriting = { strategy: 'create_or_update', onConflict: 'overwrite' }

const importRows = ({ client }: TestOrganization, rows: readonly (readonly string[])[], more: Partial<Imported> = {}) =>
  importFile(given.api, client, csv(header, ...rows), { mapping, ...more })

const byKey = async ({ client }: TestOrganization, key: string, path = '/contacts') =>
  (await client.get(`${path}?externalId=${key}`)).items[0]

/** The contact with a key, which there must be. */
async function contactOf(organization: TestOrganization, key: string): Promise<JsonObject> {
  const found = await byKey(organization, key)
  if (found === undefined) throw new Error(`no contact ${key}`)
  return found
}

describe('undoing an import', () => {
  it('removes what it made and frees its keys, so that the corrected file makes it anew', async () => {
    const organization = await given.organization()
    const { client } = organization
    const start = (await client.get('/changes/cursor')).data.cursor
    const rows = [
      ['a', 'Anna', 'Wrong', 'anna@example.com', ''],
      ['b', 'Boris', 'Wrong', '', '+1 202 555 0143'],
    ]
    const { id, undoableUntil } = await importRows(organization, rows)
    expect(undoableUntil).toBe(new Date(given.clock.now() + 30 * 86_400_000).toISOString())
    const made = [await contactOf(organization, 'a'), await contactOf(organization, 'b')]
    const undone = await undo(given, organization, id)
    expect(undone).toMatchObject({
      status: 'completed',
      counters: { total: 2, done: 2, removed: 2, restored: 0, kept: 0 },
      kept: [],
      failure: null,
      finishedAt: new Date(given.clock.now()).toISOString(),
    })
    expect((await client.get(`/imports/${id}`)).data.undoableUntil).toBeNull()
    for (const { id: contact } of made) expect((await client.get(`/contacts/${contact}`)).status).toBe(404)
    expect((await client.get('/contacts?externalId=a')).status).toBe(200)
    expect((await client.get('/search?q=anna')).items).toEqual([])
    const events = (await client.get(`/changes?after=${start}`)).items.filter(({ kind }) => kind === 'contact.deleted')
    expect(events.map(({ resourceId, version, actorType, jobId }) => [resourceId, version, actorType, jobId])).toEqual(
      made.toReversed().map(contact => [contact.id, 2, 'system', id]),
    )
    const again = await importRows(
      organization,
      rows.map(([key = '', first = '', , ...others]) => [key, first, 'Right', ...others]),
    )
    expect(again).toMatchObject({ counters: { created: 2 }, errors: [] })
    expect(await contactOf(organization, 'a')).toMatchObject({ lastName: 'Right', version: 1 })
  })

  it('drops the values of removed persons from audit entries and stored answers', async () => {
    const organization = await given.organization()
    const { client } = organization
    const { id } = await importRows(organization, [['a', 'Xantippe', 'Zwetschkenbaum', 'xa@example.com', '']])
    const contact = await contactOf(organization, 'a')
    // It changes nothing, and shows the contact.
    const send = () =>
      client.patch(`/contacts/${contact.id}`, { expectedVersion: 1, lastName: 'Zwetschkenbaum' }, { key: 'kept' })
    expect((await send()).status).toBe(200)
    await undo(given, organization, id)
    expect(JSON.stringify((await client.get('/audit')).body)).not.toMatch(/xantippe|zwetsch|xa@/iu)
    expect((await send()).status).toBe(410)
  })

  it('removes files of exports that were made since, and keeps uploads', async () => {
    const organization = await given.organization()
    const { client } = organization
    await client.post('/exports', { type: 'contacts' })
    await runJobs(given.api)
    given.clock.advance(1000)
    const { id } = await importRows(organization, [['a', 'Anna', '', '', '']])
    await client.post('/exports', { type: 'contacts' })
    const { data: corrected } = await upload(client, csv(header, ['a', 'Olga', '', '', '']))
    await runJobs(given.api)
    await undo(given, organization, id)
    const { items } = await client.get('/exports')
    expect(items.map(({ downloadUrl }) => typeof downloadUrl === 'string')).toEqual([false, true])
    const started = await client.post(`/imports/${corrected.id}/start`, { mapping, dedupPolicy: 'create_only' })
    expect(started.status).toBe(202)
    await runJobs(given.api)
    expect((await contactOf(organization, 'a')).firstName).toBe('Olga')
  })

  it('leaves a record that was changed since, or that something refers to, and lists it', async () => {
    const organization = await given.organization()
    const { client } = organization
    const { id } = await importRows(organization, [
      ['a', 'Anna', '', '', ''],
      ['b', 'Boris', '', '', ''],
      ['c', 'Clara', '', '', ''],
      ['d', 'Dora', '', '', ''],
      ['a', '', 'Petrova', '', ''],
    ])
    const [a, b, c] = [
      await contactOf(organization, 'a'),
      await contactOf(organization, 'b'),
      await contactOf(organization, 'c'),
    ]
    await client.patch(`/contacts/${a.id}`, { expectedVersion: 2, jobTitle: 'Head' })
    await aRecord('deal', organization, { contacts: [{ id: b.id }] })
    const company = await aRecord('company', organization)
    await client.put(`/companies/${company.id}/contacts`, { expectedVersion: 1, contacts: [{ id: c.id }] })
    const { counters, kept } = await undo(given, organization, id)
    expect(counters).toMatchObject({ removed: 1, restored: 0, kept: 3 })
    expect(kept).toEqual([
      { resourceType: 'contact', id: a.id, reason: 'changed', fields: [] },
      { resourceType: 'contact', id: b.id, reason: 'linked', fields: [] },
      { resourceType: 'contact', id: c.id, reason: 'linked', fields: [] },
    ])
    // It keeps what later rows of the file have made of it.
    expect(await contactOf(organization, 'a')).toMatchObject({ version: 3, lastName: 'Petrova' })
    expect((await contactOf(organization, 'b')).version).toBe(1)
  })

  it('lists the first hundred records that stay, and counts all', async () => {
    const organization = await given.organization()
    const keys = Array.from({ length: 101 }, (_, index) => `k${index}`)
    const { id } = await importRows(
      organization,
      keys.map(key => [key, 'Anna', '', '', '']),
    )
    for (const some of [keys.slice(0, 100), keys.slice(100)]) {
      const items = some.map(externalId => ({ externalId, expectedVersion: 1, jobTitle: 'Buyer' }))
      const { meta } = await organization.client.post('/contacts/batch/upsert', { items })
      expect(meta.updated).toBe(some.length)
    }
    const { counters, kept } = await undo(given, organization, id)
    expect([counters, kept]).toMatchObject([{ total: 101, kept: 101 }, { length: 100 }])
  })

  it('gives fields their former values where they still hold the imported ones', async () => {
    const organization = await given.organization()
    const { client, tag } = organization
    const { id: contact } = await aRecord('contact', organization, {
      externalId: 'a',
      firstName: 'Anna',
      lastName: 'Petrova',
      contactData: { emails: [{ value: 'old@example.com' }], phones: [{ value: '+1 202 555 0100' }] },
    })
    const file = csv(
      [...header, 'Title', 'Tags'],
      ['a', 'Olga', 'Orlova', 'new@example.com', '+1 202 555 0143', 'Buyer', 'regular'],
      ['a', 'Olga', 'Ivanova', '', '', '', ''],
    )
    const more = { mapping: { ...mapping, jobTitle: 'Title', tags: 'Tags' }, dedupPolicy: overwriting }
    const { id } = await importFile(given.api, client, file, more)
    const imported = await contactOf(organization, 'a')
    expect(imported).toMatchObject({ version: 3, tagIds: [tag] })
    const phones = [{ value: '+1 202 555 0199' }]
    await client.patch(`/contacts/${contact}`, { expectedVersion: 3, firstName: 'Alla', contactData: { phones } })
    const { counters, kept } = await undo(given, organization, id)
    expect(counters).toEqual({ total: 2, done: 2, removed: 0, restored: 2, kept: 1 })
    expect(kept).toEqual([
      { resourceType: 'contact', id: contact, reason: 'changed', fields: ['firstName', 'contactData.phones'] },
    ])
    expect((await client.get(`/contacts/${contact}`)).data).toMatchObject({
      version: 6,
      firstName: 'Alla',
      lastName: 'Petrova',
      jobTitle: null,
      tagIds: [],
      contactData: { emails: [{ value: 'old@example.com' }], phones: [{ value: '+1 202 555 0199' }] },
    })
  })

  it('takes a key back that it gave to a record, which anybody may use then', async () => {
    const organization = await given.organization()
    const { client } = organization
    const { id: contact } = await aRecord('contact', organization, {
      externalId: null,
      contactData: { emails: [{ value: 'a@example.com' }] },
    })
    const policy = { strategy: 'create_or_update', matchBy: ['email'] }
    const { id } = await importRows(organization, [['k', '', '', 'a@example.com', '']], { dedupPolicy: policy })
    expect((await contactOf(organization, 'k')).id).toBe(contact)
    expect((await undo(given, organization, id)).counters).toMatchObject({ restored: 1, kept: 0 })
    expect((await client.get(`/contacts/${contact}`)).data.externalId).toBeNull()
    expect(await aRecord('contact', organization, { externalId: 'k' })).toMatchObject({ version: 1 })
  })

  it('removes links that it added, also those of records that it made itself', async () => {
    const organization = await given.organization()
    const { client } = organization
    const company = await aRecord('company', organization, { name: 'Nordwind', externalId: 'n' })
    const old = await aRecord('contact', organization, { externalId: 'old' })
    const file = csv(
      [...header, 'Company'],
      ['new', 'Nina', '', '', '', 'Nordwind'],
      ['old', '', '', '', '', 'Nordwind'],
    )
    const { id } = await importFile(given.api, client, file, { mapping: { ...mapping, companyName: 'Company' } })
    expect((await client.get(`/companies/${company.id}/contacts`)).items).toHaveLength(2)
    expect((await undo(given, organization, id)).counters).toMatchObject({ removed: 1, restored: 2, kept: 0 })
    expect((await client.get(`/companies/${company.id}/contacts`)).items).toEqual([])
    expect((await client.get(`/contacts/${old.id}`)).status).toBe(200)
    const entries = (await client.get('/audit?resourceType=company')).items.filter(
      ({ actorType }) => actorType === 'system',
    )
    // Nothing tells of the person whose record was taken back.
    expect(entries.map(({ changes }) => changes)).toEqual([
      [{ field: 'contacts', redacted: true }],
      [{ field: 'contacts', before: expect.objectContaining({ contactId: old.id }), after: null }],
    ])
    expect(await byKey(organization, 'new')).toBeUndefined()
  })

  it('removes companies that it created for contacts', async () => {
    const organization = await given.organization()
    const { client } = organization
    const rows = ['a', 'b', 'c'].map(key => [key, 'Nina', '', '', '', 'Nordwind'])
    const { id } = await upload(client, csv([...header, 'Company'], ...rows)).then(({ data }) => data)
    const body = {
      mapping: { ...mapping, companyName: 'Company' },
      dedupPolicy: 'create_or_update',
      missingCompany: 'create',
    }
    expect((await client.post(`/imports/${id}/start`, body)).status).toBe(202)
    await runJobs(given.api)
    expect((await client.get('/companies')).items).toHaveLength(1)
    expect((await undo(given, organization, id)).counters).toMatchObject({ removed: 4, restored: 0, kept: 0 })
    for (const path of ['/companies', '/contacts']) expect((await client.get(path)).items).toEqual([])
  })

  it('never brings an erased person back, and leaves merged records', async () => {
    const organization = await given.organization()
    const { client } = organization
    const before = await aRecord('contact', organization, { externalId: 'before', firstName: 'Xantippe' })
    const { id } = await importRows(
      organization,
      [
        ['anonymized', 'Anna', '', '', ''],
        ['deleted', 'Boris', '', '', ''],
        ['primary', 'Clara', '', '', ''],
        ['secondary', 'Clara', '', '', ''],
        ['before', 'Changed', '', '', ''],
      ],
      { dedupPolicy: overwriting },
    )
    const ids = Object.fromEntries(
      await Promise.all(
        ['anonymized', 'deleted', 'primary', 'secondary'].map(async key => [
          key,
          (await contactOf(organization, key)).id,
        ]),
      ),
    )
    expect((await erase(organization, ids.anonymized, 'anonymize')).status).toBe(200)
    expect((await erase(organization, ids.deleted, 'full')).status).toBe(200)
    expect((await erase(organization, before.id, 'anonymize', 2)).status).toBe(200)
    const merged = await client.post('/contacts/merge/commit', {
      primaryId: ids.primary,
      secondaryId: ids.secondary,
      expectedPrimaryVersion: 1,
      expectedSecondaryVersion: 1,
      fieldResolutions: {},
      externalIdConflictResolution: 'keep_primary',
    })
    expect(merged.status).toBe(200)
    const { counters, kept } = await undo(given, organization, id)
    expect(counters).toMatchObject({ total: 5, done: 5, removed: 0, restored: 0, kept: 4 })
    const told = Array.isArray(kept) ? kept.map(each => [each.id, each.reason]) : []
    expect(told.toSorted()).toEqual(
      [
        [ids.anonymized, 'erased'],
        [before.id, 'erased'],
        [ids.primary, 'merged'],
        [ids.secondary, 'merged'],
      ].toSorted(),
    )
    expect((await client.get(`/contacts/${ids.deleted}`)).status).toBe(404)
    expect((await client.get(`/contacts/${before.id}`)).status).toBe(410)
    expect((await client.get('/contacts?externalId=deleted')).status).toBe(410)
  })

  it('shows readers of the feed what is there afterwards', async () => {
    const organization = await given.organization()
    const { client } = organization
    const company = await aRecord('company', organization, { name: 'Nordwind' })
    await aRecord('contact', organization, { externalId: 'old', firstName: 'Old' })
    const follower = new Follower(client)
    await follower.begin()
    const before = new Map(follower.records)
    const file = csv([...header, 'Company'], ['new', 'Nina', '', '', '', 'Nordwind'], ['old', 'Olga', '', '', '', ''])
    const more = { mapping: { ...mapping, companyName: 'Company' }, dedupPolicy: overwriting }
    const { id } = await importFile(given.api, client, file, more)
    await follower.follow()
    expect(follower.records.size).toBe(before.size + 1)
    await undo(given, organization, id)
    await follower.follow()
    expect([...follower.records.keys()].toSorted()).toEqual([...before.keys()].toSorted())
    const names = [...follower.records.values()].map(({ firstName }) => firstName)
    expect(names).toContain('Old')
    expect(follower.records.get(String(company.id))).toMatchObject({ version: 3 })
  })

  it('keeps the key of a removed company in its events', async () => {
    const organization = await given.organization()
    const { client } = organization
    const start = (await client.get('/changes/cursor')).data.cursor
    const { id } = await importFile(given.api, client, csv(['k', 'n'], ['c1', 'Nordwind']), {
      entityType: 'companies',
      mapping: { externalId: 'k', name: 'n' },
    })
    await undo(given, organization, id)
    const { items } = await client.get(`/changes?after=${start}`)
    expect(items.map(({ kind, externalId }) => [kind, externalId])).toEqual([
      ['company.created', 'c1'],
      ['company.deleted', 'c1'],
    ])
    expect(await aRecord('company', organization, { externalId: 'c1' })).toMatchObject({ version: 1 })
  })
})
