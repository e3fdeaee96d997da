import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { objectOf } from '../support/client.ts'
import { factsOf } from './support/facts.ts'
import { useApi } from './support/given.ts'
import { aBody, aChange, aRecord, inCharge, type Kind, kinds, outcome, plurals, unknownId } from './support/requests.ts'

const given = useApi()

/** A change event of the first application of an organization, but for what differs. */
function anEvent(kind: Kind, members: JsonObject): JsonObject {
  return {
    id: expect.any(String),
    seq: expect.any(Number),
    kind: `${kind}.${members.operation}`,
    resourceType: kind,
    mergedIntoId: null,
    mergedFromId: null,
    status: null,
    externalIdTombstoned: false,
    changedFields: [],
    occurredAt: new Date(given.clock.now()).toISOString(),
    actorType: 'application',
    actorUuid: null,
    requestId: expect.any(String),
    jobId: null,
    transactionId: expect.any(String),
    ...members,
  }
}

describe.each(kinds)('a write of a %s', kind => {
  const path = `/${plurals[kind]}`

  it.each(['', '/upsert'])('POST %s leaves one created event and one audit entry', async route => {
    const organization = await given.shared()
    const body = await aBody(kind, organization)
    const requestId = randomUUID()
    const { events, audit } = await factsOf(given, organization, () =>
      organization.client.post(`${path}${route}`, body, { headers: { 'x-request-id': requestId } }),
    )
    const { applicationId } = organization
    const { externalId } = body
    expect(events).toEqual([
      anEvent(kind, {
        operation: 'created',
        version: 1,
        externalId,
        requestId,
        applicationId,
        resourceId: expect.any(String),
      }),
    ])
    expect(audit).toMatchObject([
      {
        resourceType: kind,
        resourceId: events[0]?.resourceId,
        action: `${kind}.created`,
        versions: [null, 1],
        requestId,
        clientRequestId: null,
        applicationId,
      },
    ])
    expect(audit[0]?.changes).toContainEqual({ field: 'externalId', before: null, after: externalId })
  })

  it.each(['PATCH', 'upsert'])(
    '%s leaves one updated event that names the changed fields, and the audit entry their values',
    async way => {
      const organization = await given.shared()
      const { client } = organization
      const { id, externalId } = await aRecord(kind, organization)
      const change = { ...aChange[kind], [inCharge[kind]]: organization.operator }
      const { events, audit } = await factsOf(given, organization, () =>
        way === 'PATCH'
          ? client.patch(`${path}/${id}`, { expectedVersion: 1, ...change }, { headers: { 'x-request-id': 'job-17' } })
          : client.post(
              `${path}/upsert`,
              { externalId, expectedVersion: 1, ...change },
              { headers: { 'x-request-id': 'job-17' } },
            ),
      )
      const { applicationId } = organization
      expect(events).toEqual([
        anEvent(kind, {
          operation: 'updated',
          version: 2,
          resourceId: id,
          externalId,
          applicationId,
          changedFields: expect.any(Array),
        }),
      ])
      const [{ changedFields, requestId } = {}] = events
      expect(Array.isArray(changedFields) && changedFields.toSorted()).toEqual(Object.keys(change).toSorted())
      expect(audit).toMatchObject([
        { action: `${kind}.updated`, versions: [1, 2], requestId, clientRequestId: 'job-17', resourceId: id },
      ])
      const changes = new Map(audit[0]?.changes.map(({ field, before, after }) => [field, [before, after]]))
      expect(changes).toEqual(new Map(Object.entries(change).map(([field, after]) => [field, [null, after]])))
    },
  )

  it('that is refused leaves nothing', async () => {
    const organization = await given.shared()
    const { client } = organization
    const { id, externalId } = await aRecord(kind, organization)
    const facts = await factsOf(given, organization, async () => {
      const answers = [
        await client.post(path, await aBody(kind, organization, { [inCharge[kind]]: unknownId })),
        await client.post(path, { colour: 1 }),
        await client.post(path, await aBody(kind, organization, { externalId })),
        await client.patch(`${path}/${id}`, { expectedVersion: 2, ...aChange[kind] }),
        await client.post(`${path}/upsert`, { externalId, ...aChange[kind] }),
      ]
      expect(answers.map(({ status }) => status)).toEqual([422, 400, 409, 409, 428])
    })
    expect(facts).toEqual({ events: [], audit: [] })
  })

  it('shows each application its own key of the record in the event', async () => {
    const organization = await given.shared()
    const { client } = await organization.application()
    const start = String((await client.get('/changes/cursor')).data.cursor)
    const { id, externalId } = await aRecord(kind, organization)
    await client.patch(`${path}/${id}`, { expectedVersion: 1, externalId: `theirs-${id}` })
    const keys = async (reader: typeof client) =>
      (await reader.get(`/changes?after=${start}&resourceTypes=${kind}`)).items
        .filter(({ resourceId }) => resourceId === id)
        .map(event => event.externalId)
    expect(await keys(client)).toEqual([`theirs-${id}`, `theirs-${id}`])
    expect(await keys(organization.client)).toEqual([externalId, externalId])
  })
})

describe.each(['deal', 'task'] as const)('DELETE of a %s', kind => {
  const path = `/${plurals[kind]}`

  it('leaves one deleted event with the next version and its key, marked as a tombstone', async () => {
    const organization = await given.shared()
    const { id, externalId } = await aRecord(kind, organization)
    const { events, audit } = await factsOf(given, organization, () =>
      organization.client.delete(`${path}/${id}?expectedVersion=1`),
    )
    const { applicationId } = organization
    const event = { operation: 'deleted', version: 2, resourceId: id, externalId, applicationId }
    expect(events).toEqual([anEvent(kind, { ...event, externalIdTombstoned: true })])
    expect(audit).toMatchObject([{ action: `${kind}.deleted`, versions: [1, null], resourceId: id }])
  })

  it('answers its id, and 404 afterwards', async () => {
    const organization = await given.shared()
    const { client } = organization
    const { id } = await aRecord(kind, organization)
    const { status, body } = await client.delete(`${path}/${id}?expectedVersion=1`)
    expect([status, body]).toEqual([200, { data: { id, deleted: true }, meta: {} }])
    expect(outcome(await client.get(`${path}/${id}`))).toBe('404 not_found')
    expect(outcome(await client.delete(`${path}/${id}?expectedVersion=1`))).toBe('404 not_found')
    expect((await given.sql('select from deal_companies where deal_id = $1', [id])).length).toBe(0)
    expect((await given.sql('select from deal_stage_spans where deal_id = $1', [id])).length).toBe(0)
  })

  it('leaves tombstones of the keys of every application, each seen through its own', async () => {
    const organization = await given.shared()
    const { client } = await organization.application()
    const { id, externalId } = await aRecord(kind, organization)
    await client.patch(`${path}/${id}`, { expectedVersion: 1, externalId: `theirs-${id}` })
    await organization.client.delete(`${path}/${id}?expectedVersion=2`)
    const gone = '410 external_reference_deleted'
    expect(outcome(await organization.client.get(`${path}?externalId=${externalId}`))).toBe(gone)
    expect(outcome(await client.get(`${path}?externalId=theirs-${id}`))).toBe(gone)
    expect((await organization.client.get(`${path}?externalId=theirs-${id}`)).items).toEqual([])
    expect((await client.get(`${path}?externalId=${externalId}`)).items).toEqual([])
  })

  it('keeps no key in clear among the tombstones', async () => {
    const organization = await given.shared()
    const { id, externalId } = await aRecord(kind, organization)
    await organization.client.delete(`${path}/${id}?expectedVersion=1`)
    const rows = await given.sql('select gone, reason, key from external_keys where resource_id = $1', [id])
    expect(rows).toMatchObject([{ gone: true, reason: 'deleted' }])
    expect(rows[0]?.key).not.toBe(externalId)
  })
})

describe('the events of a company that is deleted', () => {
  it('keep its key, past ones and the last, which has the next version', async () => {
    const organization = await given.shared()
    const { events } = await factsOf(given, organization, async () => {
      const { id } = await aRecord('company', organization, { externalId: 'removed-company' })
      expect((await organization.client.post(`/companies/${id}/delete/commit`, {})).status).toBe(200)
    })
    expect(events.map(event => [event.kind, event.version, event.externalId, event.externalIdTombstoned])).toEqual([
      ['company.created', 1, 'removed-company', false],
      ['company.deleted', 2, 'removed-company', true],
    ])
  })
})

describe('a move', () => {
  it('leaves one event of kind deal.moved, operation updated, that names stageUuid', async () => {
    const organization = await given.shared()
    const { id, externalId } = await aRecord('deal', organization)
    const { events, audit } = await factsOf(given, organization, () =>
      organization.client.patch(`/deals/${id}/move`, { expectedVersion: 1, stageUuid: organization.stages.second }),
    )
    expect(events).toMatchObject([{ kind: 'deal.moved', operation: 'updated', resourceId: id, externalId, version: 2 }])
    expect(events[0]?.changedFields).toContain('stageUuid')
    expect(audit).toMatchObject([{ action: 'deal.moved', versions: [1, 2] }])
  })
})

describe('events of one batch', () => {
  it('share the transaction, those of two requests do not', async () => {
    const organization = await given.shared()
    const { events } = await factsOf(given, organization, async () => {
      const items = [await aBody('contact', organization), await aBody('contact', organization)]
      await organization.client.post('/contacts/batch/upsert', { items })
      await aRecord('contact', organization)
    })
    const [one, two, three] = events.map(({ transactionId }) => transactionId)
    expect(one).toBe(two)
    expect(three).not.toBe(one)
    const numbers = events.map(({ seq }) => Number(seq))
    expect(numbers).toEqual(numbers.map((_, index) => Number(numbers[0]) + index))
    expect(new Set(events.map(({ requestId }) => requestId)).size).toBe(2)
  })
})

describe('events', () => {
  it('hold no value of the record', async () => {
    const organization = await given.shared()
    const secret = 'Unmistakable'
    const { events } = await factsOf(given, organization, async () => {
      const contactData = { emails: [{ value: `${secret}@example.com` }] }
      await aRecord('contact', organization, { externalId: null, lastName: secret, contactData })
      await aRecord('deal', organization, { title: secret, amount: '987654.00' })
    })
    expect(events.length).toBeGreaterThan(1)
    expect(JSON.stringify(events)).not.toMatch(/Unmistakable|987654/u)
    expect(objectOf(events[0])).not.toHaveProperty('data')
  })
})
