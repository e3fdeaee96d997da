import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import type { Client } from '../support/client.ts'
import { factsOf, nothing } from './support/facts.ts'
import { allBut, useApi } from './support/given.ts'
import { aPair, commitMerge, customField, type MergedKind, mergedKinds, previewMerge } from './support/merges.ts'
import { aRecord, outcome, plurals, unknownId } from './support/requests.ts'

const given = useApi()
const emails = (...values: string[]) => ({ contactData: { emails: values.map(value => ({ value })) } })
const region = (value: string) => ({ customFields: { region: value } })

/** An organization whose records have a custom field. */
async function anOrganization(kind: MergedKind) {
  const organization = await given.organization()
  await customField(given, organization, kind, 'region', 'text')
  return organization
}

/** What a token is told of the scopes that merging a pair needs: by the preview, and by the refused commit. */
async function toldTo(
  client: Client,
  kind: MergedKind,
  pair: readonly JsonObject[],
  fieldResolutions: JsonObject = {},
) {
  const { data } = await previewMerge(client, kind, pair)
  const answer = await commitMerge(client, kind, pair, { fieldResolutions })
  return [data.requiredScopes, outcome(answer), answer.details]
}

const refusal = (...requiredScopes: string[]) => [
  requiredScopes,
  '403 insufficient_scope',
  { requiredScopes, missingScopes: requiredScopes },
]

describe.each(mergedKinds)('the write scope of protected values of two %s records', kind => {
  it.each([
    ['that only the secondary has', {}, emails('a@b.example'), 'crm_contact_data_write'],
    ['of lists that become longer', emails('a@b.example'), emails('c@d.example'), 'crm_contact_data_write'],
    ['of the organization’s own fields', {}, region('north'), 'crm_custom_fields_manage'],
  ] as const)('is needed for values %s, as the preview says', async (_, primary, secondary, scope) => {
    const organization = await anOrganization(kind)
    const pair = await aPair(kind, organization, { contactData: {}, ...primary }, { contactData: {}, ...secondary })
    const client = await organization.token(allBut(scope))
    const facts = await factsOf(given, organization, async () => {
      const { data } = await previewMerge(client, kind, pair)
      expect(data.requiredScopes).toEqual([scope])
      const answer = await commitMerge(client, kind, pair)
      expect([outcome(answer), answer.details]).toEqual([
        '403 insufficient_scope',
        { requiredScopes: [scope], missingScopes: [scope] },
      ])
    })
    expect(facts.events).toEqual(nothing.events)
    expect((await organization.client.get(`/${plurals[kind]}/${pair[1].id}`)).data).toEqual(pair[1])
    expect((await commitMerge(organization.client, kind, pair)).status).toBe(200)
  })

  it('is not needed where the primary keeps its values', async () => {
    const organization = await anOrganization(kind)
    const own = { ...emails('a@b.example', 'c@d.example'), ...region('north') }
    const pair = await aPair(kind, organization, own, emails('c@d.example'))
    const client = await organization.token(allBut('crm_contact_data_write', 'crm_custom_fields_manage'))
    expect((await previewMerge(client, kind, pair)).data.requiredScopes).toEqual([])
    expect((await commitMerge(client, kind, pair)).status).toBe(200)
  })

  it('is needed to choose a side, whichever it is', async () => {
    const organization = await anOrganization(kind)
    const pair = await aPair(kind, organization, region('north'), region('south'))
    const client = await organization.token(allBut('crm_custom_fields_manage'))
    const required = refusal('crm_custom_fields_manage')
    for (const side of ['primary', 'secondary']) {
      expect(await toldTo(client, kind, pair, { 'customFields.region': side })).toEqual(required)
    }
    expect(await toldTo(client, kind, pair)).toEqual(required)
  })

  it('is announced to a token that may not read them whatever they are, and needed where the merge would change them', async () => {
    const organization = await anOrganization(kind)
    const blind = await organization.token(
      allBut('crm_contact_data_read', 'crm_contact_data_write', 'crm_custom_fields_read', 'crm_custom_fields_manage'),
    )
    const full = { ...emails('a@b.example'), ...region('north') }
    const other = { ...emails('c@d.example'), ...region('south') }
    const empty = { contactData: {} }
    const scopes = ['crm_contact_data_write', 'crm_custom_fields_manage']
    for (const [primary, secondary, changes] of [
      [empty, empty, false],
      [full, full, false],
      [full, empty, false],
      [full, other, true],
      [empty, full, true],
    ] as const) {
      const pair = await aPair(kind, organization, primary, secondary)
      const [announced, ...told] = await toldTo(blind, kind, pair)
      expect(announced).toEqual(scopes)
      if (changes) expect(told).toEqual(refusal(...scopes).slice(1))
      else expect(told[0]).toBe('200')
    }
  })

  it('is not needed by them for custom fields where the organization has none', async () => {
    const organization = await given.organization()
    const other: MergedKind = kind === 'contact' ? 'company' : 'contact'
    await customField(given, organization, other, 'region', 'text')
    const pair = await aPair(kind, organization)
    const client = await organization.token(allBut('crm_custom_fields_read', 'crm_custom_fields_manage'))
    expect((await previewMerge(client, kind, pair)).data.requiredScopes).toEqual([])
    expect((await commitMerge(client, kind, pair)).status).toBe(200)
  })

  it('is checked after existence, versions and keys, and before the resolutions', async () => {
    const organization = await given.organization()
    const client = await organization.token(allBut('crm_contact_data_write'))
    const keys = [{ externalId: 'one' }, { externalId: 'other' }]
    const messengers = (start: number) => ({
      contactData: {
        messengers: Array.from({ length: 11 }, (_, index) => ({ type: 'other', value: `m${start + index}` })),
      },
    })
    const pair = await aPair(
      kind,
      organization,
      { source: 'fair', ...keys[0], ...messengers(0) },
      { source: 'web', ...keys[1], ...messengers(11) },
    )
    const unknown = { id: unknownId, version: 1 }
    const merge = async (records: readonly JsonObject[], members: JsonObject = {}) =>
      outcome(await commitMerge(client, kind, records, members))
    expect(await merge([pair[0], unknown])).toBe('404 not_found')
    expect(await merge(pair, { expectedSecondaryVersion: 7 })).toBe('409 version_conflict')
    expect(await merge(pair)).toBe('409 external_id_conflict')
    const decided = { externalIdConflictResolution: 'keep_primary' }
    expect(await merge(pair, decided)).toBe('403 insufficient_scope')
    const allowed = await commitMerge(organization.client, kind, pair, decided)
    expect([outcome(allowed), allowed.details.missingResolutions]).toEqual(['422 validation_error', ['source']])
  })

  it('is required beside those of the route, from a token that may not read the records at all', async () => {
    const organization = await given.organization()
    const pair = await aPair(kind, organization, { contactData: {} }, emails('a@b.example'))
    const record = await aRecord(kind, organization)
    const scopes =
      kind === 'contact'
        ? (['crm_contacts_write', 'crm_contacts_delete'] as const)
        : (['crm_companies_write', 'crm_companies_delete'] as const)
    const client = await organization.token([...scopes, 'crm_contact_data_read'])
    const answer = await commitMerge(client, kind, pair)
    expect([outcome(answer), answer.details.missingScopes]).toEqual([
      '403 insufficient_scope',
      ['crm_contact_data_write'],
    ])
    expect(outcome(await commitMerge(client, kind, [record, record]))).toBe('422 validation_error')
  })
})
