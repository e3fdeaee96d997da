import { expect, it } from 'vitest'
import { isObject, type JsonObject } from '../../server/src/kernel/schema/index.ts'
import { objectOf } from '../support/client.ts'
import { agentOf, agentsPath, aProduct, productOf, setOf, setsPath } from './support/agent-requests.ts'
import { factsOf } from './support/facts.ts'
import { allBut, useApi } from './support/given.ts'
import { issuePaths, outcome, unknownId } from './support/requests.ts'

const given = useApi()
const time = expect.stringMatching(/Z$/u)

it('a set answers its fields in the envelope of the AI agents, with the count of its products', async () => {
  const { client } = await given.shared()
  const { status, body } = await client.post(setsPath, { name: ' Spring ', description: 'New', currency: 'EUR' })
  const set = {
    name: 'Spring',
    description: 'New',
    currency: 'EUR',
    productsCount: 0,
    createdAt: time,
    updatedAt: time,
  }
  expect([status, body]).toEqual([201, { status: 'OK', data: { id: expect.any(String), ...set } }])
})

it('a set takes a currency of the organization alone, and keeps one that was disabled since', async () => {
  const organization = await given.organization()
  const { client } = organization
  const refused = await client.post(setsPath, { name: 'A', currency: 'GBP' })
  expect([outcome(refused), issuePaths(refused)]).toEqual(['422 validation_error', ['/currency']])
  const { id } = await setOf(organization, { currency: 'JPY' })
  await given.configure(organization, `update organizations set currencies = '{USD}' where id = $1`, [organization.id])
  const kept = await client.patch(`${setsPath}/${String(id)}`, { currency: 'JPY', name: 'B' })
  expect(outcome(kept)).toBe('200')
  expect(outcome(await client.patch(`${setsPath}/${String(id)}`, { currency: 'EUR' }))).toBe('422 validation_error')
})

it('sets are listed newest first, and with_links names the agents that use each', async () => {
  const organization = await given.organization()
  const { client } = organization
  const first = await setOf(organization, { name: 'First' })
  given.clock.advance(1000)
  const second = await setOf(organization, { name: 'Second' })
  const agent = await agentOf(organization, { name: 'Zoe', productSetIds: [first.id] })
  const other = await agentOf(organization, { name: 'Ann', productSetIds: [second.id, first.id] })
  const plain = await client.get(setsPath)
  expect(plain.items).toEqual([second, first])
  expect((await client.get(`${setsPath}?mode=without_links`)).body).toEqual(plain.body)
  const { items } = await client.get(`${setsPath}?mode=with_links`)
  const [zoe, ann] = [agent, other].map(({ id, name }) => ({ id, name }))
  expect(items).toEqual([
    { ...second, agents: [ann] },
    { ...first, agents: [ann, zoe] },
  ])
  const poor = await organization.token(['ai_products_read'])
  expect((await poor.get(`${setsPath}?mode=with_links`)).items).toEqual([second, first])
})

it('an organization has a bounded number of sets', async () => {
  const organization = await given.organization()
  const insert = `insert into product_sets (organization_id, id, version, created_at, updated_at, name, products_count)
    select $1, gen_random_uuid(), 1, now(), now(), 'A', 0 from generate_series(1, 199)`
  await given.sql(insert, [organization.id])
  const bodies = [{ name: 'B' }, { name: 'C' }, { name: 'D' }]
  const answers = await Promise.all(bodies.map(body => organization.client.post(setsPath, body)))
  expect(answers.map(outcome).sort()).toEqual(['201', '422 validation_error', '422 validation_error'])
  expect(answers.find(({ status }) => status === 422)?.details.limit).toBe(200)
  expect((await organization.client.get(setsPath)).items).toHaveLength(200)
})

it('a set that agents use is removed when that is confirmed, and from them', async () => {
  const organization = await given.organization()
  const { client } = organization
  const { set, path } = await productOf(organization)
  const agent = await agentOf(organization, { productSetIds: [set.id] })
  const at = `${setsPath}/${String(set.id)}`
  for (const query of ['', '?confirmed=false']) {
    const refused = await client.delete(`${at}${query}`, undefined, { key: 'once' })
    expect([outcome(refused), refused.details]).toEqual([
      '409 resource_in_use',
      { usedBy: [{ type: 'agent', id: agent.id, name: agent.name }], confirm: 'confirmed=true' },
    ])
  }
  const { status, body } = await client.delete(`${at}?confirmed=true`, undefined, { key: 'once' })
  expect([status, body]).toEqual([200, { status: 'OK', data: { ok: true } }])
  expect((await client.get(`${agentsPath}/${String(agent.id)}`)).data.productSetIds).toEqual([])
  for (const gone of [await client.get(at), await client.put(path, aProduct()), await client.delete(at)])
    expect(outcome(gone)).toBe('404 not_found')
  const [left] = await given.sql('select count(*)::integer as count from products where organization_id = $1', [
    organization.id,
  ])
  expect(left?.count).toBe(0)
})

it('changes of sets and products stand in the audit log, each as its own, and not in the feed', async () => {
  const organization = await given.organization()
  const { client } = organization
  let at = ''
  const facts = await factsOf(given, organization, async () => {
    const { set, path } = await productOf(organization)
    at = `${setsPath}/${String(set.id)}`
    await client.put(path, aProduct({ name: 'Coffee pot' }))
    await client.put(path, aProduct({ name: 'Coffee pot' }))
    await client.delete(path)
    await client.patch(at, { name: 'Autumn' })
    await client.patch(at, { name: 'Autumn' })
    await client.delete(at)
  })
  expect(facts.events).toEqual([])
  expect(facts.audit.map(({ action }) => action)).toEqual([
    'product_set.created',
    'product.created',
    'product.updated',
    'product.deleted',
    'product_set.updated',
    'product_set.deleted',
  ])
  const setId = at.split('/').at(-1)
  expect(facts.audit[2]).toMatchObject({ versions: [null, null] })
  expect(facts.audit[2]?.changes).toEqual([
    { field: 'productSetId', before: setId, after: setId },
    { field: 'id', before: 'tea-pot:1', after: 'tea-pot:1' },
    { field: 'name', before: 'Tea pot', after: 'Coffee pot' },
  ])
  expect(facts.audit[3]?.changes.slice(0, 2)).toEqual([
    { field: 'productSetId', before: setId, after: null },
    { field: 'id', before: 'tea-pot:1', after: null },
  ])
  const seen = await client.get('/audit?resourceType=product')
  expect(seen.items).toHaveLength(3)
  const blind = await organization.token(allBut('ai_products_read'))
  expect((await blind.get('/audit?resourceType=product')).items).toEqual([])
  expect((await blind.get('/audit?resourceType=product_set')).items).toEqual([])
})

it('a writer who may not read gets a receipt', async () => {
  const organization = await given.shared()
  const writer = await organization.token(['ai_products_manage'])
  const set = await writer.post(setsPath, { name: 'A' })
  expect(Object.keys(set.data)).toEqual(['id', 'createdAt', 'updatedAt'])
  const product = await writer.post(`${setsPath}/${String(set.data.id)}/products`, aProduct({ id: 'x' }))
  expect(product.data).toEqual({ id: 'x', createdAt: time, updatedAt: time })
})

it('two changes of one set at once lose nothing of each other', async () => {
  const organization = await given.organization()
  const { client } = organization
  for (let turn = 0; turn < 5; turn += 1) {
    const at = `${setsPath}/${String((await setOf(organization)).id)}`
    const changes: JsonObject[] = [{ name: 'Winter' }, { description: 'Warm' }, { currency: 'EUR' }]
    const answers = await Promise.all(changes.map(change => client.patch(at, change)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect((await client.get(at)).data).toMatchObject({ name: 'Winter', description: 'Warm', currency: 'EUR' })
  }
})

it('an unknown set is a 404 on every route', async () => {
  const { client } = await given.shared()
  const at = `${setsPath}/${unknownId}`
  for (const answer of [
    await client.get(at),
    await client.patch(at, { name: 'A' }),
    await client.delete(`${at}?confirmed=true`),
    await client.get(`${at}/products?page=3`),
    await client.post(`${at}/products`, aProduct()),
    await client.put(`${at}/products/x`, aProduct()),
    await client.delete(`${at}/products/x`),
  ])
    expect([outcome(answer), objectOf(answer.body).status]).toEqual(['404 not_found', 'ERROR'])
})

it('a set of another organization is not found', async () => {
  const [mine, others] = [await given.shared(), await given.organization()]
  const { set, path } = await productOf(others)
  const at = `${setsPath}/${String(set.id)}`
  expect(outcome(await mine.client.get(at))).toBe('404 not_found')
  expect(outcome(await mine.client.put(path, aProduct()))).toBe('404 not_found')
  const agent = await mine.client.post(agentsPath, { name: 'A', instructions: 'B', productSetIds: [set.id] })
  expect([outcome(agent), agent.details.path]).toEqual(['404 not_found', '/productSetIds/0'])
  expect(isObject((await others.client.get(at)).data)).toBe(true)
})
