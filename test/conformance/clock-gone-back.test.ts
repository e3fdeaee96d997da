import { describe, expect, it } from 'vitest'
import { scopes } from '../../server/src/kernel/index.ts'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { createToken, rotateToken } from '../../server/src/settings/index.ts'
import { Client } from '../support/client.ts'
import type { TestOrganization } from '../support/organization.ts'
import { aChecklist } from './support/checklists.ts'
import { attach } from './support/files.ts'
import { useApi } from './support/given.ts'
import { anIntegration, integrationsPath } from './support/integrations.ts'
import { aPart, parts } from './support/parts.ts'
import { aChange, aRecord, batchKinds, kinds, plurals } from './support/requests.ts'

const hour = 3_600_000
const given = useApi()

const now = () => new Date(given.clock.now()).toISOString()

/** Sets the clock of the server back; gives the time that it showed before. */
function goBack(): string {
  const time = now()
  given.clock.advance(-hour)
  return time
}

/** Where the feed of changes is. */
const cursorOf = async ({ client }: TestOrganization) => String((await client.get('/changes/cursor')).data.cursor)

/** Changes to a record are told in the order in which they were made, also by their times. */
async function expectInOrder({ client }: TestOrganization, start: string, id: unknown, versions: number) {
  const isOfRecord = ({ resourceId }: JsonObject) => resourceId === id
  const changes = (await client.get(`/changes?after=${start}`)).items.filter(isOfRecord)
  const entries = (await client.get('/audit')).items.filter(isOfRecord).toReversed()
  for (const told of [changes, entries]) {
    expect(told).toHaveLength(versions)
    const times = told.map(({ occurredAt }) => String(occurredAt))
    expect(times).toEqual(times.toSorted())
  }
  expect(entries.map(({ versionBefore }) => Number(versionBefore))).toEqual(entries.map((_, index) => index))
}

describe('when the clock of the server goes back', () => {
  it.each(kinds)('the time of a changed %s stays, and goes on when the clock has caught up', async kind => {
    const organization = await given.organization()
    const start = await cursorOf(organization)
    const { id } = await aRecord(kind, organization)
    const before = goBack()
    const path = `/${plurals[kind]}/${id}`
    const changed = await organization.client.patch(path, { expectedVersion: 1, ...aChange[kind] })
    expect(changed.data).toMatchObject({ version: 2, createdAt: before, updatedAt: before })
    const tagged = await organization.client.put(`${path}/tags`, {
      expectedVersion: 2,
      tags: [{ id: organization.tag }],
    })
    expect(tagged.status).toBe(200)
    expect((await organization.client.get(path)).data).toMatchObject({ version: 3, updatedAt: before })
    given.clock.advance(hour + 1000)
    const { data } = await organization.client.put(`${path}/tags`, { expectedVersion: 3, tags: [] })
    expect(data).toBeDefined()
    expect((await organization.client.get(path)).data).toMatchObject({ version: 4, updatedAt: now() })
    await expectInOrder(organization, start, id, 4)
  })

  it.each(batchKinds)('a %s in a batch has a time of its own', async kind => {
    const organization = await given.organization()
    const { id } = await aRecord(kind, organization, { externalId: 'late' })
    const before = goBack()
    const { id: young } = await aRecord(kind, organization, { externalId: 'early' })
    const elements = ['late', 'early'].map(externalId => ({ externalId, expectedVersion: 1, ...aChange[kind] }))
    const { status } = await organization.client.post(`/${plurals[kind]}/batch/upsert`, { items: elements })
    expect(status).toBe(200)
    const read = async (record: unknown) => (await organization.client.get(`/${plurals[kind]}/${record}`)).data
    expect(await read(id)).toMatchObject({ version: 2, updatedAt: before })
    expect(await read(young)).toMatchObject({ version: 2, updatedAt: now() })
  })

  it('a deal enters and leaves its stages in order', async () => {
    const organization = await given.organization()
    const { client, stages } = organization
    const { id } = await aRecord('deal', organization)
    const before = goBack()
    const { data } = await client.patch(`/deals/${id}/move`, { expectedVersion: 1, stageUuid: stages.won })
    expect(data).toMatchObject({ stageChangedAt: before, closedAt: before, updatedAt: before })
    const { items } = await client.get(`/deals/${id}/events`)
    expect(items.map(({ createdAt }) => createdAt)).toEqual(items.map(() => before))
    const spans = await given.sql(
      'select count(*)::integer as count from deal_stage_spans s where s.organization_id = $1 and s.left_at < s.entered_at',
      [organization.id],
    )
    expect(spans).toEqual([{ count: 0 }])
  })

  it.each(parts)('new and changed %s of a deal come behind the earlier ones', async part => {
    const organization = await given.organization()
    const { client } = organization
    const { id } = await aRecord('deal', organization)
    const path = `/deals/${id}/${part}`
    const { data: first } = await client.post(path, aPart[part])
    const before = goBack()
    const { data: second } = await client.post(path, aPart[part])
    expect([first.createdAt, second.createdAt, second.updatedAt]).toEqual([before, before, before])
    if (part === 'activities') expect(second.occurredAt).toBe(before)
    const change = part === 'items' ? { quantity: '9' } : { outcome: 'Later' }
    const changed = await client.patch(`${path}/${first.id}`, { expectedVersion: 1, ...change })
    expect(changed.data).toMatchObject({ version: 2, updatedAt: before })
  })

  it('new parts of a task come behind the earlier ones', async () => {
    const organization = await given.organization()
    const { client } = organization
    const { task, path, items } = await aChecklist(organization, 1)
    const before = goBack()
    const done = await client.patch(`${path}/items/${items[0]}`, { expectedVersion: 1, isDone: true })
    expect(done.data).toMatchObject({ doneAt: before, updatedAt: before })
    const { version } = (await client.get(`/tasks/${task}`)).data
    const attached = await attach(client, `/tasks/${task}`, version)
    expect(attached.items[0]).toMatchObject({ createdAt: before })
    expect((await client.get(`/tasks/${task}`)).data.updatedAt).toBe(before)
  })

  it('an anonymized contact was changed last when it was anonymized', async () => {
    const organization = await given.organization()
    const { id } = await aRecord('contact', organization)
    const before = goBack()
    const removed = await organization.client.delete(`/contacts/${id}?expectedVersion=1`)
    expect(removed.status).toBe(200)
    const rows = await given.sql(
      'select updated_at, anonymized_at from contacts where organization_id = $1 and id = $2',
      [organization.id, id],
    )
    expect(rows).toEqual([{ updated_at: before, anonymized_at: before }])
  })

  it('a removed record was removed behind its last change', async () => {
    const organization = await given.organization()
    const start = await cursorOf(organization)
    const { id } = await aRecord('company', organization)
    goBack()
    const { status } = await organization.client.post(`/companies/${id}/delete/commit`, { expectedVersion: 1 })
    expect(status).toBe(200)
    await expectInOrder(organization, start, id, 2)
  })

  it('a merged record was changed last when it was merged', async () => {
    const organization = await given.organization()
    const [primary, secondary] = [await aRecord('contact', organization), await aRecord('contact', organization)]
    const before = goBack()
    const { status } = await organization.client.post('/contacts/merge/commit', {
      primaryId: primary.id,
      secondaryId: secondary.id,
      expectedPrimaryVersion: 1,
      expectedSecondaryVersion: 1,
      fieldResolutions: {},
      externalIdConflictResolution: 'keep_primary',
    })
    expect(status).toBe(200)
    const { data } = await organization.client.get(`/contacts/${primary.id}`)
    expect(data).toMatchObject({ version: 2, updatedAt: before })
  })

  it('a date that a change sets is not before that of the change before', async () => {
    const organization = await given.organization()
    const { id, secretUpdatedAt } = await anIntegration(organization)
    const before = goBack()
    const { data } = await organization.client.patch(`${integrationsPath}/${id}`, { secret: 'another one' })
    expect([secretUpdatedAt, data.secretUpdatedAt, data.updatedAt]).toEqual([before, before, before])
  })

  it('a token that is rotated without an overlap ends at once all the same', async () => {
    const { id: organizationId, applicationId } = await given.organization()
    const administration = { ...given.api.test, clock: given.clock }
    const input = { organizationId, applicationId, name: 'Nightly', scopes }
    const old = await createToken(administration, input)
    goBack()
    const { token } = await rotateToken(administration, { organizationId, tokenId: old.id })
    const statusOf = async (text: string) => (await new Client(given.api.url, text).get('/capabilities')).status
    expect([await statusOf(old.token), await statusOf(token)]).toEqual([401, 200])
  })
})
