import { describe, expect, it } from 'vitest'
import { anActivityOf } from './support/activities.ts'
import { everything } from './support/everything.ts'
import { aFile, attach, download } from './support/files.ts'
import { useApi } from './support/given.ts'
import { commitMerge, previewMerge, resolveAll } from './support/merges.ts'
import { aPerson, erase, person, traces } from './support/persons.ts'
import { aRecord, outcome } from './support/requests.ts'
import { bytesOf, fillWithNotes, storedFiles } from './support/stored-files.ts'

const given = useApi()

const note = { type: 'call', subject: 'Called Zwetschkenbaum', body: 'Xantippe wants an offer', outcome: 'barometer' }

describe.each(['anonymize', 'full'])('an erasure by mode %s', mode => {
  it('reaches the activities and files of the person: rows, bytes, audit values and stored answers', async () => {
    const organization = await given.organization()
    const { client } = organization
    const contact = await aPerson(organization)
    const path = `/contacts/${contact.id}`
    const options = { key: 'note' }
    const added = await client.post(`${path}/activities`, note, options)
    const changed = { expectedVersion: 1, body: 'Yolanda called again' }
    await client.patch(`${path}/activities/${added.data.id}`, changed)
    const { items } = await attach(client, path, 3, [aFile('Leipzigfair', 'Zwetschkenbaum.txt'), aFile('two')])
    const kept = await attach(client, `/tasks/${(await aRecord('task', organization)).id}`, 1)
    expect(await everything(given, organization)).toMatch(traces)

    expect((await erase(organization, contact.id, mode, 4)).status).toBe(200)
    expect(await everything(given, organization)).not.toMatch(traces)
    expect(await storedFiles(given, organization)).toEqual([kept.items[0]?.id])
    const size = Number(kept.items[0]?.sizeBytes)
    expect(await bytesOf(given, organization)).toEqual([size, size])
    expect((await download(items[0]?.url)).status).toBe(404)
    expect(outcome(await client.post(`${path}/activities`, note, options))).toBe('410 resource_deleted')
    const receipts = 'select reached from erasure_receipts where organization_id = $1'
    expect(await given.sql(receipts, [organization.id])).toMatchObject([
      { reached: { contactActivities: 1, contactFiles: 2 } },
    ])
  })

  it('reaches what came to the person by a merge', async () => {
    const organization = await given.organization()
    const { client } = organization
    const [contact, other] = [await aPerson(organization, { externalId: null }), await aRecord('contact', organization)]
    await client.post(`/contacts/${contact.id}/activities`, note)
    await attach(client, `/contacts/${contact.id}`, 2, [aFile('Leipzigfair', 'Zwetschkenbaum.txt')])
    const pair = [
      { ...other, version: 1 },
      { ...contact, version: 3 },
    ]
    const fieldResolutions = resolveAll(await previewMerge(client, 'contact', pair), 'primary')
    expect((await commitMerge(client, 'contact', pair, { fieldResolutions })).status).toBe(200)
    expect((await erase(organization, other.id, mode, 2)).status).toBe(200)
    expect(await everything(given, organization)).not.toMatch(traces)
    expect(await storedFiles(given, organization)).toEqual([])
  })

  it('reaches as many activities as there are', async () => {
    const organization = await given.organization()
    const { id } = await aRecord('contact', organization)
    await fillWithNotes(given, organization, 'contact', id, 12_000)
    expect((await erase(organization, id, mode)).status).toBe(200)
    expect(await given.sql('select 1 from contact_activities where organization_id = $1', [organization.id])).toEqual(
      [],
    )
  })
})

describe('an anonymized contact', () => {
  it('has no activities and files that could be read, added, changed or removed', async () => {
    const organization = await given.organization()
    const { client } = organization
    const { path, collection, owner, ownerPath } = await anActivityOf('contact', organization)
    expect((await erase(organization, owner.id, 'anonymize', 2)).status).toBe(200)
    const answers = [
      await client.get(collection),
      await client.post(collection, note),
      await client.patch(path, { expectedVersion: 1 }),
      await client.delete(`${path}?expectedVersion=1`),
      await client.get(`${ownerPath}/files`),
      await attach(client, ownerPath, 3),
      await client.delete(`${ownerPath}/files/${owner.id}?expectedVersion=3`),
    ]
    expect(answers.map(outcome)).toEqual(answers.map(() => '410 resource_deleted'))
    expect(await storedFiles(given, organization)).toEqual([])
  })
})

it('an erasure finds a former address behind any number of notes', async () => {
  const organization = await given.organization()
  const { client } = organization
  const { id } = await aPerson(organization, { externalId: null })
  const address = 'xantippe@barometer.example'
  const task = await aRecord('task', organization)
  const headers = { 'x-request-id': `for-${address}` }
  await client.patch(`/tasks/${task.id}`, { expectedVersion: 1, priority: 'high' }, { headers })
  const emails = [{ value: 'anna@example.com' }]
  await client.patch(`/contacts/${id}`, { expectedVersion: 1, contactData: { ...person.contactData, emails } })
  await given.sql(
    `insert into audit_entries (organization_id, id, occurred_at, resource_type, resource_id, action, actor_type, request_id,
       changes)
     select $1, gen_random_uuid(), now() + interval '1 day', 'contact', $2, 'contact.updated', 'application', $2,
            '[{"field": "activities", "before": null, "after": {}}]' from generate_series(1, 1000)`,
    [organization.id, id],
  )
  expect((await everything(given, organization)).includes(`for-${address}`)).toBe(true)
  expect((await erase(organization, id, 'full', 2)).status).toBe(200)
  expect((await everything(given, organization)).includes(address)).toBe(false)
})
