import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { aPair, commitMerge, mergedKinds } from '../conformance/support/merges.ts'
import { aRecord, outcome, plurals } from '../conformance/support/requests.ts'
import { startApi, type TestApi } from '../support/api.ts'
import { aDeal } from '../support/builders.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'

const rounds = Array.from({ length: 8 }, (_, round) => round)

describe.each(mergedKinds)('merges of %s records at the same time', kind => {
  let api: TestApi
  let organization: TestOrganization
  beforeAll(async () => {
    api = await startApi({ connections: 12 })
    organization = await anOrganization(api)
  })
  afterAll(async () => {
    await api.close()
    expect(api.failures).toEqual([])
  })

  const plural = plurals[kind]
  const member = (...records: readonly JsonObject[]) => ({ [plural]: records.map(({ id }) => ({ id })) })
  const merge = (pair: readonly JsonObject[]) => commitMerge(organization.client, kind, pair)
  const partiesOf = async (id: unknown) => (await organization.client.get(`/deals/${id}`)).data[`${kind}Ids`]

  it('of A into B and of B into A: one is done, the other finds one of them gone', async () => {
    for (const _ of rounds) {
      const [one, other] = await aPair(kind, organization)
      const answers = await Promise.all([merge([one, other]), merge([other, one])])
      const done = answers.filter(({ status }) => status === 200)
      const refused = answers.filter(({ status }) => status !== 200)
      expect([done.length, refused.length]).toEqual([1, 1])
      expect(['404 not_found', '409 version_conflict']).toContain(outcome(refused[0] ?? answers[0]))
      const left = await Promise.all([one, other].map(({ id }) => organization.client.get(`/${plural}/${id}`)))
      expect(left.map(({ status }) => status).toSorted()).toEqual([200, 404])
    }
  })

  it('of one record into many: one is done', async () => {
    const [secondary] = await aPair(kind, organization)
    const primaries = await Promise.all(rounds.map(() => aRecord(kind, organization, { externalId: null })))
    const answers = await Promise.all(primaries.map(primary => merge([primary, secondary])))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const answer of answers) if (answer.status !== 200) expect(outcome(answer)).toBe('404 not_found')
  })

  it('of a chain leave one record, to which all their deals refer', async () => {
    const [a, b] = await aPair(kind, organization)
    const [c, d] = await aPair(kind, organization)
    const deals = await Promise.all([a, b, c, d].map(record => aRecord('deal', organization, member(record))))
    const answers = await Promise.all([merge([a, b]), merge([b, c]), merge([c, d])])
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0)
    for (const { id } of deals) {
      const parties = await partiesOf(id)
      expect(parties).toHaveLength(1)
      const [party] = Array.isArray(parties) ? parties : []
      expect((await organization.client.get(`/${plural}/${party}`)).status).toBe(200)
    }
  })

  it('and a new deal of the secondary: it leads to the primary, or was refused', async () => {
    for (const _ of rounds) {
      const [primary, secondary] = await aPair(kind, organization)
      const [merged, created] = await Promise.all([
        merge([primary, secondary]),
        organization.client.post('/deals', aDeal(member(secondary))),
      ])
      expect(merged.status).toBe(200)
      if (created.status === 201) expect(await partiesOf(created.data.id)).toEqual([primary.id])
      else expect(outcome(created)).toBe('404 not_found')
    }
  })

  it('and a deal that comes to name the secondary, or no longer does: nothing is doubled, nothing left behind', async () => {
    for (const round of rounds) {
      const [primary, secondary] = await aPair(kind, organization)
      const other = await aRecord(kind, organization)
      const names = round % 2 === 0
      const deal = await aRecord('deal', organization, names ? member(other, primary) : member(other, secondary))
      const next = names ? member(secondary, primary, other) : member(other)
      const [merged, patched] = await Promise.all([
        merge([primary, secondary]),
        organization.client.patch(`/deals/${deal.id}`, { expectedVersion: 1, ...next }),
      ])
      expect(merged.status).toBe(200)
      expect(['200', '404 not_found', '409 version_conflict']).toContain(outcome(patched))
      const parties = await partiesOf(deal.id)
      const ids = Array.isArray(parties) ? parties : []
      expect(ids).not.toContain(secondary.id)
      expect(new Set(ids).size).toBe(ids.length)
    }
  })

  it('and a change of either: the merge is done, or named another version', async () => {
    for (const round of rounds) {
      const pair = await aPair(kind, organization)
      const changed = pair[round % 2] ?? {}
      const [merged, patched] = await Promise.all([
        merge(pair),
        organization.client.patch(`/${plural}/${changed.id}`, { expectedVersion: 1, source: 'web' }),
      ])
      const outcomes = `${outcome(merged)} + ${outcome(patched)}`
      const gone = round % 2 === 0 ? '409 version_conflict' : '404 not_found'
      expect([`200 + ${gone}`, '409 version_conflict + 200']).toContain(outcomes)
    }
  })

  it('and an upsert by the key of the secondary: the record is never made twice', async () => {
    for (const round of rounds) {
      const externalId = `race-${kind}-${round}`
      const pair = await aPair(kind, organization, {}, { externalId })
      const [merged, upserted] = await Promise.all([
        merge(pair),
        organization.client.post(`/${plural}/upsert`, { externalId, expectedVersion: 1, source: 'web' }),
      ])
      expect(['200', '409 version_conflict']).toContain(outcome(merged))
      expect(['200', '409 version_conflict']).toContain(outcome(upserted))
      const { items } = await organization.client.get(`/${plural}?externalId=${externalId}`)
      expect(items).toHaveLength(1)
    }
  })

  it('and a task, an activity and a link that come to name the secondary: they name the primary, or were refused', async () => {
    for (const _ of rounds) {
      const [primary, secondary] = await aPair(kind, organization)
      const { client } = organization
      const deal = await aRecord('deal', organization)
      const company = await aRecord('company', organization)
      const reference = { id: secondary.id }
      const [merged, ...named] = await Promise.all([
        merge([primary, secondary]),
        client.post('/tasks', { title: 'Call', [kind]: reference }),
        ...(kind === 'contact'
          ? [
              client.post(`/deals/${deal.id}/activities`, { type: 'note', subject: 'x', contact: reference }),
              client.put(`/companies/${company.id}/contacts`, { expectedVersion: 1, contacts: [reference] }),
            ]
          : []),
      ])
      expect(merged.status).toBe(200)
      for (const answer of named) expect(['200', '201', '404 not_found']).toContain(outcome(answer))
      const found = [
        ...(await client.get('/tasks?limit=1')).items.map(task => [task[`${kind}Id`], named[0]?.status === 201]),
        ...(await client.get(`/deals/${deal.id}/activities`)).items.map(each => [each.contactId, true]),
        ...(await client.get(`/companies/${company.id}/contacts`)).items.map(each => [each.contactId, true]),
      ]
      for (const [id, isNew] of found) if (isNew) expect(id).toBe(primary.id)
    }
  })

  it('and a new set of contacts of a company: no contact is linked twice, none that is gone', async () => {
    for (const round of rounds) {
      const { client } = organization
      const pair = await aPair(kind, organization)
      const [one, other] = await aPair('contact', organization)
      const company = kind === 'company' ? pair[round % 2] : await aRecord('company', organization)
      const linked = kind === 'company' ? [one, other] : [other, ...pair]
      const contacts = linked.map(({ id }) => ({ id }))
      const path = `/companies/${company?.id}/contacts`
      if (round % 3 !== 0) await client.put(path, { expectedVersion: 1, contacts })
      const version = round % 3 === 0 ? 1 : 2
      const versions =
        kind === 'contact' || round % 3 === 0
          ? {}
          : round % 2 === 0
            ? { expectedPrimaryVersion: 2 }
            : { expectedSecondaryVersion: 2 }
      const answers = await Promise.all([
        commitMerge(client, kind, pair, versions),
        client.put(path, { expectedVersion: version, contacts: contacts.toReversed() }),
      ])
      for (const answer of answers) expect(['200', '404 not_found', '409 version_conflict']).toContain(outcome(answer))
      const kept = kind === 'company' ? pair[0] : company
      const { items } = await client.get(`/companies/${kept?.id}/contacts`)
      const ids = items.map(({ contactId }) => contactId)
      expect(new Set(ids).size).toBe(ids.length)
      for (const id of ids) expect((await client.get(`/contacts/${id}`)).status).toBe(200)
    }
  })

  it('and a removal of either: neither restores a record that the other took away', async () => {
    for (const round of rounds) {
      const pair = await aPair(kind, organization)
      const party = await aRecord(kind, organization)
      const deal = await aRecord('deal', organization, member(party, ...pair))
      const removed = pair[round % 2] ?? {}
      const body = kind === 'contact' ? { mode: 'full' } : {}
      const answers = await Promise.all([
        merge(pair),
        organization.client.post(`/${plural}/${removed.id}/delete/commit`, body),
      ])
      for (const answer of answers) expect(['200', '404 not_found']).toContain(outcome(answer))
      const parties = await partiesOf(deal.id)
      const left = await Promise.all(
        (Array.isArray(parties) ? parties : []).map(id => organization.client.get(`/${plural}/${id}`)),
      )
      expect(left.map(({ status }) => status)).toEqual(left.map(() => 200))
    }
  })
})
