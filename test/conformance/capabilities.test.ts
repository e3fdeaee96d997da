import { describe, expect, it } from 'vitest'
import { scopes } from '../../server/src/kernel/index.ts'
import { isObject, newId } from '../../server/src/kernel/schema/index.ts'
import { aContact } from '../support/builders.ts'
import { Client, objectOf } from '../support/client.ts'
import { allBut, useApi } from './support/given.ts'
import { aRecord, kinds, outcome, plurals } from './support/requests.ts'
import { aToken } from './support/tokens.ts'

const given = useApi()

describe('GET /capabilities', () => {
  it('describes organization, application and token, and needs no scope', async () => {
    const organization = await given.organization()
    const text = await aToken(given, organization, {
      granted: [],
      cidrs: ['127.0.0.0/8'],
      expiresAt: '2026-04-01T00:00:00Z',
    })
    const { status, data } = await new Client(given.api.url, text).get('/capabilities')
    expect(status).toBe(200)
    expect(data).toMatchObject({
      apiVersion: 'v1',
      crmProvider: 'built_in',
      organization: {
        id: organization.id,
        name: 'Test',
        timeZone: 'UTC',
        defaultCurrency: 'USD',
        currencies: ['USD', 'EUR', 'JPY'],
        locale: 'en',
      },
      application: { id: organization.applicationId, name: 'Integration' },
      token: { id: text.split('_')[2], expiresAt: '2026-04-01T00:00:00.000Z', scopes: [], cidrAllowlist: true },
      features: { deals: true },
    })
    expect(text).toContain(String(objectOf(data.token).id))
    expect(JSON.stringify(data)).not.toContain(text.split('_')[3])
  })

  it('shows a token without expiry and networks as such', async () => {
    const { client } = await given.shared()
    const { token } = (await client.get('/capabilities')).data
    expect(token).toMatchObject({ expiresAt: null, scopes: [...scopes], cidrAllowlist: false })
  })

  it('gives the limits of the specification', async () => {
    const organization = await given.organization()
    await given.configure(
      organization,
      'update applications set rate_read = 600, rate_write = 120 where organization_id = $1',
      [organization.id],
    )
    const client = await organization.token([])
    const { rateLimits, limits } = (await client.get('/capabilities')).data
    expect(rateLimits).toEqual({
      read: { methods: ['GET', 'HEAD'], limit: 600, windowSeconds: 60, key: 'application' },
      write: { methods: ['POST', 'PATCH', 'PUT', 'DELETE'], limit: 120, windowSeconds: 60, key: 'application' },
      failedAuthentication: { limit: 30, windowSeconds: 60, key: 'ip' },
    })
    expect(limits).toEqual({
      listDefault: 50,
      listMax: 100,
      searchDefault: 20,
      searchMax: 50,
      searchQueryMin: 2,
      searchQueryMax: 200,
      productsDefault: 20,
      productsMax: 100,
      filterValues: 20,
      filteredCustomFields: 10,
      batchItems: 100,
      bulkTargets: 10_000,
      bulkErrors: 100,
      importFileBytes: 26_214_400,
      knowledgeFileBytes: 26_214_400,
      importRows: 100_000,
      attachmentFiles: 10,
      attachmentFileBytes: 10_485_760,
      jsonBodyBytes: 1_048_576,
      batchBodyBytes: 5_242_880,
      exportLinkSeconds: 86_400,
      requestIdLength: 128,
      externalIdLength: 200,
      contactSearchLength: 200,
      auditResourceTypeLength: 64,
      auditActionLength: 128,
      idempotencyKeyLength: 255,
      idempotencyRetentionSeconds: 86_400,
      changeRetentionSeconds: 2_592_000,
    })
  })

  it('shows and enforces a raised rate limit on tokens in use after the next poll', async () => {
    const organization = await given.organization({ rates: 2 })
    const { client } = organization
    expect((await client.get('/capabilities')).data.rateLimits).toMatchObject({
      read: { limit: 2 },
      write: { limit: 2 },
    })
    await client.get('/contacts')
    expect(outcome(await client.get('/contacts'))).toBe('429 rate_limit_exceeded')
    await given.configure(
      organization,
      'update applications set rate_read = 100, rate_write = 3 where organization_id = $1',
      [organization.id],
    )
    await expect.poll(async () => (await client.get('/capabilities')).status).toBe(200)
    const { headers, data } = await client.get('/capabilities')
    expect(headers.get('ratelimit-limit')).toBe('100')
    expect(data.rateLimits).toMatchObject({ read: { limit: 100 }, write: { limit: 3 } })
    const writes = [aContact(), aContact(), aContact(), aContact()].map(body => client.post('/contacts', body))
    const statuses = (await Promise.all(writes)).map(({ status }) => status)
    expect(statuses.filter(status => status === 429)).toHaveLength(1)
  })

  it('lists limits that are enforced: batches, lists, keys and searches', async () => {
    const organization = await given.shared()
    const { client } = organization
    const { batchItems, listMax, listDefault, externalIdLength, contactSearchLength, idempotencyKeyLength } = objectOf(
      (await client.get('/capabilities')).data.limits,
    )
    const batch = (count: number) =>
      client.post('/contacts/batch/get', { items: Array.from({ length: count }, () => ({ id: newId() })) })
    const limits: readonly (readonly [unknown, (size: number) => Promise<{ status: number }>])[] = [
      [batchItems, batch],
      [listMax, size => client.get(`/contacts?limit=${size}`)],
      [externalIdLength, size => client.get(`/contacts?externalId=${'x'.repeat(size)}`)],
      [contactSearchLength, size => client.get(`/contacts?search=${'x'.repeat(size)}`)],
      [idempotencyKeyLength, size => client.post('/contacts', aContact(), { key: 'k'.repeat(size) })],
    ]
    for (const [limit, send] of limits) {
      expect([200, 201]).toContain((await send(Number(limit))).status)
      expect((await send(Number(limit) + 1)).status).toBe(400)
    }
    expect(listDefault).toBe(50)
  })
})

describe('directories of GET /capabilities', () => {
  const directoriesOf = async (client: Client) => {
    const { data, meta } = await client.get('/capabilities')
    return { directories: objectOf(data.directories), meta }
  }

  it('list the pipelines with their stages in order, without archived ones, and active lost reasons', async () => {
    const organization = await given.organization()
    const { client, stages, pipelineId, lostReason } = organization
    await given.configure(organization, 'update stages set archived = true where id = $1', [stages.second])
    const { directories, meta } = await directoriesOf(client)
    expect(directories.pipelines).toEqual([
      {
        id: pipelineId,
        name: 'Sales',
        isDefault: true,
        lostReasonRequired: true,
        stages: [
          { uuid: stages.first, name: 'New', type: 'open', position: 0 },
          { uuid: stages.won, name: 'Won', type: 'won', position: 2 },
          { uuid: stages.lost, name: 'Lost', type: 'lost', position: 3 },
        ],
      },
    ])
    expect(directories.lostReasonCategories).toEqual([{ uuid: lostReason, name: 'Price', pipelineId: null }])
    expect(directories.truncated).toEqual([])
    expect(meta).toEqual({})
  })

  it('list operators, tags and custom fields, each for its own scope alone', async () => {
    const organization = await given.organization()
    const tag = newId()
    await given.sql(
      `insert into tags (organization_id, id, name, color, kinds, created_at)
       values ($1, $2, 'VIP', '#ff0000', '{contact}', '2026-01-01T00:00:00Z')`,
      [organization.id, tag],
    )
    await given.sql(
      `insert into custom_field_definitions (organization_id, kind, key, label, type, options, required, position, created_at)
       values ($1, 'contact', 'region', 'Region', 'select', '[{"key": "n", "label": "North"}]', false, 0, now())`,
      [organization.id],
    )
    const { directories } = await directoriesOf(organization.client)
    expect(directories.operators).toEqual([
      { uuid: organization.inactiveOperator, name: 'Ivan', isActive: false },
      { uuid: organization.operator, name: 'Olga', isActive: true },
    ])
    expect(directories.tags).toMatchObject([
      { id: organization.tag, name: 'Regular' },
      {
        id: tag,
        externalId: null,
        name: 'VIP',
        color: '#ff0000',
        kinds: ['contact'],
        createdAt: '2026-01-01T00:00:00.000Z',
      },
    ])
    expect(directories.customFields).toEqual([
      {
        kind: 'contact',
        key: 'region',
        label: 'Region',
        type: 'select',
        required: false,
        options: [{ key: 'n', label: 'North' }],
      },
    ])
    const hidden = [
      ['crm_operators_read', 'operators', 'operators'],
      ['crm_tags_read', 'tags', 'tags'],
      ['crm_custom_fields_read', 'customFields', 'custom_fields'],
    ] as const
    for (const [scope, name, projection] of hidden) {
      const seen = await directoriesOf(await organization.token(allBut(scope)))
      expect(Object.keys(seen.directories)).not.toContain(name)
      expect(Object.keys(seen.directories)).toHaveLength(5)
      expect(seen.meta).toEqual({ redacted: [projection] })
    }
  })

  it('show a new setting at once', async () => {
    const organization = await given.organization()
    await directoriesOf(organization.client)
    await given.configure(organization, `update operators set name = 'Zoe' where id = $1`, [organization.operator])
    const { operators } = (await directoriesOf(organization.client)).directories
    expect(JSON.stringify(operators)).toContain('Zoe')
  })

  it('hold at most 1000 entries each and name those that have more', async () => {
    const organization = await given.organization()
    await given.sql(
      `insert into tags (organization_id, id, name, kinds, created_at)
       select $1, gen_random_uuid(), 'Tag ' || number, '{contact}', now() from generate_series(1, 1001) number`,
      [organization.id],
    )
    const { tags, truncated } = (await directoriesOf(organization.client)).directories
    expect([Array.isArray(tags) && tags.length, truncated]).toEqual([1000, ['tags']])
    expect(Array.isArray(tags) && tags.every(isObject)).toBe(true)
  })

  it('are of the organization alone', async () => {
    const organization = await given.organization()
    const { directories } = await directoriesOf((await given.organization()).client)
    expect(JSON.stringify(directories)).not.toContain(organization.pipelineId)
  })
})

it('a client sees which kinds are served', async () => {
  const organization = await given.shared()
  for (const kind of kinds) {
    await aRecord(kind, organization)
    expect((await organization.client.get(`/${plurals[kind]}`)).status).toBe(200)
  }
  const { features } = (await organization.client.get('/capabilities')).data
  expect(Object.keys(objectOf(features)).toSorted()).toEqual(
    ['ai', 'analytics', 'deals', 'exports', 'imports', 'search', 'tasks'].toSorted(),
  )
  for (const [name, path] of [
    ['tasks', '/tasks'],
    ['imports', '/imports'],
    ['exports', '/exports'],
    ['search', '/search?q=xx'],
    ['analytics', '/analytics/summary'],
    ['deals', '/deals'],
    ['ai', '/api/v1/ai-agents/external/agents'],
  ] as const) {
    const { status } = await organization.client.get(path)
    expect([name, objectOf(features)[name]]).toEqual([name, status !== 404])
  }
})
