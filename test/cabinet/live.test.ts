import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { bounds } from '../../server/src/kernel/index.ts'
import { cabinetOperations, operations } from '../../server/src/modules.ts'
import { allBut } from '../conformance/support/given.ts'
import { startApi } from '../support/api.ts'
import { aCompany, aContact, aDeal, aTask } from '../support/builders.ts'
import type { Client } from '../support/client.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'
import { setBound } from '../support/set-bound.ts'
import { type LiveStream, openLive } from './support/live-stream.ts'
import { useReads } from './support/reads.ts'

const given = useReads()

const opened: LiveStream[] = []

afterEach(async () => {
  for (const stream of opened.splice(0)) stream.close()
  await expect.poll(() => given.api.services.admission.streams.total).toBe(0)
})

/** Opens a stream that is closed when the test has ended. */
async function open(
  { id, client }: TestOrganization,
  options?: Parameters<typeof openLive>[3],
  by: Client = client,
): Promise<LiveStream> {
  const stream = await openLive(given.api, id, by, options)
  opened.push(stream)
  return stream
}

/** Writes one record of each kind. */
async function writeAll({ client }: TestOrganization): Promise<void> {
  const company = await client.post('/companies', aCompany())
  await client.post('/contacts', aContact())
  await client.post('/deals', aDeal({ companies: [{ id: company.data.id }] }))
  await client.post('/tasks', aTask())
}

describe('the live stream', () => {
  it('tells each change when it is committed, who made it and what has changed, and no value', async () => {
    const organization = await given.organization()
    const { client } = organization
    const { data } = await client.post('/contacts', aContact())
    const stream = await open(organization)
    expect([stream.status, stream.headers['content-type'], stream.headers['cache-control']]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
      'no-store',
    ])
    await expect.poll(() => stream.told[0]).toMatchObject({ event: 'position', data: { seq: 1, filtered: 0 } })
    const path = `/contacts/${String(data.id)}`
    const requestId = '5b0c9a50-9d1e-4f0a-8a53-0d3f7b1f6a01'
    const headers = { 'x-request-id': requestId }
    await client.patch(path, { expectedVersion: 1, jobTitle: 'Head of purchasing' }, { headers })
    const [change] = await stream.until(1)
    expect(change).toEqual({
      seq: 2,
      filtered: 0,
      kind: 'contact.updated',
      resourceType: 'contact',
      resourceId: data.id,
      version: 2,
      changedFields: ['jobTitle'],
      actor: { type: 'application', uuid: null, applicationId: organization.applicationId, jobId: null },
      requestId,
    })
    expect(stream.text).not.toContain('purchasing')
    const other = await given.organization()
    await writeAll(other)
    await client.patch(path, { expectedVersion: 2, jobTitle: null })
    expect((await stream.until(2)).map(({ seq }) => seq)).toEqual([2, 3])
  })

  it('goes on behind the last event that the client has received, without a gap and without a repetition', async () => {
    const organization = await given.organization()
    const first = await open(organization)
    await writeAll(organization)
    await first.until(2)
    const { id } = first.told[2] ?? { id: '' }
    first.close()
    await writeAll(organization)
    for (const options of [{ lastEventId: id }, { after: id }, { after: first.told[0]?.id ?? '', lastEventId: id }]) {
      const second = await open(organization, options)
      expect((await second.until(6)).map(({ seq }) => seq)).toEqual([3, 4, 5, 6, 7, 8])
      second.close()
    }
  })

  it('tells of nothing that its reader may not read, and how many numbers that were', async () => {
    const organization = await given.organization()
    const stream = await open(organization, {}, await organization.token(['crm_deals_read']))
    await writeAll(organization)
    await writeAll(organization)
    const changes = await stream.until(2)
    expect(changes.map(({ seq, filtered, resourceType }) => [seq, filtered, resourceType])).toEqual([
      [3, 2, 'deal'],
      [7, 3, 'deal'],
    ])
    expect(changes.map(({ actor }) => actor)).toEqual(
      changes.map(() => ({ type: 'application', applicationId: organization.applicationId, jobId: null })),
    )
  })

  it('tells in silence how far the feed is, or says nothing in a comment', async () => {
    setBound(bounds.streamSilence, 20)
    const organization = await given.organization()
    const stream = await open(organization, {}, await organization.token(['crm_deals_read']))
    await expect.poll(() => stream.text).toContain('\n\n:\n\n')
    await organization.client.post('/contacts', aContact())
    await expect.poll(() => stream.told.at(-1)).toMatchObject({ event: 'position', data: { seq: 1, filtered: 1 } })
    await writeAll(organization)
    expect(await stream.until(1)).toMatchObject([{ seq: 4 }])
    const told = stream.told
      .slice(1)
      .map(({ event, data: { filtered } }) => Number(filtered) + (event === 'change' ? 1 : 0))
    expect(told.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(4)
  })

  it('is refused before it begins: without a right, with another cursor, and behind events that are gone', async () => {
    const organization = await given.organization()
    const none = await open(organization, {}, await organization.token(['crm_search']))
    expect(none.status).toBe(403)
    const { data } = await organization.client.get('/changes/cursor')
    expect((await open(organization, { after: String(data.cursor) })).status).toBe(400)
    const foreign = await open(await given.organization())
    await expect.poll(() => foreign.told.length).toBe(1)
    expect((await open(organization, { lastEventId: foreign.told[0]?.id ?? '' })).status).toBe(400)
    const stream = await open(organization)
    await expect.poll(() => stream.told.length).toBe(1)
    await writeAll(organization)
    await given.sql('update organization_feed set oldest_seq = 3 where organization_id = $1', [organization.id])
    const late = await open(organization, { lastEventId: stream.told[0]?.id ?? '' })
    await expect.poll(() => late.isClosed).toBe(true)
    expect([late.status, late.headers['content-type']]).toEqual([410, 'application/json; charset=utf-8'])
    expect(late.text).toContain('cursor_expired')
  })

  it('ends when its reader is signed out, and when a right is taken away', async () => {
    const organization = await given.organization()
    const change = (text: string, token: string) =>
      given.configure(organization, `update api_tokens set ${text} where id = split_part($1, '_', 3)`, [token])
    const out = await organization.token(allBut())
    const less = await organization.token(allBut())
    const [first, second, third] = [
      await open(organization, {}, out),
      await open(organization, {}, less),
      await open(organization),
    ]
    await change('revoked_at = now()', out.token)
    await change(`scopes = '{crm_deals_read}'`, less.token)
    await Promise.all([first.untilClosed(), second.untilClosed()])
    await writeAll(organization)
    await third.until(4)
    expect([first.changes, second.changes, third.isClosed]).toEqual([[], [], false])
  })

  it('ends when the feed begins anew, and is refused then', async () => {
    const organization = await given.organization()
    const stream = await open(organization)
    await writeAll(organization)
    await stream.until(4)
    await given.sql('update organization_feed set epoch = epoch + 1 where organization_id = $1', [organization.id])
    await stream.untilClosed()
    expect((await open(organization, { lastEventId: stream.told.at(-1)?.id ?? '' })).status).toBe(410)
  })

  it('has a bounded number for each user and organization, holds no place among the requests, and gives its own back', async () => {
    const organization = await given.organization()
    const before = given.api.services.admission.usage()
    const streams = []
    for (let n = 0; n < bounds.userStreams.most; n += 1) streams.push(await open(organization))
    expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200))
    expect(given.api.services.admission.usage().processRequests).toBe(before.processRequests)
    const ninth = await open(organization)
    expect(ninth.status).toBe(503)
    await expect.poll(() => ninth.text).toContain('userStreams')
    const { client: other } = await organization.application()
    setBound(bounds.organizationStreams, bounds.userStreams.most)
    const beyond = await open(organization, {}, other)
    await expect.poll(() => beyond.text).toContain('organizationStreams')
    expect((await open(await given.organization())).status).toBe(200)
    streams[0]?.close()
    await expect.poll(async () => (await open(organization)).status).toBe(200)
  })

  it('is ended for a reader that does not read, of which the server keeps little', async () => {
    setBound(bounds.unreadAnswer, 500)
    const organization = await given.organization()
    const [slow, quick] = [await open(organization), await open(organization)]
    await expect.poll(() => quick.told.length).toBe(1)
    slow.stopReading()
    // 20 MB, which no buffer between two sockets holds.
    await given.sql(
      `insert into changes (organization_id, seq, id, kind, resource_type, resource_id, operation, version, changed_fields,
                            occurred_at, actor_type, request_id, transaction_id)
       select $1, n, gen_random_uuid(), 'contact.updated', 'contact', gen_random_uuid(), 'updated', n,
              array(select 'customFields.' || repeat('x', 80) || m from generate_series(1, 100) as m), now(), 'system',
              gen_random_uuid(), gen_random_uuid()
         from generate_series(1, 2000) as n`,
      [organization.id],
    )
    await given.sql('update organization_feed set seq = 2000 where organization_id = $1', [organization.id])
    await expect.poll(() => quick.text.includes('"seq":2000,')).toBe(true)
    const { changes } = quick
    expect(changes.length).toBe(2000)
    expect(changes.every(({ filtered }) => filtered === 0)).toBe(true)
    await expect.poll(() => given.api.services.admission.streams.total).toBe(1)
    expect(quick.isClosed).toBe(false)
  })

  it('does not take others along when it fails', async () => {
    const organization = await given.organization()
    const [first, other] = [await open(organization), await open(organization)]
    await expect.poll(() => first.told.length + other.told.length).toBe(2)
    const { authentication } = given.api.services
    const authenticate = authentication.authenticate.bind(authentication)
    let fails = true
    authentication.authenticate = async (...asked) => {
      if (!fails) return authenticate(...asked)
      fails = false
      throw new Error('one stream fails')
    }
    onTestFinished(() => void (authentication.authenticate = authenticate))
    await expect.poll(() => [first, other].filter(({ isClosed }) => isClosed).length).toBe(1)
    const left = first.isClosed ? other : first
    await writeAll(organization)
    await left.until(4)
    expect(given.api.failures.splice(0).map(String).length).toBe(1)
  })
})

it('ends all live streams when the server stops', async () => {
  const api = await startApi({ operations: [...operations, ...cabinetOperations] })
  const { id, client } = await anOrganization(api)
  const stream = await openLive(api, id, client)
  await expect.poll(() => stream.told.length).toBe(1)
  const closed = api.close()
  await stream.untilClosed()
  await closed
})
