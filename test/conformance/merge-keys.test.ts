import { describe, expect, it } from 'vitest'
import type { Client } from '../support/client.ts'
import { useApi } from './support/given.ts'
import { aPair, commitMerge, mergedKinds } from './support/merges.ts'
import { aRecord, outcome, plurals } from './support/requests.ts'

const given = useApi()

describe.each(mergedKinds)('the keys of two %s records that are merged', kind => {
  const path = `/${plurals[kind]}`
  const byKey = async (client: Client, key: string) => {
    const { items, status, error } = await client.get(`${path}?externalId=${key}`)
    return status === 200 ? (items[0]?.id ?? null) : `${status} ${String(error.code)}`
  }

  it('without a conflict: that of the secondary addresses the primary, at its new version', async () => {
    const organization = await given.organization()
    const { client } = organization
    const [primary, secondary] = await aPair(kind, organization, {}, { externalId: 'moved' })
    const { data } = await commitMerge(client, kind, [primary, secondary])
    expect(data).toMatchObject({
      primary: { id: primary.id, externalId: 'moved' },
      movedExternalId: 'moved',
      tombstonedExternalId: null,
    })
    expect(await byKey(client, 'moved')).toBe(primary.id)
    const upsert = { externalId: 'moved', source: 'web' }
    expect(outcome(await client.post(`${path}/upsert`, { ...upsert, expectedVersion: 1 }))).toBe('409 version_conflict')
    const upserted = await client.post(`${path}/upsert`, { ...upsert, expectedVersion: 2 })
    expect([upserted.status, upserted.data.id, upserted.data.version]).toEqual([200, primary.id, 3])
  })

  it('that the primary alone has stays, and keep_primary is ignored', async () => {
    const organization = await given.organization()
    const pair = await aPair(kind, organization, { externalId: 'kept' })
    const keep = { externalIdConflictResolution: 'keep_primary' }
    const { data } = await commitMerge(organization.client, kind, pair, keep)
    expect(data).toMatchObject({
      primary: { externalId: 'kept' },
      movedExternalId: null,
      tombstonedExternalId: null,
    })
  })

  it('with keep_primary: that of the secondary answers 410 everywhere', async () => {
    const organization = await given.organization()
    const { client } = organization
    const pair = await aPair(kind, organization, { externalId: 'kept' }, { externalId: 'gone' })
    const keep = { externalIdConflictResolution: 'keep_primary' }
    const { data } = await commitMerge(client, kind, pair, keep)
    expect(data).toMatchObject({
      primary: { externalId: 'kept' },
      movedExternalId: null,
      tombstonedExternalId: 'gone',
    })
    const gone = '410 external_reference_deleted'
    expect(await byKey(client, 'gone')).toBe(gone)
    const record = await aRecord(kind, organization)
    const uses = [
      await client.post(`${path}/upsert`, { externalId: 'gone', lastName: 'x', name: undefined }),
      await client.patch(`${path}/${record.id}`, { expectedVersion: 1, externalId: 'gone' }),
      await client.post('/deals', { title: 'x', [plurals[kind]]: [{ externalId: 'gone' }] }),
      await client.post(`${path}/merge/preview`, { primary: { id: record.id }, secondary: { externalId: 'gone' } }),
    ]
    expect(uses.slice(kind === 'contact' ? 0 : 1).map(outcome)).toEqual(
      uses.slice(kind === 'contact' ? 0 : 1).map(() => gone),
    )
    const rows = await given.sql('select gone, reason, key from external_keys where resource_id = $1', [pair[1].id])
    expect(rows).toMatchObject([{ gone: true, reason: 'merged' }])
    expect(rows[0]?.key).not.toBe('gone')
  })

  it('of other applications move, or become tombstones where the primary has one', async () => {
    const organization = await given.organization()
    const [second, third] = [await organization.application(), await organization.application()]
    const [primary, secondary] = await aPair(kind, organization)
    await second.client.patch(`${path}/${primary.id}`, { expectedVersion: 1, externalId: 'second-a' })
    await second.client.patch(`${path}/${secondary.id}`, { expectedVersion: 1, externalId: 'second-b' })
    await third.client.patch(`${path}/${secondary.id}`, { expectedVersion: 2, externalId: 'third-b' })
    const starts = await Promise.all([second, third].map(({ client }) => client.get('/changes/cursor')))
    const versions = { expectedPrimaryVersion: 2, expectedSecondaryVersion: 3 }
    const { data } = await commitMerge(organization.client, kind, [primary, secondary], versions)
    expect(data).toMatchObject({ primary: { externalId: null }, movedExternalId: null, tombstonedExternalId: null })
    expect(await byKey(second.client, 'second-a')).toBe(primary.id)
    expect(await byKey(second.client, 'second-b')).toBe('410 external_reference_deleted')
    expect(await byKey(third.client, 'third-b')).toBe(primary.id)

    const seen = await Promise.all(
      [second, third].map(async ({ client }, index) =>
        (await client.get(`/changes?after=${starts[index]?.data.cursor}`)).items.map(
          ({ kind: word, externalId, externalIdTombstoned }) => [word, externalId, externalIdTombstoned],
        ),
      ),
    )
    expect(seen).toEqual([
      [
        [`${kind}.merged`, 'second-a', true],
        [`${kind}.deleted`, 'second-b', true],
      ],
      [
        [`${kind}.merged`, 'third-b', false],
        [`${kind}.deleted`, 'third-b', false],
      ],
    ])
  })

  it('stay on the events of both, past and coming', async () => {
    const organization = await given.organization()
    const { client } = organization
    const { cursor } = (await client.get('/changes/cursor')).data
    const pair = await aPair(kind, organization, { externalId: 'kept' }, { externalId: 'gone' })
    await commitMerge(client, kind, pair, { externalIdConflictResolution: 'keep_primary' })
    const { items } = await client.get(`/changes?after=${cursor}`)
    for (const { resourceId, externalId } of items) expect(externalId).toBe(resourceId === pair[0].id ? 'kept' : 'gone')
    expect(items).toHaveLength(4)
  })

  it('of a record that was merged before are tombstones with the record that it went into', async () => {
    const organization = await given.organization()
    const { client } = organization
    const [primary, secondary] = await aPair(kind, organization, {}, { externalId: 'moved' })
    await commitMerge(client, kind, [primary, secondary])
    const body = kind === 'contact' ? { mode: 'full' } : {}
    expect((await client.post(`${path}/${primary.id}/delete/commit`, body)).data.externalIdTombstoned).toBe(true)
    expect(await byKey(client, 'moved')).toBe('410 external_reference_deleted')
  })
})
