import { expect, it } from 'vitest'
import type { Scope } from '../../server/src/kernel/index.ts'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { aBase, basesPath, putFile } from '../knowledge/support/knowledge.ts'
import type { TestOrganization } from '../support/organization.ts'
import { agentOf, agentsPath, anAgent, operatorPath, productOf, setOf, setsPath } from './support/agent-requests.ts'
import { allBut, useApi } from './support/given.ts'
import { anIntegration } from './support/integrations.ts'
import { issuePaths, outcome, unknownId } from './support/requests.ts'

const given = useApi()
const time = expect.stringMatching(/Z$/u)

it('an agent has sensible defaults for members that its request leaves out, and the language of the organization', async () => {
  const organization = await given.shared()
  const { status, body } = await organization.client.post(agentsPath, { name: 'Ann', instructions: ' Be brief.\n' })
  expect(status).toBe(201)
  expect(body).toEqual({
    status: 'OK',
    data: {
      id: expect.any(String),
      name: 'Ann',
      description: null,
      instructions: ' Be brief.\n',
      language: 'en',
      tone: 'neutral',
      model: 'default',
      creativity: 'medium',
      fallbackMessage: null,
      enabled: true,
      productSetIds: [],
      apiIntegrationIds: [],
      knowledgeBaseIds: [],
      channelsCount: 0,
      createdAt: time,
      updatedAt: time,
    },
  })
})

it('an agent that is given no language speaks that of its organization', async () => {
  const organization = await given.organization()
  await given.configure(organization, `update organizations set locale = 'pt-BR' where id = $1`, [organization.id])
  expect((await agentOf(organization)).language).toBe('pt-BR')
  expect((await agentOf(organization, { language: 'de' })).language).toBe('de')
})

it('a change leaves the rest as it is, keeps the order of links, and shows when it was', async () => {
  const organization = await given.shared()
  const { client } = organization
  const [one, two] = [await setOf(organization), await setOf(organization)]
  const agent = await agentOf(organization, { productSetIds: [one.id, two.id], language: 'PT-br' })
  expect(agent).toMatchObject({ language: 'pt-BR', productSetIds: [one.id, two.id] })
  given.clock.advance(1000)
  const at = `${agentsPath}/${String(agent.id)}`
  const { data } = await client.patch(at, { productSetIds: [String(two.id).toUpperCase(), one.id] })
  expect(data).toEqual({ ...agent, productSetIds: [two.id, one.id], updatedAt: time })
  expect(data.updatedAt).not.toBe(agent.updatedAt)
  expect((await client.get(at)).data).toEqual(data)
  expect((await client.patch(at, {})).data).toEqual(data)
  expect((await client.patch(at, { tone: 'friendly' })).data.productSetIds).toEqual([two.id, one.id])
  expect((await client.patch(at, { productSetIds: [] })).data.productSetIds).toEqual([])
})

const linked: Readonly<Record<string, (organization: TestOrganization) => Promise<unknown>>> = {
  productSetIds: async organization => (await setOf(organization)).id,
  knowledgeBaseIds: ({ client }) => aBase(client),
  apiIntegrationIds: async organization => (await anIntegration(organization)).id,
}

it.each(Object.entries(linked))(
  'an unknown id in %s is a 404 that names its place, and nothing was changed',
  async (member, make) => {
    const organization = await given.shared()
    const agent = await agentOf(organization)
    const at = `${agentsPath}/${String(agent.id)}`
    const body = { name: 'Other', [member]: [await make(organization), unknownId] }
    for (const answer of [
      await organization.client.post(agentsPath, anAgent(body)),
      await organization.client.patch(at, body),
    ])
      expect([outcome(answer), answer.details]).toEqual(['404 not_found', { path: `/${member}/1` }])
    expect((await organization.client.get(at)).data).toEqual(agent)
  },
)

it.each([
  ['productSetIds', 10],
  ['knowledgeBaseIds', 10],
  ['apiIntegrationIds', 20],
] as const)('an agent has %s of at most %i, in their order', async (member, most) => {
  const organization = await given.organization()
  const ids: unknown[] = []
  while (ids.length <= most) ids.push(await linked[member]?.(organization))
  expect((await agentOf(organization, { [member]: ids.slice(1).toReversed() }))[member]).toEqual(
    ids.slice(1).toReversed(),
  )
  const refused = await organization.client.post(agentsPath, anAgent({ [member]: ids }))
  expect([outcome(refused), issuePaths(refused)]).toEqual(['400 validation_error', [`/${member}`]])
})

it.each<[string, JsonObject]>([
  ['/name', { name: undefined }],
  ['/name', { name: '' }],
  ['/name', { name: 'x'.repeat(101) }],
  ['/description', { description: 'x'.repeat(1001) }],
  ['/instructions', { instructions: undefined }],
  ['/instructions', { instructions: '  ' }],
  ['/instructions', { instructions: 'x'.repeat(20_001) }],
  ['/language', { language: 'no language' }],
  ['/tone', { tone: 'rude' }],
  ['/model', { model: 'another' }],
  ['/creativity', { creativity: 3 }],
  ['/fallbackMessage', { fallbackMessage: 'x'.repeat(1001) }],
  ['/enabled', { enabled: null }],
  ['/productSetIds/1', { productSetIds: [unknownId, unknownId.toUpperCase()] }],
  ['/productSetIds/0', { productSetIds: ['nonsense'] }],
  ['/channelsCount', { channelsCount: 1 }],
  ['/expectedVersion', { expectedVersion: 1 }],
])('refuses %s that is malformed', async (path, members) => {
  const organization = await given.shared()
  const refused = await organization.client.post(agentsPath, anAgent(members))
  expect(outcome(refused)).toBe('400 validation_error')
  expect(issuePaths(refused)).toContain(path)
})

it('an organization can have a hundred agents', async () => {
  const organization = await given.organization()
  const insert = `insert into agents (organization_id, id, version, created_at, updated_at, name, instructions, language, tone,
      model, creativity, enabled)
    select $1, gen_random_uuid(), 1, now(), now(), 'A', 'B', 'en', 'neutral', 'default', 'low', true from generate_series(1, 100)`
  await given.sql(insert, [organization.id])
  const refused = await organization.client.post(agentsPath, anAgent())
  expect([outcome(refused), refused.details.limit]).toEqual(['422 validation_error', 100])
  expect((await organization.client.get(agentsPath)).items).toHaveLength(100)
})

it('an agent that answers in a channel is removed when that is confirmed, and its AI operator is switched off', async () => {
  const organization = await given.organization()
  const { client, channel } = organization
  const agent = await agentOf(organization)
  const at = `${agentsPath}/${String(agent.id)}`
  const operator = operatorPath(organization)
  await client.patch(operator, { enabled: true, agentId: agent.id, greeting: 'Hello' })
  expect((await client.get(at)).data.channelsCount).toBe(1)
  const used = await client.get(`${at}/channels`)
  expect(used.body).toEqual({
    status: 'OK',
    data: [{ channelId: channel, name: 'Shop', type: 'telegram', enabled: true }],
  })
  const refused = await client.delete(at)
  expect([outcome(refused), refused.details]).toEqual([
    '409 resource_in_use',
    { usedBy: [{ type: 'channel', id: channel, name: 'Shop' }], confirm: 'confirmed=true' },
  ])
  expect((await client.get(operator)).data.enabled).toBe(true)
  expect((await client.delete(`${at}?confirmed=true`)).data).toEqual({ ok: true })
  expect((await client.get(operator)).data).toMatchObject({ enabled: false, agentId: null, greeting: 'Hello' })
  expect(outcome(await client.get(at))).toBe('404 not_found')
  expect(outcome(await client.get(`${at}/channels`))).toBe('404 not_found')
  const { items } = await client.get('/audit?limit=2')
  expect(items.map(({ action }) => action)).toEqual(['agent.deleted', 'ai_operator.updated'])
})

it('a refusal names what uses a record to those who may read it, and counts the rest', async () => {
  const organization = await given.organization()
  const { client, channel } = organization
  const [set, base] = [await setOf(organization), await aBase(client)]
  const agent = await agentOf(organization, { productSetIds: [set.id], knowledgeBaseIds: [base] })
  await client.patch(operatorPath(organization), { enabled: true, agentId: agent.id })
  const used = async (at: string, scopes: readonly Scope[]) => {
    const { details } = await (await organization.token(scopes)).delete(at)
    return [details.usedBy, details.hiddenCount]
  }
  const byAgent = [[{ type: 'agent', id: agent.id, name: agent.name }], undefined]
  const byChannel = [[{ type: 'channel', id: channel, name: 'Shop' }], undefined]
  const places = [
    [`${agentsPath}/${String(agent.id)}`, 'ai_agents_manage', 'channels_read', byChannel],
    [`${setsPath}/${String(set.id)}`, 'ai_products_manage', 'ai_agents_read', byAgent],
    [`${basesPath}/${base}`, 'ai_knowledge_manage', 'ai_agents_read', byAgent],
  ] as const
  for (const [at, manage, read, named] of places) {
    expect(await used(at, [manage])).toEqual([[], 1])
    expect(await used(at, [manage, read])).toEqual(named)
  }
})

it('a knowledge base names the agents that answer from it to those who may read them', async () => {
  const organization = await given.organization()
  const base = await aBase(organization.client)
  const { id, name } = await agentOf(organization, { knowledgeBaseIds: [base] })
  const answers = async (scopes: readonly Scope[]) => {
    const client = await organization.token(scopes)
    const [list, one, changed] = [
      await client.get(basesPath),
      await client.get(`${basesPath}/${base}`),
      await client.patch(`${basesPath}/${base}`, { description: scopes.join() }),
    ]
    expect([list.status, one.status, changed.status]).toEqual([200, 200, 200])
    return [list.items[0], one.data, changed.data]
  }
  for (const shown of await answers(['ai_knowledge_read', 'ai_knowledge_manage', 'ai_agents_read']))
    expect(shown).toMatchObject({ id: base, agentsCount: 1, agents: [{ id, name }] })
  for (const shown of await answers(['ai_knowledge_read', 'ai_knowledge_manage']))
    expect(shown).toMatchObject({ id: base, agentsCount: 1, agents: [] })
})

it('a refusal names at most a hundred users of an agent', async () => {
  const organization = await given.organization()
  const { id } = await agentOf(organization)
  const fill = `with c as (insert into channels (organization_id, id, version, created_at, updated_at, type, name, status)
      select $1, gen_random_uuid(), 1, now(), now(), 'sms', 'Texts ' || n, 'active' from generate_series(1, 120) as n
      returning id)
    insert into ai_operators (organization_id, id, version, created_at, updated_at, enabled, agent_id)
    select $1, c.id, 1, now(), now(), true, $2 from c`
  await given.sql(fill, [organization.id, id])
  const refused = await organization.client.delete(`${agentsPath}/${String(id)}`)
  expect([outcome(refused), refused.details.usedBy]).toEqual(['409 resource_in_use', expect.anything()])
  expect(refused.details.usedBy).toHaveLength(100)
  expect((await organization.client.delete(`${agentsPath}/${String(id)}?confirmed=true`)).status).toBe(200)
  const [left] = await given.sql(
    'select count(*)::integer as count from ai_operators where organization_id = $1 and (enabled or agent_id is not null)',
    [organization.id],
  )
  expect(left?.count).toBe(0)
})

it.each(['', '?confirmed=false', '?confirmed=true'])('an unused record is removed with %s', async query => {
  const organization = await given.shared()
  const { client } = organization
  const [set, base] = [await setOf(organization), await aBase(client)]
  const agent = await agentOf(organization, { productSetIds: [set.id], knowledgeBaseIds: [base] })
  // It goes first, and its own links with it.
  for (const at of [`${agentsPath}/${String(agent.id)}`, `${setsPath}/${String(set.id)}`, `${basesPath}/${base}`]) {
    const removed = await client.delete(`${at}${query}`)
    expect([removed.status, removed.body]).toEqual([200, { status: 'OK', data: { ok: true } }])
    expect(outcome(await client.get(at))).toBe('404 not_found')
  }
})

it('a set that is removed while an agent takes it is linked nowhere or stays', async () => {
  const organization = await given.organization()
  const { client } = organization
  for (let turn = 0; turn < 6; turn += 1) {
    const [set, agent] = [await setOf(organization), await agentOf(organization)]
    const at = `${agentsPath}/${String(agent.id)}`
    const [linked, removed] = await Promise.all([
      client.patch(at, { productSetIds: [set.id] }),
      client.delete(`/api/v1/ai-agents/external/products-sets/${String(set.id)}`),
    ])
    const ids = (await client.get(at)).data.productSetIds
    const ends = [outcome(linked), outcome(removed), ids]
    expect([
      ['200', '409 resource_in_use', [set.id]],
      ['404 not_found', '200', []],
    ]).toContainEqual(ends)
  }
})

/** What leaves an audit entry of each type, and the scope to read it. */
const audited: readonly (readonly [
  type: string,
  scope: Scope,
  change: (organization: TestOrganization) => Promise<unknown>,
])[] = [
  [
    'ai_operator',
    'channels_read',
    organization => organization.client.patch(operatorPath(organization), { greeting: 'A' }),
  ],
  ['agent', 'ai_agents_read', organization => agentOf(organization)],
  ['product_set', 'ai_products_read', organization => setOf(organization)],
  ['product', 'ai_products_read', organization => productOf(organization)],
  ['knowledge_base', 'ai_knowledge_read', ({ client }) => aBase(client)],
  [
    'knowledge_file',
    'ai_knowledge_read',
    async ({ client }) =>
      putFile(client, { base: await aBase(client), id: 'f', name: 'a.txt', content: 'Tea is hot.' }),
  ],
  ['api_integration', 'ai_integrations_read', organization => anIntegration(organization)],
]

it.each(audited)(
  'the audit log shows entries of the type %s to those with %s, and to nobody else',
  async (type, scope, change) => {
    const organization = await given.organization()
    await change(organization)
    const typesFor = async (granted: readonly Scope[]) => {
      const { items } = await (await organization.token(granted)).get(`/audit?resourceType=${type}`)
      return items.map(({ resourceType }) => resourceType)
    }
    expect(await typesFor(['crm_audit_read', scope])).toEqual([type])
    expect(await typesFor(allBut(scope))).toEqual([])
  },
)
