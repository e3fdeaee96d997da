import { describe, expect, it } from 'vitest'
import type { Scope } from '../../server/src/kernel/index.ts'
import { isObject, type JsonObject } from '../../server/src/kernel/schema/index.ts'
import type { Client } from '../support/client.ts'
import type { TestOrganization } from '../support/organization.ts'
import { allBut, useApi } from './support/given.ts'
import { aPerson, erase, person } from './support/persons.ts'
import { aRecord, type Kind, partOf } from './support/requests.ts'

const given = useApi({ ownDatabase: true })
const name = 'Xantippe Zwetschkenbaum'

async function previewOf(client: Client, { id }: JsonObject) {
  const { status, data, meta } = await client.get(`/contacts/${id}/delete/preview`)
  expect(status).toBe(200)
  return { data, meta, mentions: Array.isArray(data.mentions) ? data.mentions.filter(isObject) : [] }
}

async function mentionsOf(organization: TestOrganization, contact: JsonObject) {
  return (await previewOf(organization.client, contact)).mentions
}

const byId = (mentions: readonly JsonObject[]) =>
  mentions.toSorted((one, other) => (`${one.id} ${one.field}` < `${other.id} ${other.field}` ? -1 : 1))

/** Everything that can be written about a person without a link, each place once. */
async function writtenEverywhere(organization: TestOrganization, text: string) {
  const { client, id } = organization
  await given.configure(
    organization,
    `insert into custom_field_definitions (organization_id, kind, key, label, type, position, created_at)
     values ($1, 'deal', 'hint', 'Hint', 'text', 0, now())`,
    [id],
  )
  const expected: JsonObject[] = []
  const expecting = (resourceType: string, record: JsonObject, within: JsonObject | null, ...fields: string[]) =>
    expected.push(...fields.map(field => ({ resourceType, id: record.id, field, within })))
  const record = async (kind: Kind, members: JsonObject) => {
    const made = await aRecord(kind, organization, members)
    expecting(kind, made, null, ...Object.keys(members))
    return made
  }
  const company = await record('company', { name: text, legalName: text, industry: text, description: text })
  await record('contact', { jobTitle: text, description: text, source: text })
  const deal = await record('deal', { title: text, description: text, customFields: { hint: text } })
  const task = await record('task', { title: text, description: text })
  const part = async (resourceType: string, path: string, within: JsonObject, members: JsonObject) => {
    const { data } = await client.post(path, members)
    expecting(resourceType, data, within, ...Object.keys(members).filter(field => members[field] === text))
    return data
  }
  const inCompany = { resourceType: 'company', id: company.id }
  await part('company_activity', `/companies/${company.id}/activities`, inCompany, { type: 'note', subject: text })
  const neighbour = await aRecord('contact', organization)
  const inNeighbour = { resourceType: 'contact', id: neighbour.id }
  await part('contact_activity', `/contacts/${neighbour.id}/activities`, inNeighbour, { type: 'note', body: text })
  const inDeal = { resourceType: 'deal', id: deal.id }
  const activity = { type: 'note', subject: text, body: text, outcome: text }
  await part('deal_activity', `/deals/${deal.id}/activities`, inDeal, activity)
  await part('deal_item', `/deals/${deal.id}/items`, inDeal, { name: text, quantity: '1', price: '1' })
  const inTask = { resourceType: 'task', id: task.id }
  const checklist = await part('checklist', `/tasks/${task.id}/checklists`, inTask, { title: text })
  await part('checklist_item', `/tasks/${task.id}/checklists/${checklist.id}/items`, inTask, { text })
  const other = await aRecord('contact', organization)
  const links = { expectedVersion: 2, contacts: [{ id: other.id, role: text }] }
  await client.put(`/companies/${company.id}/contacts`, links)
  expecting('company_contact', other, { resourceType: 'company', id: company.id }, 'role')
  return expected
}

describe('the mentions of a person in the delete preview', () => {
  it('name every free text that holds the name: where it stands, and in which record', async () => {
    const organization = await given.organization()
    const contact = await aPerson(organization)
    const expected = await writtenEverywhere(organization, `Ask ${name} first`)
    const { data, meta, mentions } = await previewOf(organization.client, contact)
    expect(byId(mentions)).toEqual(byId(expected))
    expect([data.mentionsCount, data.mentionsTruncated, meta]).toEqual([11, false, {}])
    const searched = ['contact', 'company', 'deal', 'task'].concat(
      ...[
        'contact_activity',
        'company_contact',
        'company_activity',
        'deal_activity',
        'deal_item',
        'checklist',
        'checklist_item',
      ],
    )
    expect(data.mentionsSearched).toEqual(searched.map(resourceType => ({ resourceType, complete: true })))
  })

  it('are absent where no text holds the name: the values that the erasure reaches are not listed', async () => {
    const organization = await given.organization()
    const contact = await aPerson(organization, { description: `${name} likes to be called Xanti` })
    const company = await aRecord('company', organization)
    const contacts = [{ id: contact.id, role: `As ${name} wishes` }]
    await organization.client.put(`/companies/${company.id}/contacts`, { expectedVersion: 1, contacts })
    await organization.client.post(`/contacts/${contact.id}/activities`, { type: 'note', subject: `Called ${name}` })
    await aRecord('contact', await given.organization(), { description: name })
    const { data, mentions } = await previewOf(organization.client, contact)
    expect([mentions, data.mentionsCount, data.mentionsTruncated]).toEqual([[], 0, false])
  })

  it('stay when the person is erased: nothing is written about anybody else', async () => {
    const organization = await given.organization()
    const contact = await aPerson(organization)
    const { id } = await aRecord('company', organization, { description: name })
    await erase(organization, contact.id, 'full')
    expect((await organization.client.get(`/companies/${id}`)).data.description).toBe(name)
  })

  it.each([
    ['first and last name', 'told Xantippe Zwetschkenbaum so'],
    ['last and first name, in any case', 'ZWETSCHKENBAUM xantippe'],
    ['all three names', 'Xantippe Yolanda Zwetschkenbaum'],
    ['an e-mail, in any case', '<Xantippe@Barometer.example>'],
    ['a phone as it was typed', 'call +1 202 555 0187 again'],
    ['the digits of a phone', 'tel:12025550187'],
  ])('are found by %s', async (_, description) => {
    const organization = await given.organization()
    const contact = await aPerson(organization)
    const { id } = await aRecord('task', organization, { description })
    const mention = { resourceType: 'task', id, field: 'description', within: null }
    expect(await mentionsOf(organization, contact)).toEqual([mention])
  })

  it.each([
    ['one of two names', 'Mr. Zwetschkenbaum, or was it Xantippe'],
    ['another phone', 'call +1 202 555 0188'],
  ])('are not found by %s', async (_, description) => {
    const organization = await given.organization()
    const contact = await aPerson(organization)
    await aRecord('task', organization, { description })
    expect(await mentionsOf(organization, contact)).toEqual([])
  })

  it.each([
    ['the one name that there is', { firstName: null, lastName: 'Ana' }, 'call Ana', 1],
    ['not a name of two letters', { firstName: 'Li', lastName: null }, 'call Li', 0],
    ['quotes and umlauts', { firstName: 'Jo"e', lastName: 'Öz' }, 'JO"E ÖZ', 1],
    ['signs as they are', { firstName: null, lastName: 'A.(?|$)*' }, 'call a.(?|$)*', 1],
    ['not what signs might match', { firstName: null, lastName: 'A.*' }, 'call Anna', 0],
  ])('look for names literally: %s', async (_, names, title, count) => {
    const organization = await given.organization()
    const contact = await aPerson(organization, { middleName: null, ...names })
    await aRecord('task', organization, { title })
    expect(await mentionsOf(organization, contact)).toHaveLength(count)
  })

  it('do not stand in the name of another person', async () => {
    const organization = await given.organization()
    const only = { firstName: 'Xantippe', middleName: null, lastName: null }
    const contact = await aPerson(organization, only)
    await aPerson(organization, only)
    expect(await mentionsOf(organization, contact)).toEqual([])
  })
})

describe('the mentions of a person', () => {
  it.each<[Scope, string]>([
    ['crm_companies_read', 'company'],
    ['crm_deals_read', 'deal'],
    ['crm_tasks_read', 'task'],
  ])('are not looked for without %s', async (scope, hidden) => {
    const organization = await given.organization()
    const contact = await aPerson(organization)
    const expected = await writtenEverywhere(organization, name)
    const { mentions } = await previewOf(await organization.token(allBut(scope)), contact)
    const seen = ({ resourceType, within }: JsonObject) =>
      resourceType !== hidden && !(isObject(within) && within.resourceType === hidden)
    expect(byId(mentions)).toEqual(byId(expected.filter(seen)))
  })

  it('stand in no items without the amounts, and in no custom fields without theirs, and the answer says so', async () => {
    const organization = await given.organization()
    const contact = await aPerson(organization)
    const expected = await writtenEverywhere(organization, name)
    const token = await organization.token(allBut('crm_amounts_read', 'crm_custom_fields_read'))
    const { data, meta, mentions } = await previewOf(token, contact)
    const hidden = ({ resourceType, field }: JsonObject) => resourceType === 'deal_item' || field === 'customFields'
    expect(byId(mentions)).toEqual(byId(expected.filter(mention => !hidden(mention))))
    expect([data.mentionsCount, meta]).toEqual([10, { redacted: ['custom_fields', 'amounts'] }])
  })

  it('are not looked for by e-mail and phone without crm_contact_data_read: that would confirm them', async () => {
    const organization = await given.organization()
    const contact = await aPerson(organization)
    const [email] = person.contactData.emails
    await aRecord('task', organization, { title: `${email?.value}, +1 202 555 0187` })
    const { id } = await aRecord('task', organization, { title: name })
    const { meta, mentions } = await previewOf(await organization.token(allBut('crm_contact_data_read')), contact)
    expect(mentions.map(mention => mention.id)).toEqual([id])
    expect(meta).toEqual({ redacted: ['contact_data'] })
  })

  it('are not part of the preview of a company, where nobody is erased', async () => {
    const organization = await given.organization()
    const { id } = await aRecord('company', organization)
    const { data } = await organization.client.get(`/companies/${id}/delete/preview`)
    expect(Object.keys(data).filter(member => member.startsWith('mentions'))).toEqual([])
  })
})

interface Numbered {
  readonly from: number
  readonly to: number
  readonly subject: string
  /** SQL. */
  readonly body?: string
}

/** Activities of a deal that are newer than those with lower numbers, and than all that are there. */
const addActivities = ({ id }: TestOrganization, deal: unknown, { from, to, subject, body = 'null' }: Numbered) =>
  given.sql(
    `insert into deal_activities (organization_id, id, version, created_at, updated_at, deal_id, type, occurred_at, subject, body)
     select $1, ('ffffffff-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 1, now(), now(), $2, 'note', now(), $3, ${body}
       from generate_series($4::integer, $5::integer) n`,
    [id, deal, subject, from, to],
  )

/** A person whom the oldest activity of a deal mentions, and what the preview tells of that. */
async function aMentionedPerson(organization: TestOrganization) {
  const contact = await aPerson(organization)
  const { deal } = await partOf(organization, 'activities', { subject: name })
  const told = async () => {
    const { data, mentions } = await previewOf(organization.client, contact)
    const searched = Array.isArray(data.mentionsSearched) ? data.mentionsSearched.filter(isObject) : []
    const activities = searched.find(({ resourceType }) => resourceType === 'deal_activity')
    return { count: data.mentionsCount, truncated: data.mentionsTruncated, complete: activities?.complete, mentions }
  }
  return { deal: deal.id, told }
}

describe('many records', () => {
  it('that mention the person are counted, and the newest hundred mentions listed', async () => {
    const organization = await given.organization()
    const { deal, told } = await aMentionedPerson(organization)
    await addActivities(organization, deal, { from: 1, to: 120, subject: name })
    const { count, truncated, complete, mentions } = await told()
    expect([count, truncated, complete, mentions.length]).toEqual([121, true, true, 100])
    expect(mentions[0]?.id).toBe('ffffffff-0000-7000-8000-000000000120')
    expect(mentions.at(-1)?.id).toBe('ffffffff-0000-7000-8000-000000000021')
  })

  it('of a kind are examined up to the newest ten thousand, and the answer says where there are more', async () => {
    const organization = await given.organization()
    const { deal, told } = await aMentionedPerson(organization)
    await addActivities(organization, deal, { from: 1, to: 9999, subject: 'Chairs' })
    expect(await told()).toMatchObject({ count: 1, truncated: false, complete: true })
    await addActivities(organization, deal, { from: 10_000, to: 10_000, subject: 'Chairs' })
    expect(await told()).toEqual({ count: 0, truncated: true, complete: false, mentions: [] })
  })

  it('that the database has no time to examine are reported as not examined, and the preview is answered', async () => {
    const organization = await given.organization()
    const { told } = await aMentionedPerson(organization)
    const { database } = given.api.services
    const search = database.search.bind(database)
    let asked = 0
    database.search = async () => {
      asked += 1
      throw Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' })
    }
    const answer = await told().finally(() => {
      database.search = search
    })
    expect(answer).toEqual({ count: 0, truncated: true, complete: false, mentions: [] })
    // It is not asked again for each further kind.
    expect(asked).toBe(1)
  })

  it('with long texts are examined up to ten megabytes of a kind', async () => {
    const organization = await given.organization()
    const { deal, told } = await aMentionedPerson(organization)
    await addActivities(organization, deal, { from: 1, to: 500, subject: 'Chairs', body: `repeat('x', 20000)` })
    expect(await told()).toMatchObject({ count: 1, truncated: false, complete: true })
    await addActivities(organization, deal, { from: 501, to: 550, subject: 'Chairs', body: `repeat('x', 20000)` })
    expect(await told()).toEqual({ count: 0, truncated: true, complete: false, mentions: [] })
  })
})
