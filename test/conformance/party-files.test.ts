import { describe, expect, it } from 'vitest'
import { partyKinds } from './support/activities.ts'
import { factsOf } from './support/facts.ts'
import { aFile, attach, download, namesIn } from './support/files.ts'
import { useApi } from './support/given.ts'
import { aRecord, outcome, plurals } from './support/requests.ts'
import { bytesOf, fillWithFiles, storedFiles } from './support/stored-files.ts'

const given = useApi()

describe.each(partyKinds)('files of a %s', kind => {
  const pathOf = ({ id }: { readonly id?: unknown }) => `/${plurals[kind]}/${id}`

  it('are attached in one step of their owner, listed, and fetched by a signed link', async () => {
    const organization = await given.organization()
    const { client } = organization
    const record = await aRecord(kind, organization)
    const owner = pathOf(record)
    const facts = await factsOf(given, organization, async () => {
      const { status, items, meta } = await attach(client, owner, 1, [aFile('one', 'one.txt'), aFile('two', 'two.txt')])
      expect([status, meta]).toEqual([201, { version: 2, failed: [] }])
      expect(items[0]).toMatchObject({ [`${kind}Id`]: record.id, name: 'one.txt', sizeBytes: 3 })
    })
    expect(facts.events).toMatchObject([{ kind: `${kind}.updated`, version: 2, changedFields: ['files'] }])
    const listed = await client.get(`${owner}/files`)
    expect(namesIn(listed).toSorted()).toEqual(['one.txt', 'two.txt'])
    expect((await download(listed.items.find(({ name }) => name === 'two.txt')?.url)).bytes.toString()).toBe('two')
    expect(await bytesOf(given, organization)).toEqual([6, 6])
  })

  it('that are detached are removed: the link is 404, the bytes are gone, and the quota has their room again', async () => {
    const organization = await given.organization()
    const { client } = organization
    const owner = pathOf(await aRecord(kind, organization))
    const { items } = await attach(client, owner, 1, [aFile('one', 'one.txt'), aFile('three', 'three.txt')])
    const [gone] = items
    expect(outcome(await client.delete(`${owner}/files/${gone?.id}?expectedVersion=1`))).toBe('409 version_conflict')
    const detached = await client.delete(`${owner}/files/${gone?.id}?expectedVersion=2`)
    expect([detached.status, detached.data]).toEqual([200, { id: gone?.id, detached: true, version: 3 }])
    expect((await download(gone?.url)).status).toBe(404)
    expect(namesIn(await client.get(`${owner}/files`))).toEqual(['three.txt'])
    expect(await storedFiles(given, organization)).toEqual([items[1]?.id])
    expect(await bytesOf(given, organization)).toEqual([5, 5])
  })

  it('are a thousand at most', async () => {
    const organization = await given.organization()
    const record = await aRecord(kind, organization)
    await fillWithFiles(given, organization, kind, record.id, 999)
    const two = await attach(organization.client, pathOf(record), 1, [aFile(), aFile()])
    expect([outcome(two), two.details.limit]).toEqual(['422 validation_error', 1000])
    expect(await storedFiles(given, organization)).toEqual([])
    expect((await attach(organization.client, pathOf(record), 1)).status).toBe(201)
  })
})

it('a company that is deleted takes its activities and files with it, bytes and room included', async () => {
  const organization = await given.organization()
  const { client } = organization
  const company = await aRecord('company', organization)
  await client.post(`/companies/${company.id}/activities`, { type: 'note', subject: 'Chairs' })
  const { items } = await attach(client, `/companies/${company.id}`, 2, [aFile('one'), aFile('two')])
  expect((await client.post(`/companies/${company.id}/delete/commit`, {})).status).toBe(200)
  expect(await storedFiles(given, organization)).toEqual([])
  expect(await bytesOf(given, organization)).toEqual([0, 0])
  expect((await download(items[0]?.url)).status).toBe(404)
  for (const table of ['company_activities', 'company_files', 'files'])
    expect(await given.sql(`select 1 from ${table} where organization_id = $1`, [organization.id])).toEqual([])
})
