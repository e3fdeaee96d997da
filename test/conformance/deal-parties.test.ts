import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { objectOf } from '../support/client.ts'
import type { TestOrganization } from '../support/organization.ts'
import { factsOf } from './support/facts.ts'
import { useApi } from './support/given.ts'
import { aBody, aRecord, issuePaths, outcome, unknownId } from './support/requests.ts'

const given = useApi()

const sides = [
  ['companies', 'company', 'companyIds', 'companyId'],
  ['contacts', 'contact', 'contactIds', 'contactId'],
] as const

async function ids(kind: 'company' | 'contact', organization: TestOrganization, count: number): Promise<string[]> {
  const made: string[] = []
  while (made.length < count) made.push(String((await aRecord(kind, organization)).id))
  return made
}

const references = (wanted: readonly (string | undefined)[]) => wanted.map(id => ({ id }))

describe.each(sides)('%s of a deal', (field, kind, idsMember, idMember) => {
  const other = field === 'companies' ? 'contacts' : 'companies'
  // Only a person can be anonymized; of each the link says whether.
  const mark = kind === 'contact' ? { anonymized: false } : {}

  const shown = (wanted: readonly (string | undefined)[]) => ({
    [idsMember]: wanted,
    [field]: wanted.map((id, index) => ({ [idMember]: id, isPrimary: index === 0, ...mark })),
  })

  /** A deal with two parties on this side and one on the other. */
  async function aDealWithTwo() {
    const organization = await given.shared()
    const own = await ids(kind, organization, 3)
    const [otherId] = await ids(kind === 'company' ? 'contact' : 'company', organization, 1)
    const members = { [field]: references(own.slice(0, 2)), [other]: references([otherId]) }
    const deal = await aRecord('deal', organization, members)
    const patch = (body: JsonObject) => organization.client.patch(`/deals/${deal.id}`, { expectedVersion: 1, ...body })
    return { organization, deal, own, patch }
  }

  it('are shown in order, the first as primary', async () => {
    const { deal, own } = await aDealWithTwo()
    const { [idsMember]: listed, [field]: links } = deal
    expect({ [idsMember]: listed, [field]: links }).toEqual(shown(own.slice(0, 2)))
    expect(deal).not.toHaveProperty(idMember)
  })

  it('are addressed by id or by key of the application', async () => {
    const organization = await given.shared()
    const one = await aRecord(kind, organization)
    const two = await aRecord(kind, organization)
    const deal = await aRecord('deal', organization, {
      [field]: [{ externalId: two.externalId }, { id: String(one.id).toUpperCase() }],
    })
    expect(deal).toMatchObject(shown([String(two.id), String(one.id)]))
  })

  it('stay when PATCH does not name them', async () => {
    const { own, patch } = await aDealWithTwo()
    expect((await patch({ title: 'Other' })).data).toMatchObject(shown(own.slice(0, 2)))
  })

  it.each([[null], [[]]])('are cleared by %j', async empty => {
    const { patch } = await aDealWithTwo()
    const { status, data } = await patch({ [field]: empty })
    expect([status, data.version]).toEqual([200, 2])
    expect(data).toMatchObject(shown([]))
  })

  it('are replaced whole, the new first one is primary', async () => {
    const { organization, deal, own, patch } = await aDealWithTwo()
    const [first, second, third] = own
    const { data } = await patch({ [field]: references([third, first]) })
    expect(data).toMatchObject(shown([third, first]))
    expect((await organization.client.get(`/deals/${deal.id}`)).data).toEqual(data)
    expect(second).toBeDefined()
  })

  it('in a new order change the primary one and raise the version', async () => {
    const { organization, deal, own, patch } = await aDealWithTwo()
    const [first, second] = own
    const { events } = await factsOf(given, organization, async () => {
      const { data } = await patch({ [field]: references([second, first]) })
      expect(data).toMatchObject({ version: 2, ...shown([second, first]) })
    })
    expect(events).toMatchObject([{ kind: 'deal.updated', changedFields: [field], resourceId: deal.id }])
  })

  it('in the same order are a no-op, addressed by key or id', async () => {
    const { organization, deal, own, patch } = await aDealWithTwo()
    const { data } = await organization.client.get(`/${field}/${own[1]}`)
    const same = [{ id: own[0] }, { externalId: data.externalId }]
    expect((await patch({ [field]: same })).data).toEqual(deal)
  })

  it('keep their own versions', async () => {
    const { organization, own, patch } = await aDealWithTwo()
    await patch({ [field]: references([own[2]]) })
    for (const id of own) expect((await organization.client.get(`/${field}/${id}`)).data.version).toBe(1)
  })

  it('twice by the same literal are refused: 400, also in capitals', async () => {
    const { own, patch } = await aDealWithTwo()
    const [first = ''] = own
    for (const twice of [
      [first, first],
      [first.toUpperCase(), first],
    ]) {
      const answer = await patch({ [field]: references(twice) })
      expect([outcome(answer), issuePaths(answer)]).toEqual(['400 validation_error', [`/${field}/1`]])
    }
    const answer = await patch({ [field]: [{ externalId: 'a' }, { id: first }, { externalId: 'a' }] })
    expect([outcome(answer), issuePaths(answer)]).toEqual(['400 validation_error', [`/${field}/2`]])
  })

  it('twice by id and key of one record are refused: 422', async () => {
    const { organization, own, patch } = await aDealWithTwo()
    const { data } = await organization.client.get(`/${field}/${own[2]}`)
    const answer = await patch({ [field]: [{ id: own[2] }, { externalId: data.externalId }] })
    expect([outcome(answer), issuePaths(answer)]).toEqual(['422 validation_error', [`/${field}/1`]])
  })

  it('are at most 50: 51 are refused', async () => {
    const organization = await given.shared()
    const items = Array.from({ length: 50 }, (_, index) => ({ externalId: `many-${field}-${index}`, lastName: 'P' }))
    const batch = () => organization.client.post('/contacts/batch/upsert', { items })
    const many =
      kind === 'contact'
        ? (await batch()).items.map(({ data }) => objectOf(data))
        : await Promise.all(items.map(() => aRecord('company', organization)))
    const all = many.map(({ id }) => ({ id }))
    const deal = await aRecord('deal', organization, { [field]: all })
    expect(deal[idsMember]).toHaveLength(50)
    const answer = await organization.client.post('/deals', {
      title: 'x',
      [field]: [...all, { id: unknownId }],
    })
    expect([outcome(answer), issuePaths(answer)]).toEqual(['400 validation_error', [`/${field}`]])
  })

  it('that do not exist are 404, naming the place of the first in the order of the document', async () => {
    const { patch, own } = await aDealWithTwo()
    const answer = await patch({ [field]: [{ id: own[0] }, { externalId: 'nobody' }, { id: unknownId }] })
    expect([outcome(answer), answer.details]).toEqual(['404 not_found', { path: `/${field}/1` }])
  })

  it('refuse values that are no list of references', async () => {
    const { patch, own } = await aDealWithTwo()
    for (const wrong of [{ id: own[0] }, own[0], [own[0]], [null], 1]) {
      expect(outcome(await patch({ [field]: wrong }))).toBe('400 validation_error')
    }
  })
})

describe('the link to an anonymized contact', () => {
  async function aDealWithAnonymized() {
    const organization = await given.shared()
    const { client } = organization
    const [gone, stays] = await ids('contact', organization, 2)
    const deal = await aRecord('deal', organization, { contacts: references([gone, stays]) })
    await client.delete(`/contacts/${gone}?expectedVersion=1`)
    const contacts = [
      { contactId: gone, isPrimary: true, anonymized: true },
      { contactId: stays, isPrimary: false, anonymized: false },
    ]
    return { organization, client, deal, stays, marked: { contactIds: [gone, stays], contacts } }
  }

  it('says so wherever the deal is read, and the deal keeps its version', async () => {
    const { client, deal, marked } = await aDealWithAnonymized()
    const expected = { ...deal, ...marked }
    expect((await client.get(`/deals/${deal.id}`)).data).toEqual(expected)
    expect((await client.get(`/deals?externalId=${deal.externalId}`)).items).toEqual([expected])
    const batch = await client.post('/deals/batch/get', { items: [{ id: deal.id }] })
    expect(objectOf(batch.items[0]?.data)).toEqual(expected)
  })

  it('says so in the answers to writes', async () => {
    const { client, deal, marked } = await aDealWithAnonymized()
    const updated = await client.patch(`/deals/${deal.id}`, { expectedVersion: 1, title: 'Other' })
    expect(updated.data).toMatchObject({ version: 2, ...marked })
    const upserted = await client.post('/deals/upsert', { externalId: deal.externalId, expectedVersion: 2 })
    expect(upserted.data).toEqual(updated.data)
  })

  it('may stay in a PATCH, in any order and beside a new one', async () => {
    const { client, organization, deal, stays, marked } = await aDealWithAnonymized()
    const [gone] = marked.contactIds
    const path = `/deals/${deal.id}`
    const same = await client.patch(path, { expectedVersion: 1, contacts: references([gone, stays]) })
    expect([same.status, same.data]).toEqual([200, { ...deal, ...marked }])
    const [added] = await ids('contact', organization, 1)
    const { data } = await client.patch(path, { expectedVersion: 1, contacts: references([added, stays, gone]) })
    expect([data.version, data.contacts]).toEqual([
      2,
      [
        { contactId: added, isPrimary: true, anonymized: false },
        { contactId: stays, isPrimary: false, anonymized: false },
        { contactId: gone, isPrimary: false, anonymized: true },
      ],
    ])
    expect((await client.get(path)).data).toEqual(data)
  })

  it('may stay in the update of an upsert, alone or in a batch, and does not hide a missing version', async () => {
    const { client, deal, marked } = await aDealWithAnonymized()
    const body = { externalId: deal.externalId, contacts: references(marked.contactIds), expectedVersion: 1 }
    expect((await client.post('/deals/upsert', body)).data).toEqual({ ...deal, ...marked })
    const { items } = await client.post('/deals/batch/upsert', { items: [body] })
    expect(items).toEqual([{ index: 0, status: 200, data: { ...deal, ...marked } }])
    const { expectedVersion: _, ...unversioned } = body
    expect(outcome(await client.post('/deals/upsert', unversioned))).toBe('428 precondition_required')
  })

  it('cannot be made anew, in another deal or once it was taken away: 410', async () => {
    const { client, organization, deal, stays, marked } = await aDealWithAnonymized()
    const contacts = references(marked.contactIds)
    const created = await client.post('/deals', { title: 'Other', contacts })
    const other = await aRecord('deal', organization)
    const patched = await client.patch(`/deals/${other.id}`, { expectedVersion: 1, contacts })
    await client.patch(`/deals/${deal.id}`, { expectedVersion: 1, contacts: references([stays]) })
    const again = await client.patch(`/deals/${deal.id}`, { expectedVersion: 2, contacts })
    for (const answer of [created, patched, again]) {
      expect([outcome(answer), answer.details]).toEqual(['410 resource_deleted', { path: '/contacts/0' }])
    }
  })

  it('cannot be named by the key, which is gone with the person: 410', async () => {
    const organization = await given.shared()
    const contact = await aRecord('contact', organization)
    const deal = await aRecord('deal', organization, { contacts: references([String(contact.id)]) })
    await organization.client.delete(`/contacts/${contact.id}?expectedVersion=1`)
    const body = { expectedVersion: 1, contacts: [{ externalId: contact.externalId }] }
    const answer = await organization.client.patch(`/deals/${deal.id}`, body)
    expect(outcome(answer)).toBe('410 resource_deleted')
  })

  it('can be taken away, and leaves no mark on the others', async () => {
    const { client, deal, stays } = await aDealWithAnonymized()
    const body = { expectedVersion: 1, contacts: references([stays]) }
    const { data } = await client.patch(`/deals/${deal.id}`, body)
    expect(data.contacts).toEqual([{ contactId: stays, isPrimary: true, anonymized: false }])
    expect((await client.get(`/deals/${deal.id}`)).data.contacts).toEqual(data.contacts)
  })
})

describe('an ordinary deal', () => {
  const partyRequired = (answer: { details: JsonObject }) => answer.details.reason

  it('needs a company or contact on create and upsert: 422', async () => {
    const { client } = await given.shared()
    for (const parties of [{}, { companies: [] }, { companies: null, contacts: [] }]) {
      for (const path of ['/deals', '/deals/upsert']) {
        const answer = await client.post(path, { externalId: 'without-party', title: 'x', ...parties })
        expect([outcome(answer), partyRequired(answer)]).toEqual(['422 validation_error', 'deal_party_required'])
      }
    }
  })

  it('is held to it after a change, by the final state and not field by field', async () => {
    const organization = await given.shared()
    const { client } = organization
    const [company] = await ids('company', organization, 1)
    const [contact] = await ids('contact', organization, 1)
    const { id } = await aRecord('deal', organization, { companies: references([company]) })
    const patch = (expectedVersion: number, body: JsonObject) =>
      client.patch(`/deals/${id}`, { expectedVersion, ...body })
    for (const none of [{ companies: null }, { companies: [] }, { companies: [], contacts: null }]) {
      expect(outcome(await patch(1, none))).toBe('422 validation_error')
    }
    const swapped = await patch(1, { companies: [], contacts: references([contact]) })
    expect([swapped.status, swapped.data.companyIds, swapped.data.contactIds]).toEqual([200, [], [contact]])
    expect(outcome(await patch(2, { contacts: null }))).toBe('422 validation_error')
    expect((await patch(2, { contacts: null, companies: references([company]) })).status).toBe(200)
  })

  it('is held to it in both branches of an upsert and in a batch', async () => {
    const organization = await given.shared()
    const { externalId } = await aRecord('deal', organization)
    const body = { externalId, expectedVersion: 1, companies: [] }
    expect(outcome(await organization.client.post('/deals/upsert', body))).toBe('422 validation_error')
    const { items } = await organization.client.post('/deals/batch/upsert', { items: [body] })
    expect(items[0]?.status).toBe(422)
  })

  it('may stand for an anonymized contact alone', async () => {
    const organization = await given.shared()
    const { client } = organization
    const [contact] = await ids('contact', organization, 1)
    const [company] = await ids('company', organization, 1)
    const members = { contacts: references([contact]), companies: references([company]) }
    const { id } = await aRecord('deal', organization, members)
    await client.delete(`/contacts/${contact}?expectedVersion=1`)
    const { status, data } = await client.patch(`/deals/${id}`, { expectedVersion: 1, companies: [] })
    expect([status, data.contactIds]).toEqual([200, [contact]])
  })
})

describe('an unsorted deal of a channel', () => {
  it('needs no party', async () => {
    const organization = await given.shared()
    const { id } = await aRecord('deal', organization)
    await given.sql(`update deals set kind = 'unsorted' where id = $1`, [id])
    const answer = await organization.client.patch(`/deals/${id}`, { expectedVersion: 1, companies: [] })
    expect([answer.status, answer.data.kind, answer.data.companyIds]).toEqual([200, 'unsorted', []])
  })
})

describe('a deal', () => {
  it('created through the API is ordinary, open and on top of the first stage of the default pipeline', async () => {
    const organization = await given.shared()
    const before = await aRecord('deal', organization)
    const { data } = await organization.client.post('/deals', await aBody('deal', organization))
    expect(data).toMatchObject({
      kind: 'ordinary',
      status: 'open',
      stageUuid: organization.stages.first,
      pipelineId: organization.pipelineId,
      stageChangedAt: data.createdAt,
      closedAt: null,
      lostReasonCategoryUuid: null,
      lostReasonComment: null,
      itemsCount: 0,
      activitiesCount: 0,
      filesCount: 0,
      itemsTotal: '0.00',
    })
    expect(String(data.rank) < String(before.rank)).toBe(true)
  })
})
