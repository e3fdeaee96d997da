import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { useApi } from './support/given.ts'
import { aPart } from './support/parts.ts'
import { aRecord, issuePaths, outcome, partOf, unknownId } from './support/requests.ts'

const given = useApi()

const add = async (members: JsonObject) => {
  const organization = await given.shared()
  const { id } = await aRecord('deal', organization)
  return organization.client.post(`/deals/${id}/activities`, members)
}
const now = () => new Date(given.clock.now()).toISOString()
const ahead = (milliseconds: number) => new Date(given.clock.now() + milliseconds).toISOString()

describe('an activity', () => {
  it('is answered with the values of the request, and its application', async () => {
    const organization = await given.shared()
    const contact = await aRecord('contact', organization)
    const sent = {
      type: 'call',
      subject: 'Delivery',
      body: '# In May\n',
      direction: 'outbound',
      durationSeconds: 90,
      outcome: 'Agreed',
      occurredAt: '2026-03-01T12:00:00+02:00',
    }
    const { status, data } = await add({ ...sent, contact: { id: contact.id } })
    expect([status, data]).toEqual([
      201,
      {
        ...sent,
        occurredAt: '2026-03-01T10:00:00.000Z',
        contactId: contact.id,
        id: expect.any(String),
        dealId: expect.any(String),
        version: 1,
        authorUuid: null,
        applicationId: organization.applicationId,
        createdAt: now(),
        updatedAt: now(),
      },
    ])
  })

  it('happened now by default', async () => {
    expect((await add({ type: 'note', body: 'x' })).data).toMatchObject({ occurredAt: now(), subject: null })
  })

  it.each([
    ['type', undefined],
    ['type', 'fax'],
    ['type', null],
    ['subject', 'x'.repeat(301)],
    ['body', 'x'.repeat(20_001)],
    ['direction', 'up'],
    ['occurredAt', null],
    ['occurredAt', '2026-03-01'],
    ['occurredAt', '2026-02-30T10:00:00Z'],
    ['durationSeconds', -1],
    ['durationSeconds', 86_401],
    ['durationSeconds', 1.5],
    ['outcome', 'x'.repeat(201)],
    ['contact', 'contact-1'],
  ])('with %s %j is refused: 400', async (member, value) => {
    const answer = await add({ ...aPart.activities, [member]: value })
    expect([outcome(answer), new Set(issuePaths(answer))]).toEqual(['400 validation_error', new Set([`/${member}`])])
  })

  it.each([{}, { subject: null }, { subject: ' ', body: '\n' }])(
    'without subject and body %j is refused: 400',
    async texts => {
      const answer = await add({ type: 'note', ...texts })
      expect([outcome(answer), issuePaths(answer)]).toEqual(['400 validation_error', ['/subject']])
    },
  )

  it('may lose its subject or its body, not both: 422', async () => {
    const { client } = await given.shared()
    const { path } = await partOf(await given.shared(), 'activities', { body: 'About May' })
    expect((await client.patch(path, { expectedVersion: 1, subject: null })).data.subject).toBeNull()
    const answer = await client.patch(path, { expectedVersion: 2, body: '' })
    expect([outcome(answer), issuePaths(answer)]).toEqual(['422 validation_error', ['/subject']])
  })

  it('cannot lose both with one request, which alone shows that: 400, before a stale version', async () => {
    const { client } = await given.shared()
    const { path } = await partOf(await given.shared(), 'activities', { body: 'About May' })
    const answer = await client.patch(path, { expectedVersion: 7, subject: ' ', body: null })
    expect([outcome(answer), issuePaths(answer)]).toEqual(['400 validation_error', ['/subject']])
  })

  it('keeps its type: 400', async () => {
    const { client } = await given.shared()
    const { path } = await partOf(await given.shared(), 'activities')
    const answer = await client.patch(path, { expectedVersion: 1, type: 'note' })
    expect([outcome(answer), issuePaths(answer)]).toEqual(['400 validation_error', ['/type']])
  })

  it.each([
    ['note', { direction: 'inbound' }, '/direction'],
    ['meeting', { direction: 'inbound' }, '/direction'],
    ['other', { direction: 'outbound' }, '/direction'],
    ['email', { durationSeconds: 1 }, '/durationSeconds'],
    ['note', { durationSeconds: 0 }, '/durationSeconds'],
  ])('of type %s with %j is refused: 422', async (type, members, path) => {
    const answer = await add({ type, subject: 'x', ...members })
    expect([outcome(answer), issuePaths(answer)]).toEqual(['422 validation_error', [path]])
  })

  it.each(['call', 'email', 'message'])('of type %s lies five minutes ahead at most: 422', async type => {
    const near = { type, subject: 'x', occurredAt: ahead(5 * 60_000) }
    expect((await add(near)).data.occurredAt).toBe(near.occurredAt)
    const answer = await add({ ...near, occurredAt: ahead(5 * 60_000 + 1) })
    expect([outcome(answer), issuePaths(answer)]).toEqual(['422 validation_error', ['/occurredAt']])
  })

  it('that is planned, such as a meeting, may lie ahead', async () => {
    const occurredAt = ahead(86_400_000)
    expect((await add({ type: 'meeting', subject: 'x', occurredAt })).data.occurredAt).toBe(occurredAt)
  })
})

describe('the contact of an activity', () => {
  it('is named by id or key, changed and cleared', async () => {
    const organization = await given.shared()
    const { client } = organization
    const [one, other] = [await aRecord('contact', organization), await aRecord('contact', organization)]
    const { path, record } = await partOf(organization, 'activities', { contact: { externalId: one.externalId } })
    expect(record).toMatchObject({ contactId: one.id })
    const changed = await client.patch(path, { expectedVersion: 1, contact: { id: other.id } })
    expect(changed.data.contactId).toBe(other.id)
    const cleared = await client.patch(path, { expectedVersion: 2, contact: null })
    expect(cleared.data).toMatchObject({ contactId: null, version: 3 })
  })

  it.each([{ id: unknownId }, { externalId: 'nobody' }])(
    'that does not exist is 404 at its place: %j',
    async contact => {
      const answer = await add({ ...aPart.activities, contact })
      expect([outcome(answer), answer.details.path]).toEqual(['404 not_found', '/contact'])
      const { path } = await partOf(await given.shared(), 'activities')
      const patched = await (await given.shared()).client.patch(path, { expectedVersion: 7, contact })
      expect(outcome(patched)).toBe('404 not_found')
    },
  )

  it('that was deleted is 410 by its key, also where the version is stale', async () => {
    const organization = await given.shared()
    const { client } = organization
    const { id, externalId } = await aRecord('contact', organization)
    await client.delete(`/contacts/${id}?expectedVersion=1&mode=full`)
    const { path, collection } = await partOf(organization, 'activities')
    for (const answer of [
      await client.post(collection, { ...aPart.activities, contact: { externalId } }),
      await client.patch(path, { expectedVersion: 7, contact: { externalId } }),
    ])
      expect([outcome(answer), answer.details]).toEqual([
        '410 external_reference_deleted',
        { kind: 'contact', path: '/contact' },
      ])
  })

  it('that was anonymized stays where it was named before, and is 410 elsewhere', async () => {
    const organization = await given.shared()
    const { client } = organization
    const { id } = await aRecord('contact', organization)
    const { path, collection, record } = await partOf(organization, 'activities', { contact: { id } })
    await client.delete(`/contacts/${id}?expectedVersion=1`)
    expect((await client.get(collection)).items).toEqual([record])
    const changed = { expectedVersion: 1, outcome: 'Agreed', contact: { id } }
    expect((await client.patch(path, changed)).data).toMatchObject({ version: 2, contactId: id })
    expect(outcome(await client.post(collection, { ...aPart.activities, contact: { id } }))).toBe(
      '410 resource_deleted',
    )
    const other = await partOf(organization, 'activities')
    const answer = await client.patch(other.path, { expectedVersion: 1, contact: { id } })
    expect(outcome(answer)).toBe('410 resource_deleted')
  })

  it.each([{}, { id: unknownId, externalId: 'a' }, { name: 'a' }, [{ id: unknownId }]])(
    'in another form is 400: %j',
    async contact => {
      expect(outcome(await add({ ...aPart.activities, contact }))).toBe('400 validation_error')
    },
  )
})

it('lists activities by when they happened, the latest first, then by id', async () => {
  const { client } = await given.shared()
  const { collection, record } = await partOf(await given.shared(), 'activities')
  const place = async (occurredAt: string) => (await client.post(collection, { ...aPart.activities, occurredAt })).data
  const early = await place('2026-01-01T00:00:00Z')
  const late = await place(ahead(60_000))
  const twin = await place('2026-01-01T00:00:00.000Z')
  const expected = [late, record, twin, early].map(({ id }) => id)
  expect((await client.get(collection)).items.map(({ id }) => id)).toEqual(expected)
  const first = await client.get(`${collection}?limit=3`)
  const second = await client.get(`${collection}?limit=3&cursor=${first.meta.nextCursor}`)
  expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(expected)
  expect(second.meta.nextCursor).toBeNull()
})
