import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { type Answer, type Client, objectOf } from '../support/client.ts'
import { factsOf } from './support/facts.ts'
import { allBut, useApi } from './support/given.ts'
import { aBody, aRecord, batchKinds, inCharge, issuePaths, outcome, plurals, unknownId } from './support/requests.ts'

const given = useApi()

/** Status and code of each element. */
const outcomes = ({ items }: Answer) =>
  items.map(({ status, error }) => (error === undefined ? String(status) : `${status} ${objectOf(error).code}`))

const errorOf = ({ items }: Answer, index: number) => objectOf(items[index]?.error)

describe.each(batchKinds)('batch get of %ss', kind => {
  const path = `/${plurals[kind]}/batch/get`

  it('answers each reference in order, by id or key, duplicates included, each with its own status', async () => {
    const organization = await given.shared()
    const one = await aRecord(kind, organization)
    const other = await aRecord(kind, organization)
    const items = [
      { externalId: other.externalId },
      { id: one.id },
      { id: unknownId },
      { id: String(one.id).toUpperCase() },
      { externalId: 'nobody' },
      { externalId: other.externalId },
    ]
    const { status, body } = await organization.client.post(path, { items }, { key: null })
    expect(status).toBe(200)
    const missing = { code: 'not_found', message: expect.any(String), details: {} }
    expect(body).toEqual({
      data: [
        { index: 0, status: 200, data: other },
        { index: 1, status: 200, data: one },
        { index: 2, status: 404, error: missing },
        { index: 3, status: 200, data: one },
        { index: 4, status: 404, error: missing },
        { index: 5, status: 200, data: other },
      ],
      meta: {},
    })
  })

  it('takes 100 references and refuses 0 and 101 as a whole', async () => {
    const organization = await given.shared()
    const { id } = await aRecord(kind, organization)
    const get = (count: number) =>
      organization.client.post(path, { items: Array.from({ length: count }, () => ({ id })) })
    const whole = await get(100)
    expect([whole.status, whole.items.length]).toEqual([200, 100])
    for (const count of [0, 101]) {
      const answer = await get(count)
      expect([outcome(answer), issuePaths(answer)]).toEqual(['400 validation_error', ['/items']])
    }
    for (const items of [undefined, null, {}, 'x']) {
      expect(outcome(await organization.client.post(path, { items }))).toBe('400 validation_error')
    }
  })

  it('refuses a malformed reference alone, naming its place', async () => {
    const organization = await given.shared()
    const { id, externalId } = await aRecord(kind, organization)
    const items = [{ id: 'x' }, { id, externalId }, {}, null, 'text', { externalId: ' a' }, { id, colour: 1 }, { id }]
    const answer = await organization.client.post(path, { items })
    expect(outcomes(answer)).toEqual([...Array.from({ length: 7 }, () => '400 validation_error'), '200'])
    for (const [index] of items.slice(0, 7).entries()) {
      const { issues } = objectOf(errorOf(answer, index).details)
      expect(JSON.stringify(issues)).toContain(`/items/${index}`)
    }
    expect(answer.body).not.toHaveProperty('error')
    expect(errorOf(answer, 0)).not.toHaveProperty('requestId')
  })

  it('needs the read scope, costs the write bucket and changes nothing', async () => {
    const organization = await given.organization({ rates: 50 })
    const { id } = await aRecord(kind, organization)
    const facts = await factsOf(given, organization, async () => {
      const writes = async () => Number((await organization.client.post(path, {})).headers.get('ratelimit-remaining'))
      const before = await writes()
      await organization.client.post(path, { items: [{ id }] })
      expect(await writes()).toBe(before - 2)
    })
    expect(facts).toEqual({ events: [], audit: [] })
  })
})

describe.each(batchKinds)('batch upsert of %ss', kind => {
  const path = `/${plurals[kind]}/batch/upsert`

  it('decides each element as its single upsert would be, and counts the outcomes', async () => {
    const organization = await given.shared()
    const { client } = organization
    const existing = await aRecord(kind, organization)
    const same = await aRecord(kind, organization)
    const items = [
      await aBody(kind, organization),
      { externalId: existing.externalId, expectedVersion: 1, description: 'new' },
      { externalId: same.externalId, expectedVersion: 1 },
      { externalId: (await aRecord(kind, organization)).externalId },
      { externalId: (await aRecord(kind, organization)).externalId, expectedVersion: 3 },
      { ...(await aBody(kind, organization)), expectedVersion: 1 },
      await aBody(kind, organization, { [inCharge[kind]]: unknownId }),
      await aBody(kind, organization, { colour: 1 }),
      await aBody(kind, organization, { externalId: null }),
      'text',
    ]
    const answer = await client.post(path, { items })
    expect(outcomes(answer)).toEqual([
      '201',
      '200',
      '200',
      '428 precondition_required',
      '409 version_conflict',
      '409 version_conflict',
      '422 validation_error',
      '400 validation_error',
      '400 validation_error',
      '400 validation_error',
    ])
    expect(answer.items.map(({ index }) => index)).toEqual(items.map((_, index) => index))
    expect(answer.meta).toEqual({ created: 1, updated: 1, unchanged: 1, failed: 7 })
    expect(objectOf(answer.items[1]?.data)).toMatchObject({ id: existing.id, version: 2, description: 'new' })
    expect(objectOf(answer.items[2]?.data)).toEqual(same)
    expect(errorOf(answer, 4).details).toEqual({ currentVersion: 1 })
    expect(errorOf(answer, 5).details).toEqual({ currentVersion: null })
    for (const index of [6, 7, 8, 9]) {
      expect(JSON.stringify(errorOf(answer, index).details)).toContain(`"/items/${index}`)
      expect(errorOf(answer, index)).not.toHaveProperty('requestId')
    }
    const { id } = objectOf(answer.items[0]?.data)
    expect((await client.get(`/${plurals[kind]}/${id}`)).data).toEqual(answer.items[0]?.data)
  })

  it('writes nothing of a refused element, and one event and audit entry for each other, in one transaction', async () => {
    const organization = await given.shared()
    const { client } = organization
    const stale = await aRecord(kind, organization)
    const unchanged = await aRecord(kind, organization)
    const items = [
      await aBody(kind, organization),
      { externalId: stale.externalId, expectedVersion: 9, description: 'lost' },
      { externalId: unchanged.externalId, expectedVersion: 1 },
      await aBody(kind, organization, { [inCharge[kind]]: unknownId }),
      await aBody(kind, organization),
    ]
    const facts = await factsOf(given, organization, () => client.post(path, { items }))
    expect(facts.events.map(({ kind: word, version }) => [word, version])).toEqual([
      [`${kind}.created`, 1],
      [`${kind}.created`, 1],
    ])
    expect(facts.events.map(({ externalId }) => externalId)).toEqual([items[0]?.externalId, items[4]?.externalId])
    expect(new Set(facts.events.map(({ transactionId }) => transactionId)).size).toBe(1)
    expect(facts.audit.map(({ action }) => action)).toEqual([`${kind}.created`, `${kind}.created`])
    expect((await client.get(`/${plurals[kind]}/${stale.id}`)).data).toEqual(stale)
    const refused = await client.get(`/${plurals[kind]}?externalId=${items[3]?.externalId}`)
    expect(refused.items).toEqual([])
  })

  it('refuses the second and later elements with one key: 422 duplicate_in_batch', async () => {
    const organization = await given.shared()
    const body = await aBody(kind, organization)
    const items = [body, { ...body, description: 'second' }, { ...body, expectedVersion: 1 }]
    const answer = await organization.client.post(path, { items })
    expect(outcomes(answer)).toEqual(['201', '422 validation_error', '422 validation_error'])
    for (const index of [1, 2]) expect(errorOf(answer, index).details).toMatchObject({ reason: 'duplicate_in_batch' })
    expect(objectOf(answer.items[0]?.data).version).toBe(1)
  })

  it.each([
    ['400 validation_error', { colour: 1 }],
    ['403 insufficient_scope', { customFields: {} }],
    ['422 validation_error', { [inCharge[kind]]: unknownId }],
  ])('refuses them also when the first one was itself refused with %s', async (refusal, members) => {
    const organization = await given.shared()
    const client = await organization.token(allBut('crm_custom_fields_manage'))
    const body = await aBody(kind, organization)
    const answer = await client.post(path, { items: [{ ...body, ...members }, body, body] })
    expect(outcomes(answer)).toEqual([refusal, '422 validation_error', '422 validation_error'])
    for (const index of [1, 2]) expect(errorOf(answer, index).details).toMatchObject({ reason: 'duplicate_in_batch' })
    expect((await client.get(`/${plurals[kind]}?externalId=${body.externalId}`)).items).toEqual([])
  })

  it('takes elements without a key each for itself', async () => {
    const organization = await given.shared()
    const { externalId: _, ...body } = await aBody(kind, organization)
    const answer = await organization.client.post(path, { items: [body, body, 'text', null] })
    expect(outcomes(answer)).toEqual(Array.from({ length: 4 }, () => '400 validation_error'))
  })

  it('takes 100 elements and refuses 0 and 101 as a whole', async () => {
    const organization = await given.shared()
    const many = async (count: number) => {
      const items: JsonObject[] = []
      while (items.length < count) items.push(await aBody(kind, organization))
      return organization.client.post(path, { items })
    }
    const whole = await many(100)
    expect([whole.status, whole.meta]).toEqual([200, { created: 100, updated: 0, unchanged: 0, failed: 0 }])
    for (const count of [0, 101]) {
      const answer = await many(count)
      expect([outcome(answer), issuePaths(answer)]).toEqual(['400 validation_error', ['/items']])
    }
  })

  it('is 200 even when every element failed', async () => {
    const organization = await given.shared()
    const items = [{ externalId: '' }, { externalId: 'a' }]
    const answer = await organization.client.post(path, { items })
    expect([answer.status, answer.meta]).toEqual([200, { created: 0, updated: 0, unchanged: 0, failed: 2 }])
  })

  it('redacts the records of its elements and says so once', async () => {
    const organization = await given.shared()
    const client = await organization.token(allBut('crm_tags_read'))
    const answer = await client.post(path, { items: [await aBody(kind, organization), { externalId: '' }] })
    expect(Object.keys(objectOf(answer.items[0]?.data))).not.toContain('tagIds')
    expect(answer.meta).toEqual({ created: 1, updated: 0, unchanged: 0, failed: 1, redacted: ['tags'] })
  })
})

describe('batch upsert of deals', () => {
  it('refuses references element by element: 404 and 410 name the place', async () => {
    const organization = await given.shared()
    const { client } = organization
    const anonymized = await aRecord('contact', organization)
    await client.delete(`/contacts/${anonymized.id}?expectedVersion=1`)
    const removed = await aRecord('contact', organization)
    await client.delete(`/contacts/${removed.id}?expectedVersion=1&mode=full`)
    const items = [
      await aBody('deal', organization, { companies: [{ id: unknownId }] }),
      await aBody('deal', organization, { contacts: [{ id: anonymized.id }] }),
      await aBody('deal', organization, { contacts: [{ externalId: removed.externalId }] }),
      await aBody('deal', organization),
    ]
    const answer = await client.post('/deals/batch/upsert', { items })
    expect(outcomes(answer)).toEqual(['404 not_found', '410 resource_deleted', '410 external_reference_deleted', '201'])
    expect(errorOf(answer, 0).details).toEqual({ path: '/items/0/companies/0' })
    expect(errorOf(answer, 1).details).toEqual({ path: '/items/1/contacts/0' })
    expect(errorOf(answer, 2).details).toEqual({ kind: 'contact', path: '/items/2/contacts/0' })
  })

  it('puts each new deal on top of the one before', async () => {
    const organization = await given.organization()
    const items = [
      await aBody('deal', organization),
      await aBody('deal', organization),
      await aBody('deal', organization),
    ]
    const answer = await organization.client.post('/deals/batch/upsert', { items })
    const ranks = answer.items.map(({ data }) => String(objectOf(data).rank))
    expect(ranks.toSorted()).toEqual(ranks.toReversed())
    expect(new Set(ranks).size).toBe(3)
  })
})

describe('a batch whose answer is long', () => {
  it('is stored, answered and replayed as it was sent, also where some of it must be redacted', async () => {
    const organization = await given.organization()
    const { client } = organization
    const descriptionOf = (index: number) => `${'x'.repeat(index)}${'🂡é'.repeat(3000)}`
    const items = Array.from({ length: 60 }, (_, index) => ({
      externalId: `long-${index}`,
      firstName: 'Anna',
      description: descriptionOf(index),
      contactData: { emails: [{ value: `${index}@example.com` }] },
    }))
    const key = randomUUID()
    const send = (by: Client) => by.post('/contacts/batch/upsert', { items }, { key })
    const recordsOf = ({ items }: Answer) => items.map(({ data }) => objectOf(data))
    const answer = await send(client)
    expect(recordsOf(answer).map(({ description }) => description)).toEqual(items.map(item => item.description))
    const [first] = recordsOf(answer)
    expect((await client.get(`/contacts/${first?.id}`)).data).toEqual(first)
    const again = await send(client)
    expect([again.body, again.headers.get('idempotent-replayed')]).toEqual([answer.body, 'true'])
    const blind = await organization.token(allBut('crm_contact_data_read'))
    const redacted = await send(blind)
    expect([redacted.status, redacted.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
    const withoutContactData = ({ contactData, ...others }: JsonObject) => others
    expect(recordsOf(redacted)).toEqual(recordsOf(answer).map(withoutContactData))
  })
})
