import { beforeAll, describe, expect, it } from 'vitest'
import { bounds } from '../../server/src/kernel/index.ts'
import { allBut } from '../conformance/support/given.ts'
import { aCompany, aContact, aDeal, aTask } from '../support/builders.ts'
import type { TestOrganization } from '../support/organization.ts'
import { setBound } from '../support/set-bound.ts'
import { readIn, useReads } from './support/reads.ts'

const given = useReads()
let organization: TestOrganization

beforeAll(async () => {
  organization = await given.organization()
  const { client, operator } = organization
  for (const n of [1, 2, 3, 4, 5])
    expect(
      (await client.post('/contacts', aContact({ firstName: `Number ${n}`, ownerUuid: n > 3 ? operator : null })))
        .status,
    ).toBe(201)
  const company = await client.post('/companies', aCompany())
  const companies = [{ id: company.data.id }]
  for (const priority of ['low', 'high', 'high', null]) await client.post('/deals', aDeal({ companies, priority }))
  await client.post('/tasks', aTask())
})

const count = async (query: string) => (await readIn(organization, `/counts/${query}`)).data

describe('a count', () => {
  it('is that of the records that the filters of the list choose, of every kind', async () => {
    const exactly = (number: number) => ({ count: number, isExact: true, capped: null })
    expect(await count('contacts')).toEqual(exactly(5))
    expect(await count(`contacts?ownerUuid=${organization.operator}`)).toEqual(exactly(2))
    expect(await count('contacts?search=number')).toEqual(exactly(5))
    expect(await count('contacts?search=number&ownerUuid=00000000-0000-4000-8000-000000000000')).toEqual(exactly(0))
    expect(await count('contacts?createdFrom=2026-03-02T10:00:00Z&createdTo=2026-03-03T00:00:00Z')).toEqual(exactly(5))
    expect(await count('contacts?createdFrom=2026-03-03T10:00:00Z')).toEqual(exactly(0))
    expect(await count('companies')).toEqual(exactly(1))
    expect(await count('deals?priority=high&priority=low')).toEqual(exactly(3))
    expect(await count('tasks?exact=true')).toEqual(exactly(1))
    const other = await given.organization()
    expect((await readIn(other, '/counts/contacts')).data.count).toBe(0)
  })

  it('ends at its bound of records, and says so', async () => {
    setBound(bounds.countedRecords, 4)
    expect(await count('contacts')).toEqual({ count: 4, isExact: false, capped: 'rows' })
    expect(await count('contacts?exact=true')).toEqual({ count: 5, isExact: true, capped: null })
  })

  it('ends at its bound of time with what it has counted, and says so', async () => {
    setBound(bounds.countTime, 0)
    setBound(bounds.countPortion, 2)
    const counted = await count('deals?priority=high')
    expect(counted).toMatchObject({ isExact: false, capped: 'time' })
    expect(await count('deals?priority=high&exact=true')).toEqual({ count: 2, isExact: true, capped: null })
  })

  it('goes on where a portion has ended, and counts each record once', async () => {
    setBound(bounds.countPortion, 2)
    expect(await count('deals?priority=high&priority=low')).toEqual({ count: 3, isExact: true, capped: null })
  })

  it('refuses what the list refuses: a filter by a hidden value, one that does not exist, and a wrong one', async () => {
    const some = await organization.token(allBut('crm_contact_data_read', 'crm_custom_fields_read', 'crm_tags_read'))
    for (const query of [
      'email=anna%40example.com',
      'phone=123456',
      'customField.region=north',
      `tagIds=${organization.tag}`,
    ])
      expect((await readIn(organization, `/counts/contacts?${query}`, some)).error.code).toBe('insufficient_scope')
    expect((await readIn(organization, '/counts/contacts', await organization.token(['crm_deals_read']))).status).toBe(
      403,
    )
    for (const query of ['customField.region=north', 'sort=createdAt', 'limit=1', 'ownerUuid=Olga'])
      expect((await readIn(organization, `/counts/contacts?${query}`)).error.code).toBe('validation_error')
  })
})

const facet = async (query: string) => (await readIn(organization, `/facets/${query}`)).data

describe('a facet', () => {
  it('counts the records by the values of a filter, with the names of settings', async () => {
    const { stages, pipelineId, operator } = organization
    expect(await facet('deals?by=priority')).toEqual({
      values: [
        { value: 'high', label: null, count: 2 },
        { value: 'low', label: null, count: 1 },
        { value: null, label: null, count: 1 },
      ],
      among: 4,
      isExact: true,
    })
    expect(await facet('deals?by=stageUuid&priority=high')).toMatchObject({
      values: [{ value: stages.first, label: 'New', count: 2 }],
      among: 2,
    })
    expect(await facet('deals?by=pipelineId')).toMatchObject({
      values: [{ value: pipelineId, label: 'Sales', count: 4 }],
    })
    expect(await facet('contacts?by=ownerUuid')).toMatchObject({
      values: [
        { value: null, count: 3 },
        { value: operator, label: 'Olga', count: 2 },
      ],
    })
    expect(await facet('tasks?by=status&status=done')).toEqual({ values: [], among: 0, isExact: true })
  })

  it('counts each tag of a record, and the options of custom fields', async () => {
    const { client, tag, id } = organization
    await given.configure(
      organization,
      `insert into custom_field_definitions (organization_id, kind, key, label, type, options, position, created_at)
       values ($1, 'company', 'size', 'Size', 'select', '[{"key":"s","label":"Small"}]', 0, now()),
              ($1, 'company', 'likes', 'Likes', 'multiselect', '[{"key":"ink","label":"Ink"},{"key":"pen","label":"Pen"}]', 1, now()),
              ($1, 'company', 'motto', 'Motto', 'text', '[]', 2, now())`,
      [id],
    )
    const made = await client.post('/companies', aCompany({ customFields: { size: 's', likes: ['ink', 'pen'] } }))
    await client.put(`/companies/${String(made.data.id)}/tags`, { expectedVersion: 1, tags: [{ id: tag }] })
    expect(await facet('companies?by=tagIds')).toMatchObject({
      values: [
        { value: tag, label: 'Regular', count: 1 },
        { value: null, label: null, count: 1 },
      ],
    })
    expect(await facet('companies?by=customField.size')).toMatchObject({
      values: [
        { value: 's', label: 'Small', count: 1 },
        { value: null, count: 1 },
      ],
      among: 2,
    })
    const likes = await facet('companies?by=customField.likes&customField.size=s')
    expect(likes).toMatchObject({
      values: [
        { value: 'ink', label: 'Ink' },
        { value: 'pen', label: 'Pen' },
      ],
      among: 1,
    })
    for (const name of ['motto', 'nothing'])
      expect((await readIn(organization, `/facets/companies?by=customField.${name}`)).error.code).toBe(
        'validation_error',
      )
  })

  it('looks at the newest records alone, and says so', async () => {
    setBound(bounds.facetRecords, 3)
    const newest = await facet('deals?by=priority')
    expect(newest).toMatchObject({ among: 3, isExact: false })
    expect(newest.values).not.toContainEqual({ value: 'low', label: null, count: 1 })
  })

  it('refuses hidden values, and a value that is no filter', async () => {
    const some = await organization.token(allBut('crm_contact_data_read', 'crm_custom_fields_read', 'crm_tags_read'))
    for (const query of ['by=tagIds', 'by=customField.size', 'by=ownerUuid&email=anna%40example.com'])
      expect((await readIn(organization, `/facets/contacts?${query}`, some)).error.code).toBe('insufficient_scope')
    for (const query of ['', 'by=email', 'by=amount', 'by=createdFrom', 'by=companyId'])
      expect((await readIn(organization, `/facets/contacts?${query}`)).error.code).toBe('validation_error')
    const withoutNames = await organization.token(allBut('crm_operators_read'))
    const { data } = await readIn(organization, '/facets/contacts?by=ownerUuid', withoutNames)
    expect(JSON.stringify(data)).not.toContain('Olga')
  })
})
