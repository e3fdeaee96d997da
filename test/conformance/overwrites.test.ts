import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { newId } from '../../server/src/kernel/schema/index.ts'
import { type Answer, objectOf } from '../support/client.ts'
import { commandsOn, removeFolder } from '../support/commands.ts'
import { noEntrypoints } from '../support/no-entrypoints.ts'
import { factsOf, nothing } from './support/facts.ts'
import { allBut, useApi } from './support/given.ts'
import { aBody, aChange, aRecord, batchKinds, issuePaths, kinds, outcome, plurals } from './support/requests.ts'

const given = useApi()

/** What the trail of a record says of each step, the first one first: the action, and whether it overwrote. */
async function trailOf(client: { get(path: string): Promise<Answer> }, id: unknown) {
  const { items } = await client.get(`/audit?resourceId=${id}`)
  return items.map(({ action, overwrite }) => [action, overwrite]).toReversed()
}

/** What another client has written meanwhile. */
const ofAnother = {
  contact: { source: 'fair' },
  company: { source: 'fair' },
  deal: { amount: '2.00' },
  task: { type: 'call' },
} as const

describe.each(kinds)('upsert of a %s with overwrite=true', kind => {
  const path = `/${plurals[kind]}/upsert?overwrite=true`

  it('changes the record at any version, and leaves the fields as they are that the request leaves out', async () => {
    const organization = await given.shared()
    const { client } = organization
    const record = await aRecord(kind, organization)
    const { externalId } = record
    const { status: patched, data: before } = await client.patch(`/${plurals[kind]}/${record.id}`, {
      expectedVersion: 1,
      ...ofAnother[kind],
    })
    expect(patched).toBe(200)
    const { status, data, meta } = await client.post(path, { externalId, ...aChange[kind] })
    expect([status, meta]).toEqual([200, { created: false }])
    const { updatedAt } = data
    expect(data).toEqual({ ...before, ...aChange[kind], version: 3, updatedAt })
    expect((await client.get(`/${plurals[kind]}/${record.id}`)).data).toEqual(data)
  })

  it('says so in the audit entry, and only in that of the change', async () => {
    const organization = await given.shared()
    const { client } = organization
    const record = await aRecord(kind, organization)
    const { externalId } = record
    await client.post(path, { externalId, ...aChange[kind] })
    await client.post(path.replace('true', 'false'), { externalId, expectedVersion: 2, description: 'Later' })
    expect(await trailOf(client, record.id)).toEqual([
      [`${kind}.created`, false],
      [`${kind}.updated`, true],
      [`${kind}.updated`, false],
    ])
  })

  it('creates a record where none has the key, and changes nothing where nothing differs', async () => {
    const organization = await given.shared()
    const { client } = organization
    const body = await aBody(kind, organization)
    const created = await client.post(path, body)
    expect([created.status, created.data.version, created.meta]).toEqual([201, 1, { created: true }])
    expect(await trailOf(client, created.data.id)).toEqual([[`${kind}.created`, false]])
    const facts = await factsOf(given, organization, async () => {
      const again = await client.post(path, body)
      expect([again.status, again.data.version]).toEqual([200, 1])
    })
    expect(facts).toEqual(nothing)
  })

  it('refuses expectedVersion beside it, and any other value', async () => {
    const organization = await given.shared()
    const { externalId } = await aRecord(kind, organization)
    const both = await organization.client.post(path, { externalId, expectedVersion: 1 })
    expect([outcome(both), issuePaths(both)]).toEqual(['400 validation_error', ['/expectedVersion']])
    for (const word of ['yes', '1', 'TRUE', '']) {
      const refused = await organization.client.post(path.replace('true', word), { externalId })
      expect([outcome(refused), issuePaths(refused)]).toEqual(['400 validation_error', ['query:overwrite']])
    }
  })

  it('is named in the message of the 428 that an upsert gets without it', async () => {
    const organization = await given.shared()
    const { externalId } = await aRecord(kind, organization)
    for (const query of ['', '?overwrite=false']) {
      const refused = await organization.client.post(`/${plurals[kind]}/upsert${query}`, { externalId })
      expect([outcome(refused), refused.details]).toEqual(['428 precondition_required', { currentVersion: 1 }])
      expect(refused.error.message).toContain('overwrite=true')
    }
  })

  it('is a different request under one idempotency key than the same body without it', async () => {
    const organization = await given.shared()
    const { client } = organization
    const body = await aBody(kind, organization)
    const key = randomUUID()
    expect((await client.post(path, body, { key })).status).toBe(201)
    const again = await client.post(path, body, { key })
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true'])
    expect(outcome(await client.post(`/${plurals[kind]}/upsert`, body, { key }))).toBe('409 idempotency_conflict')
  })

  it('answers a token without the read scope with a receipt', async () => {
    const organization = await given.shared()
    const { externalId } = await aRecord(kind, organization)
    const client = await organization.token(allBut(`crm_${plurals[kind]}_read`))
    const { status, data } = await client.post(path, { externalId, ...aChange[kind] })
    expect([status, Object.keys(data).toSorted()]).toEqual([
      200,
      ['createdAt', 'externalId', 'id', 'updatedAt', 'version'],
    ])
  })
})

describe('upsert with overwrite=true', () => {
  it('brings back no record that is gone', async () => {
    const organization = await given.shared()
    const { client } = organization
    const contact = await aRecord('contact', organization)
    await client.delete(`/contacts/${contact.id}?expectedVersion=1`)
    const anonymized = await client.post('/contacts/upsert?overwrite=true', { externalId: contact.externalId })
    expect(outcome(anonymized)).toBe('410 resource_deleted')
    const deal = await aRecord('deal', organization)
    await client.delete(`/deals/${deal.id}?expectedVersion=1`)
    const deleted = await client.post('/deals/upsert?overwrite=true', { externalId: deal.externalId })
    expect(outcome(deleted)).toBe('410 external_reference_deleted')
  })

  it('is shown to administrators in the audit log', async () => {
    const organization = await given.organization()
    const { externalId } = await aRecord('company', organization)
    await organization.client.post('/companies/upsert?overwrite=true', { externalId, industry: 'Furniture' })
    const commands = await commandsOn(given.api.test, noEntrypoints)
    const list = ['audit', 'list', '--organization', organization.id]
    const { entries } = await commands.json(...list)
    expect(entries).toMatchObject([{ overwrite: true }, { overwrite: false }])
    const [changed, created] = (await commands.run(list)).out.split('\n')
    expect([changed, created].map(line => line?.includes(', overwriting'))).toEqual([true, false])
    await removeFolder(commands)
  })

  it('is refused with 422 if the new values break a rule of the record, as a PATCH is', async () => {
    const organization = await given.shared()
    const { externalId } = await aRecord('deal', organization)
    const refused = await organization.client.post('/deals/upsert?overwrite=true', { externalId, ownerUuid: newId() })
    expect(outcome(refused)).toBe('422 validation_error')
  })
})

describe.each(batchKinds)('batch upsert of %ss with overwrite=true', kind => {
  it('changes each record at its version, and refuses an element with expectedVersion alone', async () => {
    const organization = await given.shared()
    const { client } = organization
    const [one, other] = [await aRecord(kind, organization), await aRecord(kind, organization)]
    await client.patch(`/${plurals[kind]}/${one.id}`, { expectedVersion: 1, description: 'Earlier' })
    const answer = await client.post(`/${plurals[kind]}/batch/upsert?overwrite=true`, {
      items: [
        { externalId: one.externalId, ...aChange[kind] },
        { externalId: other.externalId, expectedVersion: 1, ...aChange[kind] },
        await aBody(kind, organization),
      ],
    })
    expect(answer.items.map(({ status }) => status)).toEqual([200, 400, 201])
    expect(objectOf(answer.items[0]?.data)).toMatchObject({ version: 3, ...aChange[kind] })
    const { code, details } = objectOf(answer.items[1]?.error)
    expect([code, objectOf(details).issues]).toEqual([
      'validation_error',
      [expect.objectContaining({ path: '/items/1/expectedVersion' })],
    ])
    expect(answer.meta).toEqual({ created: 1, updated: 1, unchanged: 0, failed: 1 })
    expect(await trailOf(client, one.id)).toEqual([
      [`${kind}.created`, false],
      [`${kind}.updated`, false],
      [`${kind}.updated`, true],
    ])
    expect((await client.get(`/${plurals[kind]}/${other.id}`)).data).toEqual(other)
  })

  it('needs expectedVersion or overwrite for each record that exists', async () => {
    const organization = await given.shared()
    const { externalId } = await aRecord(kind, organization)
    const answer = await organization.client.post(`/${plurals[kind]}/batch/upsert?overwrite=false`, {
      items: [{ externalId }],
    })
    expect(answer.items.map(({ status }) => status)).toEqual([428])
  })
})
