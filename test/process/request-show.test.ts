import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isObject, type JsonObject } from '../../server/src/kernel/schema/index.ts'
import { useApi } from '../conformance/support/given.ts'
import { aRecord } from '../conformance/support/requests.ts'
import { objectOf } from '../support/client.ts'
import { type Commands, commandsOn, removeFolder } from '../support/commands.ts'
import { noEntrypoints } from '../support/no-entrypoints.ts'
import type { TestOrganization } from '../support/organization.ts'

const given = useApi()

let commands: Commands
beforeAll(async () => {
  commands = await commandsOn(given.api.test, noEntrypoints)
})
afterAll(() => removeFolder(commands))

async function shown(id: string): Promise<JsonObject[]> {
  const { requests } = await commands.json('request', 'show', id)
  return Array.isArray(requests) ? requests.filter(isObject) : []
}

describe('request show', () => {
  let organization: TestOrganization
  let contact: JsonObject
  let requestId: string
  beforeAll(async () => {
    organization = await given.organization()
    contact = await aRecord('contact', organization)
    const body = { expectedVersion: 1, lastName: 'Smirnova' }
    const headers = { 'x-request-id': 'nightly/17' }
    const key = 'rename-17'
    const { status } = await organization.client.patch(`/contacts/${contact.id}`, body, { key, headers })
    expect(status).toBe(200)
    requestId = String((await organization.client.get('/audit?action=contact.updated')).items[0]?.requestId)
  })

  it('joins the stored answer, the audit entries and the change events of a request id', async () => {
    const [found, ...others] = await shown(requestId)
    expect(others).toEqual([])
    expect(found).toMatchObject({
      requestId,
      clientRequestId: 'nightly/17',
      organizationId: organization.id,
      applicationId: organization.applicationId,
      log: { requestId, operation: 'contacts.update' },
      answers: [{ key: 'rename-17', status: 200, operation: 'contacts.update', erased: false }],
      auditEntries: [
        {
          action: 'contact.updated',
          resourceId: contact.id,
          tokenId: organization.client.token.split('_')[2],
          addressClass: 'loopback',
          changes: [{ field: 'lastName', before: 'Petrova', after: 'Smirnova' }],
        },
      ],
      changes: [{ seq: 2, kind: 'contact.updated', resourceId: contact.id, version: 2, changedFields: ['lastName'] }],
    })
  })

  it('finds the same by the request id of the client', async () => {
    expect(await shown('nightly/17')).toEqual(await shown(requestId))
    expect(await shown(requestId.toUpperCase())).toEqual(await shown(requestId))
  })

  it('finds a request by an address of a person who is erased', async () => {
    const { client } = organization
    const email = 'gone@example.com'
    const created = await client.post(
      '/contacts',
      { lastName: 'Gone', contactData: { emails: [{ value: email }] } },
      { headers: { 'x-request-id': `crm/${email}` } },
    )
    await client.delete(`/contacts/${created.data.id}?expectedVersion=1`)
    const [found, ...others] = await shown(`crm/${email}`)
    expect([found?.clientRequestId, others]).toEqual([expect.stringMatching(/^erased-/u), []])
    expect(JSON.stringify(found)).not.toContain(email)
  })

  it('finds each of several requests with the same id, the newest first', async () => {
    for (const lastName of ['One', 'Two']) {
      const { client } = organization
      const { status } = await client.post('/contacts', { lastName }, { headers: { 'x-request-id': 'twice' } })
      expect(status).toBe(201)
      given.clock.advance(1)
    }
    const found = await shown('twice')
    const names = found.map(({ auditEntries }) => {
      const changes = Array.isArray(auditEntries) ? objectOf(auditEntries[0]).changes : []
      return Array.isArray(changes) ? changes.find(({ field }) => field === 'lastName')?.after : undefined
    })
    expect(names).toEqual(['Two', 'One'])
  })

  it('finds all requests with one UUID', async () => {
    const headers = { 'x-request-id': '0197e2a4-0000-7000-8000-00000000cafe' }
    for (const lastName of ['One', 'Two']) await organization.client.post('/contacts', { lastName }, { headers })
    const [found, ...others] = await shown(headers['x-request-id'])
    expect(others).toEqual([])
    expect(found).toMatchObject({
      answers: [{ status: 201 }, { status: 201 }],
      auditEntries: [{ action: 'contact.created' }, { action: 'contact.created' }],
      changes: [{ kind: 'contact.created' }, { kind: 'contact.created' }],
    })
  })

  it('finds a request that changed nothing by its answer alone', async () => {
    const headers = { 'x-request-id': 'no-op' }
    await organization.client.patch(`/contacts/${contact.id}`, { expectedVersion: 2 }, { headers })
    expect(await shown('no-op')).toMatchObject([{ answers: [{ status: 200 }], auditEntries: [], changes: [] }])
  })

  it('has a form for people', async () => {
    const { out } = await commands.run(['request', 'show', 'nightly/17'])
    expect(out).toContain(`Request ${requestId}, called nightly/17 by the client\n`)
    expect(out).toContain('  contacts.update: 200 at ')
    expect(out).toContain(`contact.updated ${String(contact.id)} by application, token `)
    expect(out).toContain(`  event 2: contact.updated ${String(contact.id)}, version 2\n`)
  })

  it('fails with a reason for an unknown id', async () => {
    expect(await commands.run(['request', 'show', 'unknown'])).toEqual({
      status: 1,
      out: '',
      err: 'nothing is kept of a request unknown\n',
    })
  })
})
