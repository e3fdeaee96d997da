import { describe, expect, it } from 'vitest'
import { objectOf } from '../support/client.ts'
import type { TestOrganization } from '../support/organization.ts'
import { everything } from './support/everything.ts'
import { factsOf } from './support/facts.ts'
import { useApi } from './support/given.ts'
import { commitMerge, previewMerge } from './support/merges.ts'
import { aPerson, erase, traces } from './support/persons.ts'
import { aRecord, outcome } from './support/requests.ts'

const given = useApi()
const modes = ['anonymize', 'full'] as const
const role = 'Zwetschkenbaum’s successor'

/** A person to whom a company, a deal, an activity and a task are linked, with changes of each. */
async function aLinkedPerson(organization: TestOrganization) {
  const { client } = organization
  const person = await aPerson(organization)
  const other = await aRecord('contact', organization)
  const company = await aRecord('company', organization)
  const path = `/companies/${company.id}/contacts`
  const set = (expectedVersion: number, ...roles: (string | null)[]) => {
    const contacts = [person, other].map(({ id }, index) => ({ id, role: roles[index] ?? null }))
    return client.put(path, { expectedVersion, contacts }, { key: `links-${expectedVersion}-${person.id}` })
  }
  await set(1, 'Quartermaster', 'Clerk')
  await set(2, role, 'Buyer')
  const parties = { contacts: [{ id: person.id }], companies: [{ id: company.id }] }
  const deal = await aRecord('deal', organization, parties)
  const activity = { type: 'note', subject: 'Chairs', contact: { id: person.id } }
  await client.post(`/deals/${deal.id}/activities`, activity)
  const task = await aRecord('task', organization, { contact: { id: person.id } })
  return { person, other, company, deal, task, set }
}

describe.each(modes)('a linked person who is erased by mode %s', mode => {
  it('is found nowhere in the database, in no table', async () => {
    const organization = await given.organization()
    const { person } = await aLinkedPerson(organization)
    expect(await everything(given, organization)).toMatch(traces)
    expect((await erase(organization, person.id, mode)).status).toBe(200)
    expect(await everything(given, organization)).not.toMatch(traces)
  })

  it('is found nowhere after a merge either: neither a record that was merged into it, nor the previews of that merge', async () => {
    const organization = await given.organization()
    const { client } = organization
    const second = await organization.application()
    const { person } = await aLinkedPerson(organization)
    const twin = await aPerson(organization, { firstName: 'Xanthippe', externalId: `zwetschkenbaum-${person.id}` })
    await client.patch(`/contacts/${twin.id}`, { expectedVersion: 1, description: 'Leipzigfair 3' }, { key: 'patched' })
    const theirs = { expectedVersion: 2, externalId: 'xanti.zwet-theirs' }
    const { data: keyed } = await second.client.patch(`/contacts/${twin.id}`, theirs)
    await aRecord('deal', organization, {
      contacts: [{ id: twin.id }],
      companies: [{ id: (await aRecord('company', organization)).id }],
    })
    await previewMerge(client, 'contact', [person, keyed])
    const merged = await commitMerge(client, 'contact', [person, keyed], {
      fieldResolutions: { firstName: 'secondary', description: 'primary' },
      externalIdConflictResolution: 'keep_primary',
    })
    expect(outcome(merged)).toBe('200')
    expect(await everything(given, organization)).toMatch(/Xanthippe/u)
    expect((await erase(organization, person.id, mode, 2)).status).toBe(200)
    expect(await everything(given, organization)).not.toMatch(traces)
    expect(await everything(given, organization)).not.toMatch(/Xanthippe|theirs/u)
    const again = await client.patch(
      `/contacts/${twin.id}`,
      { expectedVersion: 1, description: 'Leipzigfair 3' },
      { key: 'patched' },
    )
    expect(outcome(again)).toBe('410 resource_deleted')
  })

  it('leaves the parts about others in changes of the company', async () => {
    const organization = await given.organization()
    const { person, company } = await aLinkedPerson(organization)
    await erase(organization, person.id, mode)
    const rows = await given.sql(
      `select changes, about_ids from audit_entries where resource_id = $1 and action = 'company.updated' order by id`,
      [company.id],
    )
    const text = JSON.stringify(rows)
    expect(text).toContain('Clerk')
    expect(text).not.toContain(String(person.id))
    expect(text).toContain('{"field":"contacts","redacted":true}')
  })

  it("takes away the answers that describe the person's part in a company", async () => {
    const organization = await given.organization()
    const { person, set } = await aLinkedPerson(organization)
    expect((await set(2, role, 'Buyer')).headers.get('idempotent-replayed')).toBe('true')
    await erase(organization, person.id, mode)
    expect(outcome(await set(2, role, 'Buyer'))).toBe('410 resource_deleted')
  })

  it('is named by their replay, and nothing of the company is gone', async () => {
    const organization = await given.organization()
    const { person, company, set } = await aLinkedPerson(organization)
    await erase(organization, person.id, mode)
    const { error, details } = await set(2, role, 'Buyer')
    expect(error.message).toMatch(/told of a person who was erased since/u)
    expect(error.message).not.toMatch(/anonymized/u)
    expect(details).toEqual({ reason: 'person_erased' })
    expect((await organization.client.get(`/companies/${company.id}`)).status).toBe(200)
  })

  it('counts in its receipt the removed rows', async () => {
    const organization = await given.organization()
    const { person } = await aLinkedPerson(organization)
    const { meta } = await erase(organization, person.id, mode)
    const [receipt] = await given.sql('select reached from erasure_receipts where id = $1', [meta.erasureId])
    expect(objectOf(receipt?.reached)).toMatchObject({
      // The person’s own entry, two of the company and one of the deal.
      auditEntries: 4,
      // The person’s own answer, and two of the company.
      storedAnswers: 3,
      externalKeys: 1,
      links: mode === 'anonymize' ? 1 : 0,
    })
  })
})

describe('a linked person who is anonymized', () => {
  it('stays linked everywhere, without its role; owners keep their versions', async () => {
    const organization = await given.organization()
    const { client } = organization
    const { person, other, company, deal, task } = await aLinkedPerson(organization)
    const facts = await factsOf(given, organization, () => erase(organization, person.id, 'anonymize'))
    expect(facts.events.map(({ kind }) => kind)).toEqual(['contact.anonymized'])
    const { items } = await client.get(`/companies/${company.id}/contacts`)
    expect(items).toMatchObject([
      { contactId: person.id, role: null, anonymized: true, isPrimary: true },
      { contactId: other.id, role: 'Buyer', anonymized: false },
    ])
    expect((await client.get(`/companies/${company.id}`)).data.version).toBe(3)
    expect((await client.get(`/deals/${deal.id}`)).data).toMatchObject({ version: 2, contactIds: [person.id] })
    const activities = (await client.get(`/deals/${deal.id}/activities`)).items
    expect(activities).toMatchObject([{ version: 1, contactId: person.id }])
    expect((await client.get(`/tasks/${task.id}`)).data).toMatchObject({ version: 1, contactId: person.id })
  })
})
