import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import type { Answer } from '../support/client.ts'
import type { TestOrganization } from '../support/organization.ts'
import { factsOf, nothing } from './support/facts.ts'
import { allBut, useApi } from './support/given.ts'
import { aRecord, issuePaths, issueRules, outcome, unknownId } from './support/requests.ts'

const given = useApi({ ownDatabase: true })

/** A company, contacts that it is not linked with yet, and how to replace its links. */
async function aCompany(contacts: number) {
  const organization = await given.shared()
  const { id } = await aRecord('company', organization)
  const ids: string[] = []
  while (ids.length < contacts) ids.push(String((await aRecord('contact', organization)).id))
  const path = `/companies/${id}/contacts`
  const put = (expectedVersion: number, links: readonly JsonObject[]) =>
    organization.client.put(path, { expectedVersion, contacts: links })
  return { organization, client: organization.client, id, ids, path, put }
}

/** A company that is linked with two contacts, at version 2. */
async function aLinkedCompany(contacts = 3) {
  const company = await aCompany(contacts)
  const [one, two] = company.ids
  await company.put(1, [{ id: one, role: 'Buyer' }, { id: two }])
  return company
}

const link = (contactId: unknown, position: number, role: string | null = null) => ({
  contactId,
  position,
  role,
  isPrimary: position === 0,
  anonymized: false,
})
const contactIds = ({ items }: Answer) => items.map(({ contactId }) => contactId)
const anonymize = ({ client }: TestOrganization, id: unknown) => client.delete(`/contacts/${id}?expectedVersion=1`)

describe('GET /companies/:id/contacts', () => {
  it('shows the links in order, the first as primary, and nothing else of the contacts', async () => {
    const { client, ids, path } = await aLinkedCompany()
    const { status, body } = await client.get(path)
    expect(status).toBe(200)
    expect(body).toEqual({ data: [link(ids[0], 0, 'Buyer'), link(ids[1], 1)], meta: { nextCursor: null } })
  })

  it('is an empty page for a company without links', async () => {
    const { client, path } = await aCompany(0)
    expect((await client.get(path)).body).toEqual({ data: [], meta: { nextCursor: null } })
  })

  it('gives every link once over pages, of which only the first has a primary', async () => {
    const { client, ids, path, put } = await aCompany(5)
    await put(
      1,
      ids.map(id => ({ id })),
    )
    const pages = [await client.get(`${path}?limit=2`)]
    for (const _ of [2, 3]) pages.push(await client.get(`${path}?limit=2&cursor=${pages.at(-1)?.meta.nextCursor}`))
    expect(pages.flatMap(contactIds)).toEqual(ids)
    expect(pages.flatMap(({ items }) => items.map(({ isPrimary }) => isPrimary))).toEqual(ids.map(id => id === ids[0]))
    expect(pages.map(({ meta }) => typeof meta.nextCursor)).toEqual(['string', 'string', 'object'])
  })

  it('refuses the cursor of another company', async () => {
    const one = await aLinkedCompany()
    const two = await aLinkedCompany()
    const { meta } = await one.client.get(`${one.path}?limit=1`)
    expect(outcome(await two.client.get(`${two.path}?cursor=${meta.nextCursor}`))).toBe('400 invalid_cursor')
  })

  it('marks a contact that was anonymized, whose role is erased; the company keeps link and version', async () => {
    const { organization, client, id, ids, path } = await aLinkedCompany()
    await anonymize(organization, ids[0])
    const { items } = await client.get(path)
    expect(items).toEqual([{ ...link(ids[0], 0), anonymized: true }, link(ids[1], 1)])
    expect((await client.get(`/companies/${id}`)).data.version).toBe(2)
  })

  it('takes the first link that is left for the primary one', async () => {
    const { client, ids, path } = await aLinkedCompany()
    await given.sql('delete from company_contacts where contact_id = $1', [ids[0]])
    expect((await client.get(path)).items).toEqual([link(ids[1], 0)])
  })
})

describe('PUT /companies/:id/contacts', () => {
  it('replaces the whole set in the given order, and answers it with the new version of the company', async () => {
    const { client, id, ids, path, put } = await aLinkedCompany()
    const answer = await put(2, [{ id: ids[2], role: 'Director' }, { id: ids[0] }])
    const links = [link(ids[2], 0, 'Director'), link(ids[0], 1)]
    expect([answer.status, answer.body]).toEqual([200, { data: links, meta: { version: 3 } }])
    expect((await client.get(path)).items).toEqual(links)
    expect((await client.get(`/companies/${id}`)).data.version).toBe(3)
  })

  it('takes contacts by id, in capitals too, and by the key of the application', async () => {
    const { organization, ids, put } = await aCompany(1)
    const { id, externalId } = await aRecord('contact', organization)
    const answer = await put(1, [{ externalId }, { id: ids[0]?.toUpperCase() }])
    expect(contactIds(answer)).toEqual([id, ids[0]])
  })

  it('does not take the key that another application has for a contact', async () => {
    const { organization, path } = await aCompany(0)
    const { externalId } = await aRecord('contact', organization)
    const { client } = await organization.application()
    const answer = await client.put(path, { expectedVersion: 1, contacts: [{ externalId }] })
    expect([outcome(answer), answer.details]).toEqual(['404 not_found', { path: '/contacts/0' }])
  })

  it('clears the links with an empty list', async () => {
    const { client, path, put } = await aLinkedCompany()
    expect((await put(2, [])).body).toEqual({ data: [], meta: { version: 3 } })
    expect((await client.get(path)).items).toEqual([])
  })

  it('trims a role, takes a blank one for none, and clears a role that is not given', async () => {
    const { ids, put } = await aLinkedCompany()
    const roles = async (version: number, ...links: JsonObject[]) =>
      (await put(version, links)).items.map(({ role }) => role)
    const [one, two] = ids.map(id => ({ id }))
    expect(await roles(2, { ...one, role: ' Head of\u0065\u0301quipe ' }, { ...two, role: '  ' })).toEqual([
      'Head of\u00e9quipe',
      null,
    ])
    expect(await roles(3, { ...one }, { ...two, role: 'CFO' })).toEqual([null, 'CFO'])
  })

  it('takes a role of 100 code points', async () => {
    const { ids, put } = await aCompany(1)
    const role = '👩'.repeat(100)
    expect((await put(1, [{ id: ids[0], role }])).items[0]?.role).toBe(role)
    const answer = await put(2, [{ id: ids[0], role: `${role}x` }])
    expect([outcome(answer), issuePaths(answer)]).toEqual(['400 validation_error', ['/contacts/0/role']])
  })

  it.each([
    ['another order', (ids: readonly string[]) => [{ id: ids[1] }, { id: ids[0], role: 'Buyer' }]],
    ['another role', (ids: readonly string[]) => [{ id: ids[0], role: 'Director' }, { id: ids[1] }]],
    ['another set', (ids: readonly string[]) => [{ id: ids[0], role: 'Buyer' }]],
  ])('raises the company by one for %s', async (_, links) => {
    const { ids, put } = await aLinkedCompany()
    expect((await put(2, links(ids))).meta).toEqual({ version: 3 })
  })

  it('keeps the version and leaves no trace when nothing changes', async () => {
    const { organization, ids, put } = await aLinkedCompany()
    const facts = await factsOf(given, organization, async () => {
      const answer = await put(2, [{ id: ids[0], role: 'Buyer' }, { id: ids[1] }])
      expect(answer.body).toEqual({ data: [link(ids[0], 0, 'Buyer'), link(ids[1], 1)], meta: { version: 2 } })
    })
    expect(facts).toEqual(nothing)
  })

  it('keeps the row of a link that stays', async () => {
    const { id, ids, put } = await aLinkedCompany()
    const rows = () =>
      given.sql('select id, created_at, version from company_contacts where company_id = $1 and contact_id = $2', [
        id,
        ids[1],
      ])
    const [before] = await rows()
    await put(2, [{ id: ids[2] }, { id: ids[1] }, { id: ids[0] }])
    expect(await rows()).toEqual([{ ...before, version: String(Number(before?.version) + 1) }])
  })

  it('keeps the link to a contact that was anonymized, in any order', async () => {
    const { organization, client, ids, path, put } = await aLinkedCompany()
    await anonymize(organization, ids[0])
    const same = await put(2, [{ id: ids[0], role: null }, { id: ids[1] }])
    const gone = { ...link(ids[0], 0), anonymized: true }
    expect(same.body).toEqual({ data: [gone, link(ids[1], 1)], meta: { version: 2 } })
    const turned = await put(2, [{ id: ids[1] }, { id: ids[0] }])
    const links = [link(ids[1], 0), { ...gone, position: 1, isPrimary: false }]
    expect(turned.body).toEqual({ data: links, meta: { version: 3 } })
    expect((await client.get(path)).items).toEqual(links)
  })

  it('gives no role back to a contact that was anonymized', async () => {
    const { organization, ids, put } = await aLinkedCompany()
    await anonymize(organization, ids[0])
    const answer = await put(2, [{ id: ids[0], role: 'Buyer' }, { id: ids[1] }])
    expect([answer.meta, answer.items[0]?.role]).toEqual([{ version: 2 }, null])
    expect(await given.sql('select role from company_contacts where contact_id = $1', [ids[0]])).toEqual([
      { role: null },
    ])
  })

  it('does not touch the contacts', async () => {
    const { client, ids } = await aLinkedCompany()
    expect((await client.get(`/contacts/${ids[0]}`)).data.version).toBe(1)
  })

  it('answers the whole set to a token that may not read companies', async () => {
    const { organization, ids, path } = await aLinkedCompany()
    const client = await organization.token(allBut('crm_companies_read'))
    const answer = await client.put(path, { expectedVersion: 2, contacts: [{ id: ids[2] }] })
    expect(answer.body).toEqual({ data: [link(ids[2], 0)], meta: { version: 3 } })
  })

  it('leaves one company.updated event that names contacts, and what changed in the audit entry', async () => {
    const { organization, id, ids, put } = await aLinkedCompany()
    const { events, audit } = await factsOf(given, organization, () =>
      put(2, [{ id: ids[0], role: 'Director' }, { id: ids[2] }]),
    )
    expect(events).toMatchObject([
      { kind: 'company.updated', resourceType: 'company', resourceId: id, version: 3, changedFields: ['contacts'] },
    ])
    const shown = (contactId: unknown, position: number, role: string | null = null) => {
      const { isPrimary: _, ...members } = link(contactId, position, role)
      return members
    }
    expect(audit).toMatchObject([{ action: 'company.updated', resourceId: id, versions: [2, 3] }])
    expect(audit[0]?.changes).toEqual([
      { field: 'contacts', before: shown(ids[1], 1), after: null },
      { field: 'contacts', before: shown(ids[0], 0, 'Buyer'), after: shown(ids[0], 0, 'Director') },
      { field: 'contacts', before: null, after: shown(ids[2], 1) },
    ])
  })

  it('that is refused leaves nothing', async () => {
    const { organization, ids, put } = await aLinkedCompany()
    const facts = await factsOf(given, organization, async () => {
      const answers = [
        await put(1, []),
        await put(2, [{ id: ids[2] }, { id: unknownId }]),
        await put(2, [{ id: ids[2] }, { id: ids[2] }]),
      ]
      expect(answers.map(({ status }) => status)).toEqual([409, 404, 400])
    })
    expect(facts).toEqual(nothing)
  })

  it('repeated with its key answers the first set although another has replaced it since', async () => {
    const { client, ids, path, put } = await aLinkedCompany()
    const body = { expectedVersion: 2, contacts: [{ id: ids[2] }] }
    const first = await client.put(path, body, { key: 'links-once' })
    await put(3, [{ id: ids[0] }])
    const again = await client.put(path, body, { key: 'links-once' })
    expect([again.body, again.headers.get('idempotent-replayed')]).toEqual([first.body, 'true'])
    expect(contactIds(await client.get(path))).toEqual([ids[0]])
  })
})

describe('PUT /companies/:id/contacts refuses', () => {
  it.each<readonly [string, JsonObject, string]>([
    ['no list', { contacts: undefined }, '/contacts'],
    ['null for the list', { contacts: null }, '/contacts'],
    ['no expected version', { expectedVersion: undefined }, '/expectedVersion'],
    ['the expected version as text', { expectedVersion: '1' }, '/expectedVersion'],
    ['an element that is no reference', { contacts: ['x'] }, '/contacts/0'],
    ['a reference with neither key', { contacts: [{ role: 'CFO' }] }, '/contacts/0'],
    ['a reference with both keys', { contacts: [{ id: unknownId, externalId: 'a' }] }, '/contacts/0'],
    ['an id that is none', { contacts: [{ id: 'a' }] }, '/contacts/0/id'],
    ['an empty key', { contacts: [{ externalId: '' }] }, '/contacts/0/externalId'],
    ['a role that is no text', { contacts: [{ externalId: 'a', role: 1 }] }, '/contacts/0/role'],
    ['isPrimary', { contacts: [{ externalId: 'a', isPrimary: true }] }, '/contacts/0/isPrimary'],
    ['position', { contacts: [{ externalId: 'a', position: 1 }] }, '/contacts/0/position'],
    ['contactId', { contacts: [{ externalId: 'a', contactId: unknownId }] }, '/contacts/0/contactId'],
    [
      'one id twice, in capitals too',
      { contacts: [{ id: unknownId, role: 'CFO' }, { id: unknownId.toUpperCase() }] },
      '/contacts/1',
    ],
    ['one key twice', { contacts: [{ externalId: 'a', role: 'CFO' }, { externalId: 'a' }] }, '/contacts/1'],
    [
      '1001 links',
      { contacts: Array.from({ length: 1001 }, (_, index) => ({ externalId: `a${index}` })) },
      '/contacts',
    ],
  ])('%s: 400', async (_, members, path) => {
    const { client, path: route } = await aCompany(0)
    const answer = await client.put(route, { expectedVersion: 1, contacts: [], ...members })
    expect([outcome(answer), issuePaths(answer)]).toEqual(['400 validation_error', [path]])
  })

  it('two references that resolve to one contact: 422', async () => {
    const { organization, put } = await aCompany(0)
    const { id, externalId } = await aRecord('contact', organization)
    const answer = await put(1, [{ id }, { externalId }])
    expect([outcome(answer), issuePaths(answer), issueRules(answer)]).toEqual([
      '422 validation_error',
      ['/contacts/1'],
      ['unique'],
    ])
  })

  it('an unknown contact: 404 that names the place', async () => {
    const { ids, put } = await aCompany(1)
    const answer = await put(1, [{ id: ids[0] }, { id: unknownId }])
    expect([outcome(answer), answer.details]).toEqual(['404 not_found', { path: '/contacts/1' }])
  })

  it('the key of a removed contact: 410', async () => {
    const { organization, client, put } = await aCompany(0)
    const { id, externalId } = await aRecord('contact', organization)
    await client.delete(`/contacts/${id}?expectedVersion=1&mode=full`)
    const answer = await put(1, [{ externalId }])
    expect([outcome(answer), answer.details]).toEqual([
      '410 external_reference_deleted',
      { kind: 'contact', path: '/contacts/0' },
    ])
  })

  it('an anonymized contact that is not linked already: 410', async () => {
    const { organization, ids, put } = await aLinkedCompany()
    await anonymize(organization, ids[2])
    const answer = await put(2, [{ id: ids[1] }, { id: ids[2] }])
    expect([outcome(answer), answer.details]).toEqual(['410 resource_deleted', { path: '/contacts/1' }])
  })

  it('an anonymized contact that is linked, by the key that is gone with it: 410', async () => {
    const { organization, client, path, put } = await aCompany(0)
    const { id, externalId } = await aRecord('contact', organization)
    await put(1, [{ id }])
    await anonymize(organization, id)
    expect(outcome(await client.put(path, { expectedVersion: 2, contacts: [{ externalId }] }))).toBe(
      '410 resource_deleted',
    )
  })

  it('a stale version: 409 with the current one', async () => {
    const { ids, put } = await aLinkedCompany()
    const answer = await put(1, [{ id: ids[2] }])
    expect([outcome(answer), answer.details]).toEqual(['409 version_conflict', { currentVersion: 2 }])
  })

  it('in the order of the gates: company, unknown, gone, version, doubled', async () => {
    const { organization, client, ids, put } = await aLinkedCompany()
    await anonymize(organization, ids[2])
    const { id, externalId } = await aRecord('contact', organization)
    const doubled = [{ id }, { externalId }]
    const gone = [{ id: ids[2] }, ...doubled]
    const unknown = [...gone, { id: unknownId }]
    const nowhere = await client.put(`/companies/${unknownId}/contacts`, { expectedVersion: 9, contacts: unknown })
    expect([outcome(nowhere), nowhere.details]).toEqual(['404 not_found', {}])
    expect((await put(9, unknown)).details).toEqual({ path: '/contacts/3' })
    expect(outcome(await put(9, gone))).toBe('410 resource_deleted')
    expect(outcome(await put(9, doubled))).toBe('409 version_conflict')
    expect(outcome(await put(2, doubled))).toBe('422 validation_error')
  })
})

describe('a company with a thousand contacts', () => {
  it('is linked, reordered and cleared, each with one request', async () => {
    const { organization, client, path } = await aCompany(0)
    const ids: unknown[] = []
    for (let batch = 0; batch < 10; batch += 1) {
      const items = Array.from({ length: 100 }, (_, index) => ({ externalId: `many-${batch}-${index}`, lastName: 'M' }))
      const answer = await client.post('/contacts/batch/upsert', { items })
      ids.push(...answer.items.map(({ index }) => `many-${batch}-${index}`))
    }
    expect(ids).toHaveLength(1000)
    const links = ids.map(externalId => ({ externalId, role: 'Member of the board' }))
    const sets = [links, links.toReversed(), []]
    for (const [index, contacts] of sets.entries()) {
      const answer = await organization.client.put(path, { expectedVersion: index + 1, contacts })
      expect([answer.status, answer.items.length, answer.meta]).toEqual([200, contacts.length, { version: index + 2 }])
    }
  })
})
