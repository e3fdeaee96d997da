import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import type { TestOrganization } from '../support/organization.ts'
import { useApi } from './support/given.ts'
import { aPair, commitMerge, type MergedKind, mergedKinds } from './support/merges.ts'
import { erase } from './support/persons.ts'
import { aRecord, outcome, plurals } from './support/requests.ts'

const given = useApi()

/** What the 404 of a record says of where it went: read alone, and as an element of a batch. */
async function trailOf({ client }: TestOrganization, kind: MergedKind, { id }: JsonObject) {
  const read = await client.get(`/${plurals[kind]}/${id}`)
  expect(outcome(read)).toBe('404 not_found')
  if (kind === 'company') return read.details
  const { items } = await client.post('/contacts/batch/get', { items: [{ id }] })
  expect(items).toMatchObject([{ status: 404, error: { details: read.details } }])
  return read.details
}

describe.each(mergedKinds)('a %s that was merged into another', kind => {
  it('refers to the record in which a chain of merges ended, and so does each on the way', async () => {
    const organization = await given.shared()
    const [first, second] = await aPair(kind, organization)
    const third = await aRecord(kind, organization, { externalId: null })
    await commitMerge(organization.client, kind, [second, third])
    await commitMerge(organization.client, kind, [first, { ...second, version: 2 }])
    const trails = [await trailOf(organization, kind, third), await trailOf(organization, kind, second)]
    expect(trails).toEqual([{ mergedIntoId: first.id }, { mergedIntoId: first.id }])
  })

  it('leads nowhere once that one is deleted, whichever way it is named', async () => {
    const organization = await given.shared()
    const { client } = organization
    const [first, second] = await aPair(kind, organization)
    const [third, other] = await aPair(kind, organization, {}, { externalId: `trail-${kind}` })
    await commitMerge(client, kind, [second, third])
    await commitMerge(client, kind, [first, { ...second, version: 2 }])
    const body = kind === 'contact' ? { mode: 'full' } : {}
    expect((await client.post(`/${plurals[kind]}/${first.id}/delete/commit`, body)).status).toBe(200)
    for (const gone of [second, third]) expect(await trailOf(organization, kind, gone)).toEqual({})
    const preview = (secondary: JsonObject) =>
      client.post(`/${plurals[kind]}/merge/preview`, { primary: { id: third.id }, secondary })
    const refused = [await preview({ id: other.id }), await preview({ externalId: `trail-${kind}` })]
    expect(refused.map(({ details }) => details)).toEqual([{ path: '/primary' }, { path: '/primary' }])
  })

  it('is named in the 404 of a merge beside a record that is named by key', async () => {
    const organization = await given.shared()
    const { client } = organization
    const [primary, secondary] = await aPair(kind, organization)
    await aRecord(kind, organization, { externalId: `beside-${kind}` })
    await commitMerge(client, kind, [primary, secondary])
    const body = { primary: { externalId: `beside-${kind}` }, secondary: { id: secondary.id } }
    const answer = await client.post(`/${plurals[kind]}/merge/preview`, body)
    expect([outcome(answer), answer.details]).toEqual([
      '404 not_found',
      { path: '/secondary', mergedIntoId: primary.id },
    ])
  })
})

it('a contact that was merged into one who is anonymized refers to no record', async () => {
  const organization = await given.shared()
  const [primary, secondary] = await aPair('contact', organization)
  await commitMerge(organization.client, 'contact', [primary, secondary])
  expect((await erase(organization, primary.id, 'anonymize', 2)).status).toBe(200)
  expect(await trailOf(organization, 'contact', secondary)).toEqual({})
})
