import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { objectOf } from '../support/client.ts'
import type { TestOrganization } from '../support/organization.ts'
import { factsOf } from './support/facts.ts'
import { useApi } from './support/given.ts'
import { aPair, commitMerge, fieldOf, type MergedKind, mergedKinds, previewMerge } from './support/merges.ts'
import { outcome, plurals, unknownId } from './support/requests.ts'
import { aTag } from './support/tags.ts'

const given = useApi()

async function someTags(organization: TestOrganization, count: number): Promise<string[]> {
  const tags: string[] = []
  while (tags.length < count) tags.push(await aTag(given, organization))
  return tags
}

/** Two records with these tags. */
async function aTaggedPair(kind: MergedKind, organization: TestOrganization, ...sets: readonly (readonly string[])[]) {
  const { client } = organization
  const pair: JsonObject[] = []
  for (const [index, { id }] of (await aPair(kind, organization)).entries()) {
    const tags = (sets[index] ?? []).map(tag => ({ id: tag }))
    await client.put(`/${plurals[kind]}/${id}/tags`, { expectedVersion: 1, tags })
    pair.push((await client.get(`/${plurals[kind]}/${id}`)).data)
  }
  return pair
}

describe.each(mergedKinds)('the tags of a merged %s', kind => {
  it('are those of both, each once, in the one order of a set', async () => {
    const organization = await given.organization()
    const { client } = organization
    const [one = '', two = '', three = ''] = await someTags(organization, 3)
    const pair = await aTaggedPair(kind, organization, [three, two], [one, two])
    const told = await previewMerge(client, kind, pair)
    expect(fieldOf(told, 'tagIds')?.outcome).toBe('union')
    const { events } = await factsOf(given, organization, async () => {
      const { data } = await commitMerge(client, kind, pair)
      expect(data).toMatchObject({ primary: { version: 3, tagIds: [one, two, three] }, moved: { tags: 1 } })
    })
    expect(events).toMatchObject([{ kind: `${kind}.merged`, changedFields: ['tags'] }, { kind: `${kind}.deleted` }])
    const path = `/${plurals[kind]}/${pair[0]?.id}/tags`
    const { items, meta } = await client.get(path)
    expect([items.map(({ id }) => id).toSorted(), meta]).toEqual([[one, two, three], { version: 3 }])
    const same = { expectedVersion: 3, tags: [two, three, one].map(id => ({ id })) }
    expect((await client.put(path, same)).meta).toEqual({ version: 3 })
  })

  it('are the same where both have the same, in whatever order these were given', async () => {
    const organization = await given.organization()
    const [one = '', two = ''] = await someTags(organization, 2)
    const pair = await aTaggedPair(kind, organization, [one, two], [two, one])
    expect(fieldOf(await previewMerge(organization.client, kind, pair), 'tagIds')?.outcome).toBe('same')
    const { data } = await commitMerge(organization.client, kind, pair)
    expect([objectOf(data.primary).tagIds, objectOf(data.moved).tags]).toEqual([[one, two], 0])
  })

  it('are never more than a record may have: 422, as the preview says', async () => {
    const organization = await given.organization()
    const tags = await someTags(organization, 101)
    const pair = await aTaggedPair(kind, organization, tags.slice(0, 60), tags.slice(50))
    const blockers = [{ code: 'list_too_long', field: 'tagIds', count: 101, limit: 100 }]
    expect((await previewMerge(organization.client, kind, pair)).data.blockers).toEqual(blockers)
    const refused = await commitMerge(organization.client, kind, pair)
    expect([outcome(refused), refused.details.blockers]).toEqual(['422 validation_error', blockers])
  })

  it('are 404 on the routes of the record that went, which name the one that stays', async () => {
    const organization = await given.shared()
    const { client } = organization
    const [primary, secondary] = await aPair(kind, organization)
    await commitMerge(client, kind, [primary, secondary])
    const path = `/${plurals[kind]}/${secondary.id}/tags`
    const gone = ['404 not_found', { mergedIntoId: primary.id }]
    for (const answer of [await client.get(path), await client.put(path, { expectedVersion: 1, tags: [] })]) {
      expect([outcome(answer), answer.details]).toEqual(gone)
    }
    const unknown = await client.put(path, { expectedVersion: 1, tags: [{ id: unknownId }] })
    expect([outcome(unknown), unknown.details]).toEqual(gone)
  })
})
