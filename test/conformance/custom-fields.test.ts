import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import type { TestOrganization } from '../support/organization.ts'
import { allBut, useApi } from './support/given.ts'
import { aBody, aRecord, issuePaths, type Kind, kinds, outcome, plurals, unknownId } from './support/requests.ts'

const given = useApi()

const types = ['text', 'number', 'boolean', 'date', 'datetime', 'select', 'multiselect', 'url', 'user'] as const
const options = Array.from({ length: 60 }, (_, index) => ({ key: `o${index}`, label: `Option ${index}` }))

let configured: Promise<TestOrganization> | undefined

/** An organization with a custom field of each type, named like its type, for every kind. */
function anOrganization(): Promise<TestOrganization> {
  configured ??= given.organization().then(async organization => {
    for (const kind of kinds) await define(organization, kind, types)
    return organization
  })
  return configured
}

/** A value for each type whose values are texts. */
const valid = ({ operator }: TestOrganization) => ({
  text: 'plain',
  number: '12',
  date: '2026-01-31',
  datetime: '2026-01-31T09:15:00.000Z',
  select: 'o1',
  url: 'https://example.com',
  user: operator,
})

function define(organization: TestOrganization, kind: Kind, keys: readonly string[], required = false): Promise<void> {
  return given.configure(
    organization,
    `insert into custom_field_definitions (organization_id, kind, key, label, type, options, required, position, created_at)
     select $1, $2, key, key, key, $4::jsonb, $5, 0, now() from unnest($3::text[]) key`,
    [organization.id, kind, keys, JSON.stringify(options), required],
  )
}

describe.each(kinds)('customFields of a %s', kind => {
  async function create(customFields: unknown) {
    const organization = await anOrganization()
    return organization.client.post(`/${plurals[kind]}`, await aBody(kind, organization, { customFields }))
  }

  it.each([
    ['text', 'plain', 'plain'],
    ['text', 'Zoe\u0308', 'Zo\u00eb'],
    ['text', '𝒳'.repeat(5000), '𝒳'.repeat(5000)],
    ['text', 'e\u0301'.repeat(5000), '\u00e9'.repeat(5000)],
    ['text', '\u0958'.repeat(2500), '\u0915\u093c'.repeat(2500)],
    ['number', '12', '12'],
    ['number', '-0.500', '-0.5'],
    ['number', '999999999999999.123456', '999999999999999.123456'],
    ['boolean', true, true],
    ['boolean', false, false],
    ['date', '2024-02-29', '2024-02-29'],
    ['datetime', '2026-01-31T10:15:00+01:00', '2026-01-31T09:15:00.000Z'],
    ['datetime', '2026-01-31t09:15:00.1239z', '2026-01-31T09:15:00.123Z'],
    ['select', 'o7', 'o7'],
    ['multiselect', ['o3', 'o1'], ['o3', 'o1']],
    ['multiselect', [], []],
    ['url', 'https://example.com/x?y=1', 'https://example.com/x?y=1'],
    ['url', ' https://example.com/e\u0301 ', 'https://example.com/\u00e9'],
  ])('take %s %j', async (key, value, stored) => {
    const { status, data } = await create({ [key]: value })
    expect([status, data.customFields]).toEqual([201, { [key]: stored }])
  })

  it('take the uuid of an operator, active or not, in any case', async () => {
    const { operator, inactiveOperator } = await anOrganization()
    expect((await create({ user: operator.toUpperCase() })).data.customFields).toEqual({ user: operator })
    expect((await create({ user: inactiveOperator })).data.customFields).toEqual({ user: inactiveOperator })
  })

  it.each([
    ['text', '𝒳'.repeat(5001)],
    ['text', '\u0958'.repeat(2501)],
    ['text', true],
    ['text', ['a']],
    ['number', '1e3'],
    ['number', '01'],
    ['number', 'twelve'],
    ['number', true],
    ['boolean', 'true'],
    ['date', '2023-02-29'],
    ['date', '2026-01-31T00:00:00Z'],
    ['datetime', '2026-01-31'],
    ['datetime', '2026-01-31T10:15:00'],
    ['datetime', '2026-02-30T10:15:00Z'],
    ['select', 'o60'],
    ['select', ['o1']],
    ['multiselect', 'o1'],
    ['multiselect', ['o1', 'o60']],
    ['multiselect', ['o1', 'o1']],
    ['multiselect', options.slice(0, 51).map(({ key }) => key)],
    ['url', 'ftp://example.com'],
    ['url', 'example.com'],
    ['url', `https://example.com/${'x'.repeat(2048)}`],
    ['user', unknownId],
    ['user', 'olga'],
    ['unknown', 'x'],
    ['constructor', 'x'],
  ])('refuse %s %j: 422', async (key, value) => {
    const answer = await create({ [key]: value })
    expect([outcome(answer), issuePaths(answer)]).toEqual(['422 validation_error', [`/customFields/${key}`]])
  })

  it.each(['', 'Region', '1st', 'a-b', 'a b', '_a', 'x'.repeat(65), 'ключ'])('refuse the key %j: 400', async key => {
    expect(outcome(await create({ [key]: 'x' }))).toBe('400 validation_error')
  })

  it('refuse __proto__ as a key: 400', async () => {
    const organization = await anOrganization()
    const body = JSON.stringify(await aBody(kind, organization, { customFields: {} }))
    const raw = body.replace('"customFields":{}', '"customFields":{"__proto__":"x"}')
    expect(outcome(await organization.client.post(`/${plurals[kind]}`, {}, { raw }))).toBe('400 validation_error')
  })

  it('take 200 keys at most', async () => {
    const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'x']))
    expect(outcome(await create(keys(200)))).toBe('422 validation_error')
    expect(outcome(await create(keys(201)))).toBe('400 validation_error')
  })

  it('report every wrong key at once', async () => {
    const answer = await create({ number: 'x', date: 'y', unknown: 'z', text: 'fine' })
    expect(issuePaths(answer).toSorted()).toEqual([
      '/customFields/date',
      '/customFields/number',
      '/customFields/unknown',
    ])
  })

  it('are of their own kind', async () => {
    const organization = await given.organization()
    const other = kinds.find(candidate => candidate !== kind) ?? 'contact'
    await define(organization, other, ['text'])
    const body = await aBody(kind, organization, { customFields: { text: 'x' } })
    expect(outcome(await organization.client.post(`/${plurals[kind]}`, body))).toBe('422 validation_error')
  })

  it('with a new setting are known at once', async () => {
    const organization = await given.organization()
    const write = async () =>
      organization.client.post(`/${plurals[kind]}`, await aBody(kind, organization, { customFields: { text: 'x' } }))
    expect(outcome(await write())).toBe('422 validation_error')
    await define(organization, kind, ['text'])
    expect((await write()).status).toBe(201)
  })
})

describe.each(kinds)('a required custom field of a %s', kind => {
  async function anOrganizationThatRequires() {
    const organization = await given.organization()
    if (kind === 'deal') await aRecord('company', organization)
    const { id } = await aRecord(kind, organization)
    await define(organization, kind, ['text'], true)
    return { organization, id }
  }

  it('must be filled by a token that may manage custom fields: 422', async () => {
    const { organization } = await anOrganizationThatRequires()
    const { client } = organization
    const path = `/${plurals[kind]}`
    const answer = await client.post(path, await aBody(kind, organization))
    expect([outcome(answer), issuePaths(answer)]).toEqual(['422 validation_error', ['/customFields/text']])
    const filled = await aBody(kind, organization, { customFields: { text: 'x' } })
    const { status, data } = await client.post(path, filled)
    expect(status).toBe(201)
    const clear = { expectedVersion: 1, customFields: { text: null } }
    expect(outcome(await client.patch(`${path}/${data.id}`, clear))).toBe('422 validation_error')
  })

  it('must be filled whatever its key', async () => {
    const { organization } = await anOrganizationThatRequires()
    await define(organization, kind, ['constructor'], true)
    const body = await aBody(kind, organization, { customFields: { text: 'x' } })
    const answer = await organization.client.post(`/${plurals[kind]}`, body)
    expect([outcome(answer), issuePaths(answer)]).toEqual(['422 validation_error', ['/customFields/constructor']])
  })

  it('need not be filled by a token that may not', async () => {
    const { organization } = await anOrganizationThatRequires()
    const client = await organization.token(allBut('crm_custom_fields_manage'))
    const answer = await client.post(`/${plurals[kind]}`, await aBody(kind, organization))
    expect([answer.status, answer.data.customFields]).toEqual([201, {}])
  })
})

it('a value counts whatever its key', async () => {
  const organization = await given.organization()
  await given.configure(
    organization,
    `insert into custom_field_definitions (organization_id, kind, key, label, type, required, position, created_at)
     values ($1, 'contact', 'constructor', 'Constructor', 'text', false, 0, now())`,
    [organization.id],
  )
  const { client } = organization
  const { data } = await client.post('/contacts', await aBody('contact', organization))
  const change = (value: unknown, expectedVersion: number) =>
    client.patch(`/contacts/${data.id}`, { expectedVersion, customFields: { constructor: value } })
  expect((await change('Brunel', 1)).data).toMatchObject({ version: 2, customFields: { constructor: 'Brunel' } })
  expect((await change(null, 2)).data).toMatchObject({ version: 3, customFields: {} })
})

describe('a value of a custom field', () => {
  async function create(customFields: JsonObject) {
    const organization = await anOrganization()
    return organization.client.post('/contacts', await aBody('contact', organization, { customFields }))
  }

  async function anOrganizationThatRequires(key: string) {
    const organization = await given.organization()
    await define(organization, 'contact', [key], true)
    return organization
  }

  it.each(['text', 'number', 'date', 'datetime', 'select', 'url', 'user'] as const)(
    'is none in %s for a blank text, which also clears the one before',
    async key => {
      expect((await create({ [key]: '' })).data.customFields).toEqual({})
      const organization = await anOrganization()
      const kept = { boolean: true, [key]: valid(organization)[key] }
      const { id } = await aRecord('contact', organization, { customFields: kept })
      const body = { expectedVersion: 1, customFields: { [key]: ' \u200b' } }
      const { data } = await organization.client.patch(`/contacts/${id}`, body)
      expect([data.version, data.customFields]).toEqual([2, { boolean: true }])
    },
  )

  it.each([
    ['text', true, 'A text of at most 5000 characters is expected'],
    ['number', '1e3', 'A decimal string such as "12.5" is expected'],
    ['boolean', '', 'true or false is expected'],
    ['date', 'soon', 'A date such as "2026-01-31" is expected'],
    ['datetime', '2026-01-31', 'A date and time with an offset such as "2026-01-31T09:15:00Z" is expected'],
    ['select', 'o60', 'The key of one of its options is expected: see directories.customFields'],
    ['multiselect', '', 'A list of at most 50 different keys of its options is expected: see directories.customFields'],
    ['url', 'x', 'An http or https address such as "https://example.com" is expected'],
    ['user', 'olga', 'The uuid of an operator is expected: see directories.operators'],
  ])('that is wrong is refused with the values that %s takes instead of %j: 422', async (key, value, message) => {
    const answer = await create({ [key]: value })
    const issue = { path: `/customFields/${key}`, rule: key, message }
    expect([answer.status, answer.details.issues]).toEqual([422, [issue]])
  })

  it.each([[12.5], [{ a: 1 }], [['o1', 2]], [[null]]])(
    '%j is of no known type, and the refusal lists the types: 400',
    async value => {
      const answer = await create({ number: value })
      expect(outcome(answer)).toBe('400 validation_error')
      expect(JSON.stringify(answer.details.issues)).toContain('numbers are sent as decimal strings')
    },
  )

  it.each(['', ' \t', '\u3164'])('%j fills none that is required: 422', async blank => {
    const organization = await anOrganizationThatRequires('text')
    const body = await aBody('contact', organization, { customFields: { text: blank } })
    const answer = await organization.client.post('/contacts', body)
    expect([outcome(answer), issuePaths(answer)]).toEqual(['422 validation_error', ['/customFields/text']])
  })

  it('of no options fills none that is required: 422', async () => {
    const organization = await anOrganizationThatRequires('multiselect')
    const body = await aBody('contact', organization, { customFields: { multiselect: [] } })
    const answer = await organization.client.post('/contacts', body)
    expect([outcome(answer), issuePaths(answer)]).toEqual(['422 validation_error', ['/customFields/multiselect']])
  })
})
