import { describe, expect, it } from 'vitest'
import type { Scope } from '../../server/src/kernel/index.ts'
import { isObject, type JsonObject } from '../../server/src/kernel/schema/index.ts'
import { type Answer, objectOf } from '../support/client.ts'
import type { TestOrganization } from '../support/organization.ts'
import { allBut, useApi } from './support/given.ts'
import {
  aPair,
  commitMerge,
  customField,
  fieldOf,
  type MergedKind,
  mergedKinds,
  previewMerge,
  resolveAll,
} from './support/merges.ts'
import { aRecord, outcome, plurals } from './support/requests.ts'

const given = useApi()
const routeScopes = {
  contact: ['crm_contacts_write', 'crm_contacts_delete'],
  company: ['crm_companies_write', 'crm_companies_delete'],
} as const
const unreadable: readonly Scope[] = ['crm_contact_data_read', 'crm_custom_fields_read', 'crm_tags_read']

/** An organization with a custom field of one value, and one of several. */
async function anOrganization(kind: MergedKind): Promise<TestOrganization> {
  const organization = await given.organization()
  await customField(given, organization, kind, 'region', 'text')
  await customField(given, organization, kind, 'topics', 'multiselect')
  return organization
}

const phones = (...values: number[]) => ({
  contactData: { phones: values.map(value => ({ value: `+1 202 555 0${value}` })) },
})
const range = (start: number, count: number) => Array.from({ length: count }, (_, index) => start + index)

const empty: JsonObject = { contactData: {}, customFields: {} }
const one: JsonObject = { ...phones(101), customFields: { region: 'north', topics: ['a'] } }
const other: JsonObject = { ...phones(102), customFields: { region: 'south', topics: ['b'] } }
const pairs = [
  [empty, empty],
  [one, one],
  [one, other],
  [one, empty],
  [empty, one],
] as const

/** Two records, of which those that are not empty have a tag. */
async function aTaggedPair(kind: MergedKind, organization: TestOrganization, values: readonly JsonObject[]) {
  const pair = await aPair(kind, organization, values[0], values[1])
  return Promise.all(
    pair.map(async (record, index) => {
      if (values[index] === empty) return record
      const path = `/${plurals[kind]}/${record.id}`
      await organization.client.put(`${path}/tags`, { expectedVersion: 1, tags: [{ id: organization.tag }] })
      return (await organization.client.get(path)).data
    }),
  )
}

/** What a preview says beside the heads of the two records. */
function toldBy({ status, data, meta }: Answer) {
  const { primary: _, secondary: __, ...told } = data
  return { status, told, meta }
}

const blockersOf = ({ details }: Answer) => details.blockers

describe.each(mergedKinds)('values of two %s records that a token may not read', kind => {
  it('have one outcome in the preview, which is the same whatever they are', async () => {
    const organization = await anOrganization(kind)
    const client = await organization.token(allBut(...unreadable))
    const told: unknown[] = []
    for (const values of pairs) {
      told.push(toldBy(await previewMerge(client, kind, await aTaggedPair(kind, organization, values))))
    }
    expect(told).toEqual(told.map(() => told[0]))
    const lists = ['phones', 'emails', 'addresses', 'messengers'].map(name => `contactData.${name}`)
    const hidden = [...(kind === 'contact' ? ['contactData.birthDate'] : []), 'customFields.region']
    expect(told[0]).toMatchObject({
      status: 200,
      told: {
        requiredResolutions: hidden,
        requiredScopes: ['crm_contact_data_write', 'crm_custom_fields_manage'],
        blockers: [],
      },
      meta: { redacted: ['contact_data', 'custom_fields', 'tags'] },
    })
    const { fields } = objectOf(objectOf(told[0]).told)
    const redacted = Array.isArray(fields) ? fields.filter(isObject).filter(entry => 'redacted' in entry) : []
    const names = [...lists, ...hidden, 'customFields.topics', 'tagIds']
    const entries = names.map(field => ({ field, outcome: 'hidden', redacted: true }))
    expect(redacted).toEqual(expect.arrayContaining(entries))
    expect(redacted).toHaveLength(entries.length)
  })

  it('are shown to another token that repeats the preview, and hidden from one that may not read them', async () => {
    const organization = await anOrganization(kind)
    const poor = await organization.token(allBut(...unreadable))
    const [primary, secondary] = await aTaggedPair(kind, organization, [one, other])
    const body = { primaryId: primary?.id, secondaryId: secondary?.id }
    const preview = (client: TestOrganization['client'], key: string) =>
      client.post(`/${plurals[kind]}/merge/preview`, body, { key })
    const [first, second] = [await preview(poor, 'poor'), await preview(organization.client, 'rich')]
    const replays = [await preview(organization.client, 'poor'), await preview(poor, 'rich')]
    expect(replays.map(({ headers }) => headers.get('idempotent-replayed'))).toEqual(['true', 'true'])
    expect(replays.map(({ body: told }) => told)).toEqual([second.body, first.body])
    expect(second.data.requiredResolutions).toEqual(['customFields.region'])
  })

  it('are required by a commit as by the preview: the same whatever they are', async () => {
    const organization = await anOrganization(kind)
    const client = await organization.token(allBut(...unreadable))
    for (const values of pairs) {
      const pair = await aTaggedPair(kind, organization, values)
      const told = await previewMerge(client, kind, pair)
      const missing = await commitMerge(client, kind, pair)
      expect([outcome(missing), missing.details.missingResolutions]).toEqual([
        '422 validation_error',
        told.data.requiredResolutions,
      ])
      const fieldResolutions = { ...resolveAll(told, 'primary'), 'contactData.phones': 'primary', tagIds: 'primary' }
      const unexpected = await commitMerge(client, kind, pair, { fieldResolutions })
      expect(unexpected.details.unexpectedResolutions).toEqual(['contactData.phones', 'tagIds'])
      expect((await commitMerge(client, kind, pair, { fieldResolutions: resolveAll(told, 'primary') })).status).toBe(
        200,
      )
    }
  })

  it('are merged as ever: the chosen side of those that differ, and both lists', async () => {
    const organization = await anOrganization(kind)
    const client = await organization.token(allBut(...unreadable))
    const pair = await aTaggedPair(kind, organization, [one, other])
    const told = await previewMerge(client, kind, pair)
    await commitMerge(client, kind, pair, { fieldResolutions: resolveAll(told, 'secondary') })
    const { data } = await organization.client.get(`/${plurals[kind]}/${pair[0]?.id}`)
    expect(data).toMatchObject({
      contactData: { phones: [{ value: '+1 202 555 0101' }, { value: '+1 202 555 0102' }] },
      customFields: { region: 'south', topics: ['a', 'b'] },
    })
  })

  it('are resolved in vain where they do not differ', async () => {
    const organization = await anOrganization(kind)
    const client = await organization.token(allBut(...unreadable))
    const pair = await aPair(kind, organization, { customFields: { region: 'north' } }, empty)
    const told = await previewMerge(client, kind, pair)
    await commitMerge(client, kind, pair, { fieldResolutions: resolveAll(told, 'secondary') })
    const { data } = await organization.client.get(`/${plurals[kind]}/${pair[0].id}`)
    expect(data.customFields).toEqual({ region: 'north' })
  })

  it('are not even named where the organization has no such custom field any more: the primary’s stay', async () => {
    const organization = await anOrganization(kind)
    const client = await organization.token(allBut(...unreadable))
    const pair = await aPair(kind, organization, one, other)
    const remove = `delete from custom_field_definitions where organization_id = $1 and key = 'region'`
    await given.configure(organization, remove, [organization.id])
    const told = await previewMerge(client, kind, pair)
    expect(fieldOf(told, 'customFields.region')).toBeUndefined()
    expect(told.data.requiredResolutions).not.toContain('customFields.region')
    await commitMerge(client, kind, pair, { fieldResolutions: resolveAll(told, 'secondary') })
    const { data } = await organization.client.get(`/${plurals[kind]}/${pair[0].id}`)
    expect(data.customFields).toEqual({ region: 'north', topics: ['a', 'b'] })
  })

  it('block no preview; a commit that they block shows no count, and nothing of equal values', async () => {
    const organization = await given.organization()
    const client = await organization.token(allBut('crm_contact_data_read'))
    const refused = async (primary: JsonObject, secondary: JsonObject) => {
      const pair = await aPair(kind, organization, primary, secondary)
      const told = await previewMerge(client, kind, pair)
      expect(told.data.blockers).toEqual([])
      return commitMerge(client, kind, pair, { fieldResolutions: resolveAll(told, 'primary') })
    }
    const blockers = [{ code: 'list_too_long', field: 'contactData.phones' }]
    expect(blockersOf(await refused(phones(...range(100, 20)), phones(200)))).toEqual(blockers)
    expect(blockersOf(await refused(phones(...range(100, 20)), phones(100)))).toEqual(blockers)
    expect((await refused(phones(...range(100, 19)), phones(200))).status).toBe(200)
  })

  it('are none of the open ones, also where it may not read the records: it decides what differs, and gets a receipt', async () => {
    const organization = await given.organization()
    const client = await organization.token(routeScopes[kind])
    const pair = await aPair(kind, organization, { source: 'fair', ...empty }, { source: 'web', ...empty })
    const missing = await commitMerge(client, kind, pair)
    expect(missing.details.missingResolutions).toEqual(['source'])
    const { status, data, meta } = await commitMerge(client, kind, pair, { fieldResolutions: { source: 'primary' } })
    expect([status, meta]).toEqual([200, {}])
    const receipt = ['createdAt', 'externalId', 'id', 'updatedAt', 'version']
    expect(Object.keys(objectOf(data.primary)).toSorted()).toEqual(receipt)
    expect(objectOf(data.moved)).not.toHaveProperty('tags')
  })

  it('are not counted in the answer of a merge: tags that came to the primary', async () => {
    const organization = await given.organization()
    const client = await organization.token(allBut('crm_tags_read'))
    const pair = await aTaggedPair(kind, organization, [empty, {}])
    const { data } = await commitMerge(client, kind, pair, {}, { key: 'tagged' })
    expect(objectOf(data.moved)).toHaveProperty('deals', 0)
    expect(objectOf(data.moved)).not.toHaveProperty('tags')
    const whole = await commitMerge(organization.client, kind, pair, {}, { key: 'tagged' })
    expect(whole.data.moved).toMatchObject({ tags: 1 })
  })

  it('of an organization without custom fields are named as hidden all the same', async () => {
    const organization = await given.shared()
    const client = await organization.token(allBut('crm_custom_fields_read'))
    const pair = [await aRecord(kind, organization), await aRecord(kind, organization)]
    expect((await previewMerge(client, kind, pair)).meta.redacted).toEqual(['custom_fields'])
  })
})

it('a token that may read them sees custom fields that are empty in both', async () => {
  const organization = await anOrganization('contact')
  const answer = await previewMerge(organization.client, 'contact', await aPair('contact', organization))
  const field = 'customFields.region'
  expect(fieldOf(answer, field)).toEqual({ field, primaryValue: null, secondaryValue: null, outcome: 'same' })
})
