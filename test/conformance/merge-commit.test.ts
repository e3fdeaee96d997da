import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import type { TestOrganization } from '../support/organization.ts'
import { factsOf, nothing } from './support/facts.ts'
import { allBut, useApi } from './support/given.ts'
import {
  aPair,
  commitMerge,
  customField,
  type MergedKind,
  mergedKinds,
  previewMerge,
  resolveAll,
} from './support/merges.ts'
import { aPerson, erase } from './support/persons.ts'
import { aRecord, issuePaths, outcome, plurals, unknownId } from './support/requests.ts'

const given = useApi()
const deleteScope = { contact: 'crm_contacts_delete', company: 'crm_companies_delete' } as const
const writeScope = { contact: 'crm_contacts_write', company: 'crm_companies_write' } as const

const read = ({ client }: TestOrganization, kind: MergedKind, { id }: JsonObject) =>
  client.get(`/${plurals[kind]}/${id}`)

describe.each(mergedKinds)('merging two %s records', kind => {
  it('answers the primary with one version more, and what moved', async () => {
    const organization = await given.organization()
    const [primary, secondary] = await aPair(kind, organization, { source: null }, { source: 'fair' })
    const { status, data, meta } = await commitMerge(organization.client, kind, [primary, secondary])
    expect([status, meta]).toEqual([200, {}])
    expect(data).toMatchObject({
      primary: { id: primary.id, version: 2, source: 'fair', createdAt: primary.createdAt },
      secondaryId: secondary.id,
      movedExternalId: null,
      tombstonedExternalId: null,
      moved: { deals: 0, tags: 0 },
    })
    expect((await read(organization, kind, primary)).data).toEqual(data.primary)
  })

  it('raises the primary by one also where nothing in it changes', async () => {
    const organization = await given.shared()
    const pair = await aPair(kind, organization)
    expect((await commitMerge(organization.client, kind, pair)).data.primary).toMatchObject({ version: 2 })
  })

  it('leaves the secondary 404 by id, which names the primary: on every route, and in a batch', async () => {
    const organization = await given.shared()
    const { client } = organization
    const [primary, secondary] = await aPair(kind, organization)
    await commitMerge(client, kind, [primary, secondary])
    const path = `/${plurals[kind]}/${secondary.id}`
    const gone = ['404 not_found', { mergedIntoId: primary.id }]
    const answers = [
      await client.get(path),
      await client.patch(path, { expectedVersion: 1, source: 'x' }),
      await client.get(`${path}/delete/preview`),
      await client.post(`${path}/delete/commit`, kind === 'contact' ? { mode: 'full' } : {}),
    ]
    expect(answers.map(answer => [outcome(answer), answer.details])).toEqual(answers.map(() => gone))
    const again = await commitMerge(client, kind, [primary, secondary], { expectedPrimaryVersion: 2 })
    expect([outcome(again), again.details]).toEqual([
      '404 not_found',
      { path: '/secondaryId', mergedIntoId: primary.id },
    ])
    if (kind === 'company') return
    const { items } = await client.post('/contacts/batch/get', { items: [{ id: secondary.id }] })
    expect(items).toMatchObject([{ status: 404, error: { details: { mergedIntoId: primary.id } } }])
  })

  it.each(['primary', 'secondary'] as const)('lets the value of the %s stay where that is chosen', async side => {
    const organization = await given.shared()
    const pair = await aPair(kind, organization, { source: 'fair' }, { source: 'web' })
    const { data } = await commitMerge(organization.client, kind, pair, { fieldResolutions: { source: side } })
    expect(data.primary).toMatchObject({ source: side === 'primary' ? 'fair' : 'web' })
  })

  it('unites lists: the primary’s first, with its flags', async () => {
    const organization = await given.shared()
    const phones = (...values: string[]) => ({ contactData: { phones: values.map(value => ({ value })) } })
    const [one, two, three] = ['+1 202 555 0101', '+1 202 555 0102', '+1 202 555 0103']
    const pair = await aPair(kind, organization, phones(one, two), phones(three, one))
    const { data } = await commitMerge(organization.client, kind, pair)
    expect(data.primary).toMatchObject({
      contactData: {
        phones: [
          { value: one, isPrimary: true },
          { value: two, isPrimary: false },
          { value: three, isPrimary: false },
        ],
      },
    })
  })

  it('is found by the names and contact data of both', async () => {
    const organization = await given.organization()
    const pair = await aPair(kind, organization, {}, { contactData: { emails: [{ value: 'xanti@zwet.example' }] } })
    const { data } = await commitMerge(organization.client, kind, pair)
    const { items } = await organization.client.get(`/${plurals[kind]}?search=xanti`)
    expect(items).toEqual([data.primary])
  })

  it('moves deals to the primary, each once, at the earlier place, with one version more', async () => {
    const organization = await given.organization()
    const [primary, secondary] = await aPair(kind, organization)
    const other = await aRecord(kind, organization)
    const member = plurals[kind]
    const deal = (...records: readonly JsonObject[]) =>
      aRecord('deal', organization, { [member]: records.map(({ id }) => ({ id })) })
    const [untouched, moved, both, apart] = await Promise.all([
      deal(primary),
      deal(secondary),
      deal(other, secondary, primary),
      deal(primary, other, secondary),
    ])
    const { data } = await commitMerge(organization.client, kind, [primary, secondary])
    expect(data.moved).toMatchObject({ deals: 3 })
    const linksOf = async ({ id }: JsonObject) => {
      const found = (await organization.client.get(`/deals/${id}`)).data
      return [found.version, found[`${kind}Ids`]]
    }
    expect(await linksOf(untouched)).toEqual([1, [primary.id]])
    expect(await linksOf(moved)).toEqual([2, [primary.id]])
    expect(await linksOf(both)).toEqual([2, [other.id, primary.id]])
    expect(await linksOf(apart)).toEqual([2, [primary.id, other.id]])
  })

  it('leaves a merged event, a deleted one, and an updated one of each deal, in one transaction', async () => {
    const organization = await given.organization()
    const [primary, secondary] = await aPair(kind, organization, { source: null }, { source: 'fair' })
    const deal = await aRecord('deal', organization, { [plurals[kind]]: [{ id: secondary.id }] })
    const { events, audit } = await factsOf(given, organization, () =>
      commitMerge(organization.client, kind, [primary, secondary]),
    )
    expect(events).toMatchObject([
      { kind: 'deal.updated', resourceId: deal.id, version: 2, changedFields: [plurals[kind]] },
      {
        kind: `${kind}.merged`,
        operation: 'merged',
        resourceId: primary.id,
        version: 2,
        changedFields: ['source'],
        mergedFromId: secondary.id,
        mergedIntoId: null,
      },
      {
        kind: `${kind}.deleted`,
        operation: 'deleted',
        resourceId: secondary.id,
        version: 2,
        changedFields: [],
        mergedFromId: null,
        mergedIntoId: primary.id,
      },
    ])
    expect(new Set(events.map(({ transactionId }) => transactionId)).size).toBe(1)
    expect(audit.map(({ action, versions }) => [action, versions]).toSorted()).toEqual([
      [`${kind}.deleted`, [1, null]],
      [`${kind}.merged`, [1, 2]],
      ['deal.updated', [1, 2]],
    ])
    const merged = audit.find(({ action }) => action === `${kind}.merged`)
    expect(merged?.changes).toEqual([{ field: 'source', before: null, after: 'fair' }])
  })

  it('reports in the feed of a deal which party was merged into which', async () => {
    const organization = await given.organization()
    const [primary, secondary] = await aPair(kind, organization)
    const deal = await aRecord('deal', organization, { [plurals[kind]]: [{ id: secondary.id }] })
    await commitMerge(organization.client, kind, [primary, secondary])
    const { items } = await organization.client.get(`/deals/${deal.id}/events`)
    expect(items.find(event => event.kind === 'deal.party_merged')).toMatchObject({
      dealVersion: 2,
      data: { resourceType: kind, fromId: secondary.id, intoId: primary.id },
    })
  })

  it('can be repeated with its key: the same answer, one merge', async () => {
    const organization = await given.shared()
    const pair = await aPair(kind, organization)
    const first = await commitMerge(organization.client, kind, pair, {}, { key: `merge-${kind}` })
    const again = await commitMerge(organization.client, kind, pair, {}, { key: `merge-${kind}` })
    expect([again.status, again.body, again.headers.get('idempotent-replayed')]).toEqual([200, first.body, 'true'])
  })

  it.each([deleteScope[kind], writeScope[kind]])('needs the scope %s', async scope => {
    const organization = await given.shared()
    const client = await organization.token(allBut(scope))
    expect(outcome(await commitMerge(client, kind, await aPair(kind, organization)))).toBe('403 insufficient_scope')
  })
})

describe.each(mergedKinds)('a merge of two %s records is refused', kind => {
  it('404 for an unknown side, before everything else', async () => {
    const organization = await given.shared()
    const record = await aRecord(kind, organization)
    const stale = { expectedPrimaryVersion: 7, expectedSecondaryVersion: 7 }
    const unknown = { id: unknownId, version: 1 }
    const { client } = organization
    expect((await commitMerge(client, kind, [record, unknown], stale)).details).toEqual({ path: '/secondaryId' })
    expect((await commitMerge(client, kind, [unknown, record], stale)).details).toEqual({ path: '/primaryId' })
  })

  it('409 for a stale version, the primary’s first, also where the secondary changes nothing', async () => {
    const organization = await given.shared()
    const { client } = organization
    const pair = await aPair(kind, organization, { externalId: `stale-a-${kind}` }, { externalId: `stale-b-${kind}` })
    const both = await commitMerge(client, kind, pair, { expectedPrimaryVersion: 7, expectedSecondaryVersion: 7 })
    expect([outcome(both), both.details]).toEqual(['409 version_conflict', { currentVersion: 1, side: 'primary' }])
    const other = await commitMerge(client, kind, pair, { expectedSecondaryVersion: 7 })
    expect([outcome(other), other.details]).toEqual(['409 version_conflict', { currentVersion: 1, side: 'secondary' }])
  })

  it('409 while both have a key of the application, before unresolved fields', async () => {
    const organization = await given.shared()
    const keys = { primaryExternalId: `both-a-${kind}`, secondaryExternalId: `both-b-${kind}` }
    const pair = await aPair(
      kind,
      organization,
      { externalId: keys.primaryExternalId, source: 'fair' },
      { externalId: keys.secondaryExternalId, source: 'web' },
    )
    const answer = await commitMerge(organization.client, kind, pair)
    expect([outcome(answer), answer.details]).toEqual(['409 external_id_conflict', keys])
  })

  it('422 for a resolution that is missing, and for one that is not wanted, naming both', async () => {
    const organization = await given.shared()
    const { client } = organization
    const pair = await aPair(kind, organization, { source: 'fair' }, { source: 'web' })
    const missing = await commitMerge(client, kind, pair)
    expect([outcome(missing), missing.details.missingResolutions]).toEqual(['422 validation_error', ['source']])
    expect(missing.details.unexpectedResolutions).toBeUndefined()
    const stale = await commitMerge(client, kind, pair, {
      fieldResolutions: { source: 'primary', description: 'primary', 'contactData.phones': 'secondary' },
    })
    expect(stale.details.unexpectedResolutions).toEqual(['description', 'contactData.phones'])
    expect(stale.details.missingResolutions).toBeUndefined()
    const wrong = await commitMerge(client, kind, pair, { fieldResolutions: { description: 'primary' } })
    expect(wrong.details).toMatchObject({ missingResolutions: ['source'], unexpectedResolutions: ['description'] })
  })

  it.each([
    'displayName',
    'externalId',
    'version',
    'colour',
    'contactData',
    'contactData.colour',
    'customFields.A',
    '',
  ])('400 for the field %s, which no preview has', async field => {
    const organization = await given.shared()
    const pair = [{ id: unknownId, version: 1 }, await aRecord(kind, organization)]
    const answer = await commitMerge(organization.client, kind, pair, { fieldResolutions: { [field]: 'primary' } })
    expect([outcome(answer), issuePaths(answer)]).toEqual(['400 validation_error', [`/fieldResolutions/${field}`]])
  })

  it('400 for another side, another way out of the conflict, and without resolutions', async () => {
    const organization = await given.shared()
    const pair = await aPair(kind, organization)
    const sent = (members: JsonObject) => commitMerge(organization.client, kind, pair, members)
    expect(issuePaths(await sent({ fieldResolutions: { source: 'newest' } }))).toEqual(['/fieldResolutions/source'])
    const conflict = await sent({ externalIdConflictResolution: 'keep_secondary' })
    expect(issuePaths(conflict)).toEqual(['/externalIdConflictResolution'])
    expect(issuePaths(await sent({ fieldResolutions: undefined }))).toEqual(['/fieldResolutions'])
  })

  it.each([
    ['contactData.phones', 'crm_contact_data_write'],
    ['customFields.region', 'crm_custom_fields_manage'],
  ] as const)('403 for a side of %s without %s, before existence', async (field, scope) => {
    const organization = await given.shared()
    const client = await organization.token(allBut(scope))
    const unknown = { id: unknownId, version: 1 }
    const answer = await commitMerge(client, kind, [unknown, unknown], { fieldResolutions: { [field]: 'primary' } })
    expect([outcome(answer), answer.details.missingScopes]).toEqual(['403 insufficient_scope', [scope]])
  })

  it('422 with itself, after existence and versions, whatever its key', async () => {
    const organization = await given.shared()
    const { client } = organization
    const record = await aRecord(kind, organization)
    const stale = await commitMerge(client, kind, [record, record], { expectedSecondaryVersion: 7 })
    expect(outcome(stale)).toBe('409 version_conflict')
    expect(outcome(await commitMerge(client, kind, [record, record]))).toBe('422 validation_error')
    const unknown = { id: unknownId, version: 1 }
    expect(outcome(await commitMerge(client, kind, [unknown, unknown]))).toBe('404 not_found')
  })

  it('422 where a list would be too long: nothing is cut off', async () => {
    const organization = await given.shared()
    const messengers = (start: number) => ({
      contactData: {
        messengers: Array.from({ length: 11 }, (_, index) => ({ type: 'other', value: `m${start + index}` })),
      },
    })
    const [primary, secondary] = await aPair(kind, organization, messengers(0), messengers(11))
    const told = await previewMerge(organization.client, kind, [primary, secondary])
    const facts = await factsOf(given, organization, async () => {
      const answer = await commitMerge(organization.client, kind, [primary, secondary])
      expect([outcome(answer), answer.details.blockers]).toEqual(['422 validation_error', told.data.blockers])
      expect(answer.error.message).toContain('contactData.messengers')
    })
    expect(facts).toEqual(nothing)
    expect((await read(organization, kind, secondary)).data).toEqual(secondary)
  })
})

describe('a merge of two contacts', () => {
  it('is refused 410 where one is anonymized, before the versions', async () => {
    const organization = await given.organization()
    const gone = await aPerson(organization)
    const other = await aRecord('contact', organization)
    await erase(organization, gone.id, 'anonymize')
    const { client } = organization
    expect(outcome(await commitMerge(client, 'contact', [gone, other]))).toBe('410 resource_deleted')
    expect(outcome(await commitMerge(client, 'contact', [other, gone]))).toBe('410 resource_deleted')
  })

  it('resolves members of contact data and custom fields', async () => {
    const organization = await given.organization()
    await customField(given, organization, 'contact', 'region', 'text')
    const person = (birthDate: string, region: string) => ({ contactData: { birthDate }, customFields: { region } })
    const pair = await aPair('contact', organization, person('1971-12-24', 'north'), person('1971-12-25', 'south'))
    const told = await previewMerge(organization.client, 'contact', pair)
    const resolutions = { fieldResolutions: resolveAll(told, 'secondary') }
    expect(resolutions.fieldResolutions).toEqual({
      'contactData.birthDate': 'secondary',
      'customFields.region': 'secondary',
    })
    const { data } = await commitMerge(organization.client, 'contact', pair, resolutions)
    expect(data.primary).toMatchObject(person('1971-12-25', 'south'))
  })
})
