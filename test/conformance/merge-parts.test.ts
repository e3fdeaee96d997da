import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import type { TestOrganization } from '../support/organization.ts'
import { factsOf } from './support/facts.ts'
import { aFile, attach, download, namesIn } from './support/files.ts'
import { useApi } from './support/given.ts'
import { aPair, commitMerge, mergedKinds, previewMerge } from './support/merges.ts'
import { aRecord, outcome, plurals } from './support/requests.ts'
import { bytesOf, fillWithFiles, fillWithNotes, storedFiles } from './support/stored-files.ts'

const given = useApi()
const limit = 10_000

const note = async ({ client }: TestOrganization, path: string, subject: string) =>
  (await client.post(`${path}/activities`, { type: 'note', subject })).data

describe.each(mergedKinds)('activities and files of a merged %s', kind => {
  const [activities, files] = [`${kind}Activities`, `${kind}Files`]
  const pathOf = ({ id }: { readonly id?: unknown }) => `/${plurals[kind]}/${id}`

  /** A pair with one activity and file of the primary, and two activities and one file of the secondary. */
  async function aNotedPair(organization: TestOrganization) {
    const [primary, secondary] = await aPair(kind, organization)
    await note(organization, pathOf(primary), 'Of the primary')
    const moved = [
      await note(organization, pathOf(secondary), 'One'),
      await note(organization, pathOf(secondary), 'Two'),
    ]
    await attach(organization.client, pathOf(primary), 2, [aFile('p', 'p.txt')])
    const [file] = (await attach(organization.client, pathOf(secondary), 3, [aFile('s', 's.txt')])).items
    const pair: readonly [JsonObject, JsonObject] = [
      { ...primary, version: 3 },
      { ...secondary, version: 4 },
    ]
    return { pair, moved, file: file ?? {} }
  }

  it('belong to the primary then; the preview counts them, and the answer says how many moved', async () => {
    const organization = await given.organization()
    const { client } = organization
    const { pair, moved, file } = await aNotedPair(organization)
    const [primary, secondary] = pair
    const told = await previewMerge(client, kind, pair)
    expect(told.data.links).toMatchObject({
      [activities]: { primary: 1, secondary: 2, merged: 3 },
      [files]: { primary: 1, secondary: 1, merged: 2 },
    })
    const merged = await commitMerge(client, kind, pair)
    expect([merged.status, merged.data.moved]).toMatchObject([200, { [activities]: 2, [files]: 1 }])

    const { items } = await client.get(`${pathOf(primary)}/activities`)
    expect(items.map(({ subject, version }) => [subject, version]).toSorted()).toEqual([
      ['Of the primary', 1],
      ['One', 2],
      ['Two', 2],
    ])
    const listed = await client.get(`${pathOf(primary)}/files`)
    expect(namesIn(listed).toSorted()).toEqual(['p.txt', 's.txt'])
    // The id of an activity and the link of a file are as good as before.
    const changed = await client.patch(`${pathOf(primary)}/activities/${moved[0]?.id}`, {
      expectedVersion: 2,
      subject: 'x',
    })
    expect(changed.status).toBe(200)
    expect((await download(file.url)).bytes.toString()).toBe('s')
    expect(await storedFiles(given, organization)).toHaveLength(2)
    expect(await bytesOf(given, organization)).toEqual([2, 2])
    const gone = await client.get(`${pathOf(secondary)}/activities`)
    expect([outcome(gone), gone.details.mergedIntoId]).toEqual(['404 not_found', primary.id])
  })

  it('are named by the event and the audit entry of the primary', async () => {
    const organization = await given.organization()
    const { pair } = await aNotedPair(organization)
    const facts = await factsOf(given, organization, () => commitMerge(organization.client, kind, pair))
    expect(facts.events.map(event => [event.kind, event.version, event.changedFields])).toEqual([
      [`${kind}.merged`, 4, ['activities', 'files']],
      [`${kind}.deleted`, 5, []],
    ])
    const [entry] = facts.audit.filter(({ action }) => action === `${kind}.merged`)
    expect(entry?.changes).toEqual([
      { field: 'activities', before: null, after: { moved: 2 } },
      { field: 'files', before: null, after: { moved: 1 } },
    ])
    const reader = await organization.token([
      'crm_audit_read',
      kind === 'contact' ? 'crm_contacts_read' : 'crm_companies_read',
    ])
    const shown = await reader.get(`/audit?action=${kind}.merged`)
    expect(shown.items[0]?.changes).toEqual([
      { field: 'activities', before: null, after: { moved: 2 } },
      { field: 'files', redacted: true },
    ])
  })

  it('are not merged into more than a thousand files', async () => {
    const organization = await given.organization()
    const { client } = organization
    const pair = await aPair(kind, organization)
    await fillWithFiles(given, organization, kind, pair[0].id, 600)
    await fillWithFiles(given, organization, kind, pair[1].id, 401)
    const blockers = [{ code: 'list_too_long', field: 'files', count: 1001, limit: 1000 }]
    expect((await previewMerge(client, kind, pair)).data.blockers).toEqual(blockers)
    const refused = await commitMerge(client, kind, pair)
    expect([outcome(refused), refused.details.blockers]).toEqual(['422 validation_error', blockers])
  })

  it('are moved up to ten thousand at once, however many the primary has', async () => {
    const organization = await given.organization()
    const { client } = organization
    const pair = await aPair(kind, organization)
    const [primary, secondary] = pair
    await fillWithNotes(given, organization, kind, primary.id, limit + 2)
    await fillWithNotes(given, organization, kind, secondary.id, limit + 1)
    const { data: told } = await previewMerge(client, kind, pair)
    expect(told.blockers).toEqual([{ code: 'too_many_links', count: limit + 1, limit }])
    expect(told.links).toMatchObject({
      [activities]: { primary: limit + 2, secondary: limit + 1, merged: 2 * limit + 3 },
    })
    expect(outcome(await commitMerge(client, kind, pair))).toBe('422 validation_error')

    await given.sql(
      `delete from ${kind}_activities t where t.organization_id = $1 and t.id in (
         select x.id from ${kind}_activities x where x.organization_id = $1 and x.${kind}_id = $2 limit 1)`,
      [organization.id, secondary.id],
    )
    const merged = await commitMerge(client, kind, pair)
    expect([merged.status, merged.data.moved]).toMatchObject([200, { [activities]: limit }])
    const left = `select count(*)::integer as count from ${kind}_activities where organization_id = $1 and ${kind}_id = $2`
    expect(await given.sql(left, [organization.id, primary.id])).toEqual([{ count: 2 * limit + 2 }])
  })

  it('lose nothing that writers add meanwhile: each note is refused, or belongs to the primary', async () => {
    const organization = await given.organization()
    const { client } = organization
    const [primary, secondary] = await aPair(kind, organization)
    const subjects = Array.from({ length: 8 }, (_, index) => `Note ${index}`)
    const [merged, ...added] = await Promise.all([
      commitMerge(client, kind, [primary, secondary]),
      ...subjects.map(subject => client.post(`${pathOf(secondary)}/activities`, { type: 'note', subject })),
    ])
    expect(['200', '409 version_conflict']).toContain(outcome(merged))
    const kept = added.filter(({ status }) => status === 201).map(({ data }) => data.subject)
    for (const answer of added) expect(['201', '404 not_found']).toContain(outcome(answer))
    const owner = merged.status === 200 ? primary : secondary
    const { items } = await client.get(`${pathOf(owner)}/activities`)
    expect(items.map(({ subject }) => subject).toSorted()).toEqual(kept.toSorted())
  })
})

it('a merge of contacts leads the activities of deals and of companies to the primary, each under its own name', async () => {
  const organization = await given.organization()
  const { client } = organization
  const pair = await aPair('contact', organization)
  const [primary, secondary] = pair
  const [deal, company] = [await aRecord('deal', organization), await aRecord('company', organization)]
  const body = { type: 'note', subject: 'Chairs', contact: { id: secondary.id } }
  for (const owner of [`/deals/${deal.id}`, `/companies/${company.id}`]) await client.post(`${owner}/activities`, body)
  const { links } = (await previewMerge(client, 'contact', pair)).data
  const one = { primary: 0, secondary: 1, merged: 1 }
  expect(links).toMatchObject({
    activities: one,
    companyActivities: one,
    contactActivities: { ...one, secondary: 0, merged: 0 },
  })
  expect((await commitMerge(client, 'contact', pair)).data.moved).toMatchObject({
    activities: 1,
    companyActivities: 1,
    contactActivities: 0,
  })
  const { items } = await client.get(`/companies/${company.id}/activities`)
  expect(items).toMatchObject([{ contactId: primary.id, version: 2 }])
})
