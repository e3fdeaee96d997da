import { afterAll, beforeAll, expect, it } from 'vitest'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { startApi, type TestApi } from '../support/api.ts'
import { aContact } from '../support/builders.ts'
import { Client } from '../support/client.ts'
import { anOrganization } from '../support/organization.ts'

let api: TestApi
let other: TestApi
beforeAll(async () => {
  api = await startApi()
  other = await startApi({ beside: api })
})
afterAll(async () => {
  await other.close()
  await api.close()
  expect([...api.failures, ...other.failures]).toEqual([])
})

/** What an administrator does, and the mark that makes every node look again. */
async function administer(name: string, text: string, values: readonly unknown[]): Promise<void> {
  await api.test.database.query(statement(name, text), values)
  const raise = 'update installation set generation = generation + 1'
  await api.test.database.query(statement('test_raise_generation', raise), [])
}

const often = { interval: 20 }
const statusOn = async (node: TestApi, token: string) => (await new Client(node.url, token).get('/capabilities')).status
const tokenIdOf = (token: string) => token.split('_')[2]

it('a token that is revoked is refused by every node after its next poll', async () => {
  const { client } = await anOrganization(api)
  const { token } = client
  expect([await statusOn(api, token), await statusOn(other, token)]).toEqual([200, 200])
  await administer('test_revoke', 'update api_tokens set revoked_at = now() where id = $1', [tokenIdOf(token)])
  await expect.poll(() => statusOn(api, token), often).toBe(401)
  await expect.poll(() => statusOn(other, token), often).toBe(401)
})

it('an application that is disabled is refused by every node after its next poll, and served again when it is enabled', async () => {
  const { client, applicationId } = await anOrganization(api)
  const { token } = client
  expect([await statusOn(api, token), await statusOn(other, token)]).toEqual([200, 200])
  await administer('test_disable', 'update applications set enabled = false where id = $1', [applicationId])
  for (const node of [api, other]) await expect.poll(() => statusOn(node, token), often).toBe(401)
  await administer('test_enable', 'update applications set enabled = true where id = $1', [applicationId])
  for (const node of [api, other]) await expect.poll(() => statusOn(node, token), often).toBe(200)
})

it('scopes that are taken away are missing on every node after its next poll', async () => {
  const { client } = await anOrganization(api)
  const { token } = client
  const read = async (node: TestApi) => (await new Client(node.url, token).get('/contacts')).status
  expect([await read(api), await read(other)]).toEqual([200, 200])
  await administer('test_narrow', `update api_tokens set scopes = '{}' where id = $1`, [tokenIdOf(token)])
  for (const node of [api, other]) await expect.poll(() => read(node), often).toBe(403)
})

it('an organization that moves to an external CRM gets the 409 for that from every node after its next poll', async () => {
  const { client, id } = await anOrganization(api)
  const { token } = client
  expect([await statusOn(api, token), await statusOn(other, token)]).toEqual([200, 200])
  await administer('test_move_away', `update organizations set crm_provider = 'external' where id = $1`, [id])
  for (const node of [api, other]) await expect.poll(() => statusOn(node, token), often).toBe(409)
})

it('a token that is made on one node is served by the other at once', async () => {
  const { client } = await anOrganization(api)
  expect(await statusOn(other, client.token)).toBe(200)
})

it('the other node reads a write of one at once, by id, key, list, search, feed and replay', async () => {
  const { client } = await anOrganization(api)
  const there = new Client(other.url, client.token)
  const { cursor } = (await there.get('/changes/cursor')).data
  const body = aContact({ lastName: 'Everywhere' })
  const { data } = await client.post('/contacts', body, { key: 'everywhere' })
  expect((await there.get(`/contacts/${data.id}`)).data).toEqual(data)
  for (const query of [`externalId=${body.externalId}`, 'search=everywhere', 'limit=1']) {
    expect((await there.get(`/contacts?${query}`)).items).toEqual([data])
  }
  expect((await there.get(`/changes?after=${cursor}`)).items).toHaveLength(1)
  const again = await there.post('/contacts', body, { key: 'everywhere' })
  expect([again.data, again.headers.get('idempotent-replayed')]).toEqual([data, 'true'])
})

it('a cursor of one node is taken by the other', async () => {
  const { client } = await anOrganization(api)
  for (const _ of [1, 2, 3]) await client.post('/contacts', aContact())
  const { meta } = await client.get('/contacts?limit=2')
  const there = new Client(other.url, client.token)
  expect((await there.get(`/contacts?cursor=${meta.nextCursor}`)).items).toHaveLength(1)
})

it('a setting that changes while a node remembers the old configuration counts for its next write', async () => {
  const { client, id, stages } = await anOrganization(api)
  const there = new Client(other.url, client.token)
  const { data: company } = await client.post('/companies', { name: 'Party' })
  const deal = () => ({ title: 'x', companies: [{ id: company.id }], stageUuid: stages.second })
  expect([(await client.post('/deals', deal())).status, (await there.post('/deals', deal())).status]).toEqual([
    201, 201,
  ])
  const { database } = api.test
  await database.query(statement('test_archive', 'update stages set archived = true where id = $1'), [stages.second])
  const raise = 'update organizations set directory_version = directory_version + 1 where id = $1'
  await database.query(statement('test_raise_directory', raise), [id])
  expect([(await client.post('/deals', deal())).status, (await there.post('/deals', deal())).status]).toEqual([
    422, 422,
  ])
})
