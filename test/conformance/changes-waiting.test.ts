import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { bounds } from '../../server/src/kernel/index.ts'
import { raiseEpochOf } from '../../server/src/kernel/sql/index.ts'
import { startApi, type TestApi } from '../support/api.ts'
import { Client } from '../support/client.ts'
import { setBound } from '../support/set-bound.ts'
import { allBut, useApi } from './support/given.ts'
import { aChange, aRecord, issuePaths, outcome } from './support/requests.ts'
import { aWait, endOfFeed, expectWaiting, whenTailHas } from './support/waiting-requests.ts'

const given = useApi()

describe('GET /changes with wait', () => {
  it('is answered with the first change that is committed while it waits', async () => {
    const organization = await given.organization()
    const { client } = organization
    const { answer } = await aWait(given.api, client)
    const { id } = await aRecord('contact', organization)
    const { status, items, meta } = await answer
    expect([status, items.map(({ resourceId }) => resourceId)]).toEqual([200, [id]])
    expect(meta).toEqual({
      nextCursor: expect.any(String),
      hasMore: false,
      waited: true,
      range: { fromSeq: 0, toSeq: 1, matched: 1, filtered: 0 },
    })
    const next = await aWait(given.api, client, { after: String(meta.nextCursor) })
    expect((await client.patch(`/contacts/${id}`, { expectedVersion: 1, ...aChange.contact })).status).toBe(200)
    expect((await next.answer).items.map(({ kind }) => kind)).toEqual(['contact.updated'])
  })

  it('is answered with an empty page, and a cursor to go on with, when the time is over', async () => {
    const { client } = await given.organization()
    const { status, items, meta } = await client.get(`/changes?after=${await endOfFeed(client)}&wait=1`)
    expect([status, items, meta]).toEqual([
      200,
      [],
      {
        nextCursor: expect.any(String),
        hasMore: false,
        waited: true,
        range: { fromSeq: 0, toSeq: 0, matched: 0, filtered: 0 },
      },
    ])
    expect((await client.get(`/changes?after=${meta.nextCursor}`)).status).toBe(200)
  })

  it('does not wait when there is a change already, nor for 0 seconds, and without wait says nothing of it', async () => {
    const organization = await given.organization()
    const { client } = organization
    const start = await endOfFeed(client)
    const empty = await client.get(`/changes?after=${start}&wait=0`)
    expect([empty.items, empty.meta.waited, empty.headers.get('retry-after')]).toEqual([[], false, null])
    await aRecord('contact', organization)
    const { items, meta } = await client.get(`/changes?after=${start}&wait=30`)
    expect([items.length, meta.waited]).toEqual([1, false])
    expect((await client.get(`/changes?after=${start}`)).meta).not.toHaveProperty('waited')
  })

  it('takes whole seconds from 0 to 30', async () => {
    const { client } = await given.shared()
    const start = await endOfFeed(client)
    for (const wrong of ['31', '-1', '1.5', '030', 'abc', '']) {
      const refused = await client.get(`/changes?after=${start}&wait=${wrong}`)
      expect([wrong, outcome(refused), issuePaths(refused)]).toEqual([wrong, '400 validation_error', ['query:wait']])
    }
  })

  it('waits on while changes are committed that it does not show, and counts them as filtered', async () => {
    const organization = await given.organization()
    const { answer } = await aWait(given.api, organization.client, { query: '&resourceTypes=company' })
    const { id } = await aRecord('contact', organization)
    await whenTailHas(given.api, organization.id, () =>
      organization.client.patch(`/contacts/${id}`, { expectedVersion: 1, ...aChange.contact }),
    )
    await expectWaiting(given.api, 1)
    await aRecord('company', organization)
    const { items, meta } = await answer
    expect(items.map(({ kind }) => kind)).toEqual(['company.created'])
    expect(meta.range).toEqual({ fromSeq: 0, toSeq: 3, matched: 1, filtered: 2 })
  })

  it('ends with an empty page when as many changes have passed as a page looks at', async () => {
    setBound(bounds.feedScan, 3)
    const organization = await given.organization()
    const { answer } = await aWait(given.api, organization.client, { query: '&resourceTypes=company' })
    for (let count = 0; count < 4; count += 1) await aRecord('contact', organization)
    const { items, meta } = await answer
    expect([items, meta.range]).toEqual([[], { fromSeq: 0, toSeq: 3, matched: 0, filtered: 3 }])
  })

  it('waits, and reads no more, where its page ends at the head', async () => {
    setBound(bounds.feedScan, 3)
    const organization = await given.organization()
    const after = await endOfFeed(organization.client)
    for (let count = 0; count < 3; count += 1) await aRecord('contact', organization)
    const query = vi.spyOn(given.api.services.database, 'query')
    onTestFinished(() => query.mockRestore())
    const reads = () => query.mock.calls.filter(([{ name }]) => name === 'select_changes').length
    const { answer } = await aWait(given.api, organization.client, { after, query: '&resourceTypes=company' })
    for (let count = 0; count < 5; count += 1) await aRecord('contact', await given.organization())
    expect(reads()).toBe(1)
    await aRecord('company', organization)
    expect((await answer).meta).toMatchObject({ hasMore: true, range: { fromSeq: 0, toSeq: 3 } })
  })

  it('is not woken by changes of another organization', async () => {
    const [ours, theirs] = [await given.organization(), await given.organization()]
    const { answer } = await aWait(given.api, ours.client)
    await whenTailHas(given.api, theirs.id, () => aRecord('contact', theirs))
    await expectWaiting(given.api, 1)
    await aRecord('company', ours)
    expect((await answer).items.map(({ kind }) => kind)).toEqual(['company.created'])
  })

  it('shows each change with its record', async () => {
    const organization = await given.organization()
    const { answer } = await aWait(given.api, organization.client, { query: '&include=record' })
    const { id } = await aRecord('contact', organization)
    const { items, meta } = await answer
    expect([items, meta.waited]).toEqual([[expect.objectContaining({ record: expect.objectContaining({ id }) })], true])
  })

  it('counts as one request, when it begins', async () => {
    const { client } = await given.organization({ rates: 100 })
    const left = async () => Number((await client.get('/changes/cursor')).headers.get('ratelimit-remaining'))
    const before = await left()
    expect((await client.get(`/changes?after=${await endOfFeed(client)}&wait=1`)).meta.waited).toBe(true)
    // The cursor that it began with, itself, and this one.
    expect(await left()).toBe(before - 3)
  })
})

describe('what has changed when a request has waited', () => {
  /** A token of an organization that waits, and how to change it: the change is in force when this resolves. */
  async function aWaitingToken(granted = allBut(), query = '') {
    const organization = await given.organization()
    const client = await organization.token(granted)
    const { answer } = await aWait(given.api, client, { query })
    const id = client.token.split('_')[2] ?? ''
    const change = async (set: string, isInForce: () => Promise<boolean>) => {
      await given.configure(organization, `update api_tokens set ${set} where id = $1`, [id])
      await expect.poll(isInForce).toBe(true)
    }
    return { organization, client, answer, change }
  }

  it('is seen: a token that was revoked gets 401', async () => {
    const { organization, client, answer, change } = await aWaitingToken()
    await change('revoked_at = now()', async () => (await client.get('/changes/cursor')).status === 401)
    await aRecord('contact', organization)
    expect(outcome(await answer)).toBe('401 invalid_token')
  })

  it('is seen: a token that lost the scope of what it asks for gets 403', async () => {
    const { organization, client, answer, change } = await aWaitingToken(allBut(), '&resourceTypes=contact')
    const isInForce = async () => (await client.get('/changes/cursor?resourceTypes=contact')).status === 403
    await change("scopes = array_remove(scopes, 'crm_contacts_read')", isInForce)
    await aRecord('contact', organization)
    expect(outcome(await answer)).toBe('403 insufficient_scope')
  })

  it('is seen: a token that lost the scope for operators gets no actors', async () => {
    const { organization, client, answer, change } = await aWaitingToken()
    const isInForce = async () => 'redacted' in (await client.get(`/changes?after=${await endOfFeed(client)}`)).meta
    await change("scopes = array_remove(scopes, 'crm_operators_read')", isInForce)
    await aRecord('contact', organization)
    const { items, meta } = await answer
    expect([items.length, meta.waited, meta.redacted]).toEqual([1, true, ['operators']])
    expect(items[0]).not.toHaveProperty('actorUuid')
  })

  it('is seen: an organization whose data moved to another provider gets 409', async () => {
    const { organization, client, answer } = await aWaitingToken()
    await given.configure(organization, "update organizations set crm_provider = 'external' where id = $1", [
      organization.id,
    ])
    await expect.poll(async () => (await client.get('/changes/cursor')).status).toBe(409)
    // The API accepts no write of such an organization.
    await given.sql(
      `with feed as (update organization_feed set seq = seq + 1 where organization_id = $1 returning seq)
       insert into changes (organization_id, seq, id, kind, resource_type, resource_id, operation, changed_fields,
                            occurred_at, actor_type, request_id, transaction_id)
       select $1, feed.seq, $1, 'contact.created', 'contact', $1, 'created', '{}', now(), 'system', $1, $1 from feed`,
      [organization.id],
    )
    expect(outcome(await answer)).toBe('409 crm_provider_not_supported')
  })

  it('is seen: a position whose epoch has ended gets 410', async () => {
    const organization = await given.organization()
    const { answer } = await aWait(given.api, organization.client)
    await given.api.test.database.query(raiseEpochOf, [organization.id])
    expect(outcome(await answer)).toBe('410 cursor_expired')
  })
})

describe('several servers on one database', () => {
  let other: TestApi
  beforeAll(async () => {
    other = await startApi({ beside: given.api })
  })
  afterAll(() => other.close())

  it('answer a request that waits at one of them when another one commits', async () => {
    const organization = await given.organization()
    const elsewhere = new Client(other.url, organization.client.token)
    const { answer } = await aWait(given.api, organization.client)
    expect((await elsewhere.post('/companies', { name: 'Northwind' })).status).toBe(201)
    expect((await answer).items.map(({ kind }) => kind)).toEqual(['company.created'])
  })
})
