import { beforeAll, describe, expect, it } from 'vitest'
import { agentOf, agentsPath, anAgent } from '../../../../test/conformance/support/agent-requests.ts'
import { useApi } from '../../../../test/conformance/support/given.ts'
import {
  anIntegration,
  anIntegrationBody,
  integrationsPath,
  issuesOf,
} from '../../../../test/conformance/support/integrations.ts'
import { outcome } from '../../../../test/conformance/support/requests.ts'
import type { TestOrganization } from '../../../../test/support/organization.ts'
import { type JsonObject, newId } from '../../kernel/schema/index.ts'
import { integrationBounds } from './parameters-field.ts'

const given = useApi()
let organization: TestOrganization
beforeAll(async () => {
  organization = await given.organization()
})

const post = (members: JsonObject) => organization.client.post(integrationsPath, anIntegrationBody(members))
const patch = ({ id }: JsonObject, body: JsonObject) => organization.client.patch(`${integrationsPath}/${id}`, body)
const pathParameter = { name: 'orderNumber', in: 'path', type: 'string', description: 'Number' }

describe('an integration', () => {
  it('is shown with every member, also those that the request left out', async () => {
    const body = { name: 'minimal', description: ' Pings. ', method: 'POST', url: 'https://example.com/ping' }
    const { status, data } = await organization.client.post(integrationsPath, body)
    expect([status, data]).toEqual([
      201,
      {
        id: expect.stringMatching(/^[\da-f-]{36}$/u),
        name: 'minimal',
        description: 'Pings.',
        method: 'POST',
        url: 'https://example.com/ping',
        parameters: [],
        headers: [],
        auth: { type: 'none', headerName: null, username: null },
        bodyTemplate: null,
        timeoutSeconds: 10,
        enabled: true,
        hasSecret: false,
        secretUpdatedAt: null,
        createdAt: '2026-03-02T10:00:30.000Z',
        updatedAt: '2026-03-02T10:00:30.000Z',
      },
    ])
    expect((await organization.client.get(`${integrationsPath}/${data.id}`)).data).toEqual(data)
    expect((await organization.client.get(integrationsPath)).items).toContainEqual(data)
  })

  it('keeps the members of the request, and fills in its parameters and auth', async () => {
    const parameters = [
      pathParameter,
      { name: 'X-Language', in: 'header', type: 'string', description: 'Language', enum: ['en', 'de'] },
      { name: 'limit', in: 'query', type: 'integer', description: 'How many', required: true, enum: [1, 10] },
      { name: 'note', in: 'body', type: 'boolean', description: 'Note' },
    ]
    const headers = [{ name: 'Accept', value: 'application/json' }]
    const rest = { bodyTemplate: ' {"note": {note}}\n', timeoutSeconds: 30, enabled: false, headers }
    const { status, data } = await post({ ...rest, parameters, auth: { type: 'api_key' } })
    expect(status).toBe(201)
    expect(data).toMatchObject({ ...rest, hasSecret: true, secretUpdatedAt: data.createdAt })
    expect(data.auth).toEqual({ type: 'api_key', headerName: 'X-Api-Key', username: null })
    expect(data.parameters).toEqual([
      { ...parameters[0], required: true, enum: null },
      { ...parameters[1], required: false },
      parameters[2],
      { ...parameters[3], required: false, enum: null },
    ])
    expect((await post({ auth: { type: 'basic', username: 'crm' } })).data.auth).toEqual({
      type: 'basic',
      headerName: null,
      username: 'crm',
    })
  })

  it('is changed member by member, and an equal change is none', async () => {
    const before = await anIntegration(organization)
    given.clock.advance(1000)
    const { data } = await patch(before, { enabled: false, timeoutSeconds: 1 })
    expect(data).toEqual({ ...before, enabled: false, timeoutSeconds: 1, updatedAt: expect.any(String) })
    expect(data.updatedAt).not.toBe(before.updatedAt)
    given.clock.advance(1000)
    expect((await patch(before, {})).data).toEqual(data)
    expect((await patch(before, { enabled: false, auth: { type: 'bearer' } })).data).toEqual(data)
    expect((await patch(before, { bodyTemplate: null })).data).toEqual(data)
  })

  it('is gone when it is removed', async () => {
    const { id } = await anIntegration(organization)
    const { client } = organization
    const removed = await client.delete(`${integrationsPath}/${id}`)
    expect([removed.status, removed.body]).toEqual([200, { status: 'OK', data: { ok: true } }])
    expect(outcome(await client.get(`${integrationsPath}/${id}`))).toBe('404 not_found')
    expect(outcome(await client.patch(`${integrationsPath}/${id}`, {}))).toBe('404 not_found')
    expect(outcome(await client.delete(`${integrationsPath}/${id}`))).toBe('404 not_found')
  })

  it('has a name that no other one of the organization has', async () => {
    const [one, two] = [await anIntegration(organization), await anIntegration(organization)]
    const taken = await post({ name: one.name })
    expect([outcome(taken), taken.details]).toEqual(['409 already_exists', { path: '/name', existingId: one.id }])
    expect(outcome(await patch(two, { name: one.name }))).toBe('409 already_exists')
    expect((await patch(one, { name: one.name })).status).toBe(200)
    expect((await anIntegration(await given.organization(), { name: one.name })).name).toBe(one.name)
  })

  it('is one of a hundred at most', async () => {
    const full = await given.organization()
    await given.sql(
      `insert into api_integrations (organization_id, id, version, created_at, updated_at, name, description, method, url,
         parameters, headers, auth, timeout_seconds, enabled)
       select $1, gen_random_uuid(), 1, now(), now(), 'n' || n, 'd', 'GET', 'https://example.com', '[]', '[]',
         '{"type":"none"}', 10, true
         from generate_series(1, 99) as n`,
      [full.id],
    )
    const body = anIntegrationBody()
    expect((await full.client.post(integrationsPath, body)).status).toBe(201)
    expect(issuesOf(await full.client.post(integrationsPath, anIntegrationBody()))).toBe('422,  max_items')
    expect((await full.client.get(integrationsPath)).items).toHaveLength(100)
  })
})

const wrong: readonly (readonly [JsonObject, string])[] = [
  [{ name: undefined }, '400, /name required'],
  [{ name: '1st' }, '400, /name pattern'],
  [{ name: 'find-order' }, '400, /name pattern'],
  [{ name: 'x'.repeat(65) }, '400, /name maxLength, /name pattern'],
  [{ name: null }, '400, /name type'],
  [{ description: undefined }, '400, /description required'],
  [{ description: ' ' }, '400, /description minLength'],
  [{ description: 'x'.repeat(1001) }, '400, /description maxLength'],
  [{ method: undefined }, '400, /method required'],
  [{ method: 'get' }, '400, /method enum'],
  [{ method: 'HEAD' }, '400, /method enum'],
  [{ url: undefined }, '400, /url required'],
  [{ url: 'http://api.example.com/{orderNumber}' }, '400, /url format'],
  [{ url: 'ftp://api.example.com/{orderNumber}' }, '400, /url format'],
  [{ url: '//api.example.com/{orderNumber}' }, '400, /url format'],
  [{ url: 'https:///{orderNumber}' }, '400, /url format'],
  [{ url: 'https://?{orderNumber}' }, '400, /url format'],
  [{ url: 'https://{host}/{orderNumber}' }, '400, /url format'],
  [{ url: 'https://api.{orderNumber}.example.com/' }, '400, /url format'],
  [{ url: 'https://user:password@api.example.com/{orderNumber}' }, '400, /url format'],
  [{ url: 'https://api.example.com/{orderNumber}#top' }, '400, /url format'],
  [{ url: 'https://api.example.com/{orderNumber}/{' }, '400, /url format'],
  [{ url: 'https://api.example.com/{order number}' }, '400, /url format'],
  [{ url: 'https://api.example.com\\@evil.example.com/{orderNumber}' }, '400, /url format'],
  [{ url: 'https://api.example.com/a\tb/{orderNumber}' }, '400, /url format'],
  [{ url: 'https://999.999.999.999/{orderNumber}' }, '400, /url format'],
  [{ url: `https://api.example.com/{orderNumber}${'x'.repeat(2048)}` }, '400, /url maxLength'],
  [{ url: 'https://api.example.com/' }, '400, /parameters/0 unused_parameter'],
  [
    { url: 'https://api.example.com/?n={orderNumber}' },
    '400, /url undeclared_parameter, /parameters/0 unused_parameter',
  ],
  [
    { url: 'https://api.example.com/{orderNumber}/{other}?x={third}' },
    '400, /url undeclared_parameter, /url undeclared_parameter',
  ],
  [{ parameters: undefined }, '400, /url undeclared_parameter'],
  [{ parameters: null }, '400, /parameters type'],
  [{ timeoutSeconds: 0 }, '400, /timeoutSeconds minimum'],
  [{ timeoutSeconds: 31 }, '400, /timeoutSeconds maximum'],
  [{ timeoutSeconds: 1.5 }, '400, /timeoutSeconds type'],
  [{ timeoutSeconds: null }, '400, /timeoutSeconds type'],
  [{ enabled: 'true' }, '400, /enabled type'],
  [{ bodyTemplate: 'x'.repeat(10_001) }, '400, /bodyTemplate maxLength'],
  [{ secret: '' }, '400, /secret minLength'],
  [{ secret: 'x'.repeat(4097) }, '400, /secret maxLength'],
  [{ secret: 'a\r\nX-Other: b' }, '400, /secret pattern'],
  [{ secret: 7 }, '400, /secret type'],
  [{ auth: { type: 'digest' } }, '400, /auth/type enum'],
  [{ auth: {} }, '400, /auth/type required'],
  [{ auth: null }, '400, /auth type'],
  [{ auth: { type: 'bearer', headerName: 'X-Key' } }, '400, /auth/headerName auth_type'],
  [{ auth: { type: 'api_key', username: 'crm' } }, '400, /auth/username auth_type'],
  [{ auth: { type: 'api_key', headerName: 'Host' } }, '400, /auth/headerName header'],
  [{ auth: { type: 'api_key', headerName: 'X Key' } }, '400, /auth/headerName header'],
  [{ auth: { type: 'basic', username: 'a:b' } }, '400, /auth/username format'],
  [{ hasSecret: true }, '400, /hasSecret unknown_field'],
  [{ secretUpdatedAt: null }, '400, /secretUpdatedAt unknown_field'],
  [{ headers: null }, '400, /headers type'],
  [{ headers: [{ name: 'Accept' }] }, '400, /headers/0/value required'],
  ...[
    'Host',
    'Connection',
    'Content-Length',
    'Transfer-Encoding',
    'Upgrade',
    'TE',
    'Trailer',
    'Keep-Alive',
    'Proxy-Authorization',
    'Expect',
    'a b',
    'a:b',
    'é',
  ].map((name): readonly [JsonObject, string] => [{ headers: [{ name, value: 'x' }] }, '400, /headers/0/name header']),
  ...['a\r\nX-Other: b', 'a\nb', 'a\u007f', ' a', 'a ', 'é'].map((value): readonly [JsonObject, string] => [
    { headers: [{ name: 'X-One', value }] },
    '400, /headers/0/value header',
  ]),
  [
    {
      headers: [
        { name: 'X-One', value: 'a' },
        { name: 'x-one', value: 'b' },
      ],
    },
    '400, /headers/1/name header',
  ],
  [{ headers: [{ name: 'authorization', value: 'Bearer x' }] }, '400, /headers/0/name doubled_header'],
  [
    { auth: { type: 'api_key', headerName: 'X-Key' }, headers: [{ name: 'x-key', value: 'x' }] },
    '400, /headers/0/name doubled_header',
  ],
  [{ headers: Array.from({ length: 21 }, (_, at) => ({ name: `X-${at}`, value: 'x' })) }, '400, /headers maxItems'],
]

const wrongParameters: readonly (readonly [JsonObject, string])[] = [
  [{ name: 'a b' }, '400, /parameters/1/name pattern'],
  [{ name: 'x'.repeat(65) }, '400, /parameters/1/name pattern'],
  [{ name: undefined }, '400, /parameters/1/name required'],
  [{ in: undefined }, '400, /parameters/1/in required'],
  [{ in: 'cookie' }, '400, /parameters/1/in enum'],
  [{ type: 'object' }, '400, /parameters/1/type enum'],
  [{ description: undefined }, '400, /parameters/1/description required'],
  [{ description: ' ' }, '400, /parameters/1/description required'],
  [{ description: 'x'.repeat(501) }, '400, /parameters/1/description maxLength'],
  [{ required: 'yes' }, '400, /parameters/1/required type'],
  [{ default: 1 }, '400, /parameters/1/default unknown_field'],
  [{ name: 'orderNumber' }, '400, /parameters/1/name unique'],
  [{ in: 'path' }, '400, /parameters/1 unused_parameter'],
  [{ in: 'path', required: false }, '400, /parameters/1/required path'],
  [{ in: 'header', name: 'Host' }, '400, /parameters/1/name header'],
  [{ in: 'header', name: 'Authorization' }, '400, /parameters/1/name doubled_header'],
  [{ enum: [] }, '400, /parameters/1/enum minItems'],
  [{ enum: Array.from({ length: 51 }, (_, at) => `w${at}`) }, '400, /parameters/1/enum maxItems'],
  [{ enum: ['x'.repeat(101)] }, '400, /parameters/1/enum/0 maxLength'],
  [{ enum: [null] }, '400, /parameters/1/enum/0 type'],
  [{ enum: ['a', 1] }, '400, /parameters/1/enum/1 type'],
  [{ type: 'integer', enum: [1, 1.5] }, '400, /parameters/1/enum/1 type'],
  [{ enum: ['a', 'a'] }, '400, /parameters/1/enum unique'],
]

describe('a request is refused', () => {
  it.each(wrong)('with %j: %s', async (members, expected) => {
    expect(issuesOf(await post(members))).toBe(expected)
  })

  it.each(wrongParameters)('with a parameter of %j: %s', async (members, expected) => {
    const parameter = { name: 'other', in: 'query', type: 'string', description: 'Other', ...members }
    expect(issuesOf(await post({ parameters: [pathParameter, parameter] }))).toBe(expected)
  })

  it('with more than 30 parameters, and not with 30', async () => {
    const parameters = Array.from({ length: 30 }, (_, at) => ({ ...pathParameter, name: `q${at}`, in: 'query' }))
    expect((await post({ url: 'https://example.com/', parameters })).status).toBe(201)
    expect(issuesOf(await post({ parameters: [...parameters, pathParameter] }))).toBe('400, /parameters maxItems')
  })

  it('with parameters that are too large together', async () => {
    const most = integrationBounds.integrationParameters.most
    const words = Array.from({ length: 40 }, (_, at) => `${at}`.padStart(100, 'x'))
    const large = Array.from({ length: 16 }, (_, at) => ({
      ...pathParameter,
      name: `q${at}`,
      in: 'query',
      enum: at === 0 ? words.slice(0, 20) : words,
    }))
    const left = most - JSON.stringify([...large, pathParameter]).length
    const fitting = [...large, { ...pathParameter, description: `Number${'x'.repeat(left)}` }]
    expect([left > 0 && left < 490, JSON.stringify(fitting).length]).toEqual([true, most])
    expect((await post({ parameters: fitting })).status).toBe(201)
    const over = [...large, { ...pathParameter, description: `Number${'x'.repeat(left + 1)}` }]
    expect(issuesOf(await post({ parameters: over }))).toBe('400, /parameters max_bytes')
  })

  it('where a header comes from two places', async () => {
    const parameters = [pathParameter, { ...pathParameter, name: 'X-One', in: 'header' }]
    const headers = [{ name: 'x-one', value: 'a' }]
    expect(issuesOf(await post({ parameters, headers }))).toBe('400, /parameters/1/name doubled_header')
    const twice = [...parameters, { ...pathParameter, name: 'x-one', in: 'header' }]
    expect(issuesOf(await post({ parameters: twice }))).toBe('400, /parameters/2/name unique')
  })

  it('where the body has no place for one of its parameters', async () => {
    const parameters = [pathParameter, { ...pathParameter, name: 'note', in: 'body' }]
    expect(issuesOf(await post({ parameters, bodyTemplate: '{"a": 1}' }))).toBe('400, /parameters/1 unused_parameter')
    const graph = { parameters, bodyTemplate: '{"query": "{ order { {id} } }", "note": {note}}' }
    expect((await post(graph)).status).toBe(201)
  })
})

describe('a change that contradicts the stored integration', () => {
  it.each<[string, JsonObject, string]>([
    ['the address', { url: 'https://api.example.com/all' }, '422, /parameters/0 unused_parameter'],
    ['the parameters', { parameters: [] }, '422, /url undeclared_parameter'],
    ['the headers', { headers: [{ name: 'Authorization', value: 'x' }] }, '422, /headers/0/name doubled_header'],
    [
      'a parameter of a header',
      { parameters: [pathParameter, { ...pathParameter, name: 'Accept', in: 'header' }] },
      '422, /parameters/1/name doubled_header',
    ],
    [
      'a parameter of the body',
      { parameters: [pathParameter, { ...pathParameter, name: 'note', in: 'body' }] },
      '422, /parameters/1 unused_parameter',
    ],
  ])('is refused: %s', async (_what, change, expected) => {
    const headers = [{ name: 'Accept', value: '*/*' }]
    const before = await anIntegration(organization, { headers, bodyTemplate: '{}' })
    expect(issuesOf(await patch(before, change))).toBe(expected)
    expect((await organization.client.get(`${integrationsPath}/${before.id}`)).data).toEqual(before)
  })

  it('is refused as a wrong request when both parts are in it', async () => {
    const before = await anIntegration(organization)
    const change = { url: 'https://api.example.com/all', parameters: [pathParameter] }
    expect(issuesOf(await patch(before, change))).toBe('400, /parameters/0 unused_parameter')
    expect((await patch(before, { url: 'https://api.example.com/all', parameters: [] })).status).toBe(200)
  })
})

describe('an agent', () => {
  const read = async ({ id }: JsonObject) => (await organization.client.get(`${agentsPath}/${id}`)).data

  it('has integrations in their order, and loses one that is removed, without a question', async () => {
    const [one, two] = [await anIntegration(organization), await anIntegration(organization)]
    const agent = await agentOf(organization, { apiIntegrationIds: [two.id, one.id] })
    const other = await agentOf(organization, { apiIntegrationIds: [two.id] })
    expect((await read(agent)).apiIntegrationIds).toEqual([two.id, one.id])
    const removed = await organization.client.delete(`${integrationsPath}/${two.id}`)
    expect([removed.status, removed.data]).toEqual([200, { ok: true }])
    expect([(await read(agent)).apiIntegrationIds, (await read(other)).apiIntegrationIds]).toEqual([[one.id], []])
  })

  it('has 20 at most, and no unknown one', async () => {
    const { id } = await anIntegration(organization)
    const many = Array.from({ length: 21 }, () => id)
    expect(issuesOf(await organization.client.post(agentsPath, anAgent({ apiIntegrationIds: many })))).toContain(
      'maxItems',
    )
    const unknown = await organization.client.post(agentsPath, anAgent({ apiIntegrationIds: [newId()] }))
    expect(outcome(unknown)).toBe('404 not_found')
  })
})

it('two changes at the same time keep both members', async () => {
  const before = await anIntegration(organization)
  await Promise.all([
    patch(before, { enabled: false }),
    patch(before, { timeoutSeconds: 3 }),
    patch(before, { method: 'PUT' }),
  ])
  const { data } = await organization.client.get(`${integrationsPath}/${before.id}`)
  expect(data).toMatchObject({ enabled: false, timeoutSeconds: 3, method: 'PUT' })
})

it('each change is an entry of the audit log, for those who may read integrations', async () => {
  const audited = await given.organization()
  const created = await anIntegration(audited)
  await audited.client.patch(`${integrationsPath}/${created.id}`, { enabled: false })
  await audited.client.delete(`${integrationsPath}/${created.id}`)
  const entries = (await audited.client.get('/audit?resourceType=api_integration')).items
  expect(entries.map(({ action, resourceId }) => [action, resourceId])).toEqual([
    ['api_integration.deleted', created.id],
    ['api_integration.updated', created.id],
    ['api_integration.created', created.id],
  ])
  const without = await audited.token(['crm_audit_read'])
  expect((await without.get('/audit?resourceType=api_integration')).items).toEqual([])
  expect((await audited.client.get('/changes/cursor')).data.seq).toBe(0)
})
