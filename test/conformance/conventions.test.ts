import { expect, it } from 'vitest'
import { entryAt } from '../../server/src/entrypoints/http/entries.ts'
import { defineOperation, externalConventions, refuse, scopes } from '../../server/src/kernel/index.ts'
import { operations } from '../../server/src/modules.ts'
import { useApi } from './support/given.ts'

/** Answers with what it was asked for. */
const echo = defineOperation({
  conventions: externalConventions,
  id: 'test.echo',
  method: 'GET',
  path: '/api/v1/ai-agents/external/boxes/{boxId}/things/{thingId}',
  chosenIds: ['thingId'],
  summary: 'An operation of the test',
  scopes: ['ai_agents_read'],
  query: externalConventions.pages,
  answer: { data: {} },
  execute: async ({ path, query }) => ({ status: 200, data: { ...path, ...query }, meta: { secret: true } }),
})

const refuses = defineOperation({
  conventions: externalConventions,
  id: 'test.refuse',
  method: 'POST',
  path: '/api/v1/external/things',
  summary: 'An operation of the test that is always refused',
  scopes: ['channels_manage'],
  answer: { data: {} },
  execute: async () => refuse('not_found'),
})

const boxId = '019bd1c8-7c40-7000-8000-000000000001'
const things = `/api/v1/ai-agents/external/boxes/${boxId}/things`

const given = useApi({ operations: [echo, refuses] })

it('an operation of the AI agents answers in their envelope, takes ids that clients choose, and pages by number', async () => {
  const client = await (await given.organization()).token([...scopes])
  const { status, body } = await client.get(`${things}/Tea.Pot:1?page=2&limit=7`)
  expect([status, body]).toEqual([200, { status: 'OK', data: { boxId, thingId: 'Tea.Pot:1', page: 2, limit: 7 } }])
})

it('malformed ids are reported together, as the conventions of the route say', async () => {
  const client = await (await given.organization()).token([...scopes])
  for (const id of ['a%20b', 'a%2Fb', 'x'.repeat(101)]) {
    const { status, body } = await client.get(`/api/v1/ai-agents/external/boxes/1/things/${id}?page=x`)
    const issues = ['path:boxId', 'path:thingId', 'query:page'].map(path => ({ path }))
    const error = { code: 'validation_error', details: { issues, issueCount: 3 } }
    expect([status, body]).toMatchObject([400, { status: 'ERROR', error }])
  }
})

it('wrong pages are reported as the conventions of the route say', async () => {
  const client = await (await given.organization()).token([...scopes])
  const { status, body } = await client.get(`${things}/a?page=0&cursor=x`)
  expect([status, body.status]).toEqual([400, 'ERROR'])
})

it('refusals of an operation of the channels have their form, and their writes need a key like all others', async () => {
  const client = await (await given.organization()).token([...scopes])
  const refused = await client.post('/api/v1/external/things')
  expect([refused.status, refused.body.status]).toEqual([404, 'ERROR'])
  const { status, body } = await client.post('/api/v1/external/things', undefined, { key: null })
  expect([status, body.status]).toEqual([400, 'ERROR'])
})

it('both serve an organization whose CRM is another product', async () => {
  const organization = await given.organization()
  await given.configure(organization, `update organizations set crm_provider = 'external' where id = $1`, [
    organization.id,
  ])
  const client = await organization.token([...scopes])
  expect((await client.get(`${things}/a`)).status).toBe(200)
})

it('every operation lies below the prefix of an entry that has its conventions', () => {
  for (const { path, conventions } of operations) {
    const entry = entryAt(path)
    expect(path.startsWith(`${entry.prefix}/`)).toBe(true)
    expect(conventions).toBe(entry.conventions)
  }
})
