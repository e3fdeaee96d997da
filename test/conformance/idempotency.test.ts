import { describe, expect, it } from 'vitest'
import { jsonBodyOf, type Operation, type Scope } from '../../server/src/kernel/index.ts'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import type { Row, Statement } from '../../server/src/kernel/sql/index.ts'
import { operations } from '../../server/src/modules.ts'
import { type Answer, objectOf } from '../support/client.ts'
import { aForm } from './support/forms.ts'
import { allBut, useApi } from './support/given.ts'
import { aChangeOf } from './support/parts.ts'
import {
  type ApiRequest,
  aBody,
  aRecord,
  aRequest,
  named,
  outcome,
  plurals,
  send,
  unknownId,
  withId,
  withMembers,
} from './support/requests.ts'
import { oneOfEachShape } from './support/shapes.ts'

const given = useApi()

/** What makes another request of one that creates: a key of the record, where it can have one. */
const another: Readonly<Record<string, JsonObject>> = {
  'bulkJobs.create': { changes: { status: 'canceled' } },
  'exports.create': { csvSafe: true },
  'contacts.activities.create': aChangeOf.activities,
  'companies.activities.create': aChangeOf.activities,
  'deals.activities.create': aChangeOf.activities,
  'deals.items.create': aChangeOf.items,
  'tasks.checklists.create': { title: 'Another' },
  'tasks.checklists.items.create': { text: 'Another' },
  'imports.start': { dedupPolicy: 'update_only' },
  'agents.create': { name: 'Another' },
  'apiIntegrations.create': { secret: 'another' },
  'apiIntegrations.update': { description: 'Another' },
  'agents.update': { name: 'Another' },
  'aiOperators.update': { greeting: 'Another' },
  'knowledgeBases.create': { name: 'Another' },
  'knowledgeBases.update': { name: 'Another' },
  'productsSets.create': { name: 'Another' },
  'productsSets.update': { name: 'Another' },
  'productsSets.products.create': { name: 'Another' },
  'productsSets.products.replace': { name: 'Another' },
}
/** A form that no request has. */
const anotherForm = aForm([
  { name: 'file', fileName: 'others.csv', content: 'Last name\nOrlov\n' },
  { name: 'entityType', content: 'contacts' },
])
const writes = operations.filter(({ idempotent }) => idempotent)
let keys = 0
const aKey = () => `idempotency-test-${(keys += 1)}`

const requests = new Map<Operation, Promise<ApiRequest>>()

/** A request of the operation that is never executed, and so made once. */
async function refusedRequest(operation: Operation): Promise<ApiRequest> {
  const made = requests.get(operation) ?? aRequest(operation, await given.shared())
  requests.set(operation, made)
  return made
}

/** Another request of the same route. */
function anotherOf(operation: Operation, request: ApiRequest): ApiRequest {
  if (request.form !== undefined && !operation.path.includes('{')) return { ...request, form: anotherForm }
  const members = another[operation.id]
  if (members !== undefined) return withMembers(request, members)
  if (operation.id.endsWith('.create')) return withMembers(request, { externalId: aKey() })
  if (operation.path.includes('/merge/')) return withMembers(request, { primaryId: unknownId })
  if (jsonBodyOf(operation)?.required !== true) return withId(request, unknownId)
  return withMembers(
    request,
    request.body?.items === undefined ? { expectedVersion: 2 } : { items: [{ externalId: 'x' }] },
  )
}

/** Names of the statements that find or touch rows in the transactions that are begun meanwhile. */
async function statementsThatFind(act: () => Promise<unknown>): Promise<string[]> {
  const { database } = given.api.services
  const begin = database.begin.bind(database)
  const found: string[] = []
  database.begin = async () => {
    const transaction = await begin()
    const query = transaction.query.bind(transaction)
    transaction.query = async <R extends Row>(statement: Statement, values: readonly unknown[]) => {
      const rows = await query<R>(statement, values)
      if (rows.length > 0) found.push(statement.name)
      return rows
    }
    return transaction
  }
  await act().finally(() => {
    database.begin = begin
  })
  return found
}

describe.each(named(writes))('%s, repeated with its key', (_, operation) => {
  it('gives the same answer, marked as replayed, and reads nothing but the stored answer', async () => {
    const organization = await given.shared()
    const { client } = organization
    const request = await aRequest(operation, organization)
    const key = aKey()
    const first = await send(client, request, { key })
    const { data: before } = await client.get('/changes/cursor')
    const again: Answer[] = []
    const found = await statementsThatFind(async () => again.push(await send(client, request, { key })))
    expect(found).toEqual(['claim_key', 'load_answer'])
    const [replayed = first] = again
    expect([replayed.status, replayed.body]).toEqual([first.status, first.body])
    const header = (name: string) => [first, replayed].map(({ headers }) => headers.get(name))
    expect(header('idempotent-replayed')).toEqual([null, 'true'])
    expect(new Set(header('x-request-id')).size).toBe(2)
    const [rest, less] = header('ratelimit-remaining').map(Number)
    expect(less).toBeLessThan(rest ?? 0)
    expect((await client.get('/changes/cursor')).data.seq).toBe(before.seq)
  })

  it('refuses the key for another request, of the same route or of the next, with the time of its first use', async () => {
    given.clock.set('2026-03-02T15:00:00.123Z')
    const organization = await given.shared()
    const request = await aRequest(operation, organization)
    const key = aKey()
    await send(organization.client, request, { key })
    given.clock.advance(5000)
    const next = writes[(writes.indexOf(operation) + 1) % writes.length] ?? operation
    for (const other of [anotherOf(operation, request), await refusedRequest(next)]) {
      const answer = await send(organization.client, other, { key })
      expect(outcome(answer)).toBe('409 idempotency_conflict')
      expect(answer.details).toEqual({ firstUsedAt: '2026-03-02T15:00:00.123Z' })
      expect(answer.headers.get('ratelimit-limit')).not.toBeNull()
    }
  })
})

/** A body without its links to files, which are those of the token that asks. */
const withoutLinks = (body: unknown) => JSON.parse(JSON.stringify(body), (name, value) => (name === 'url' ? '' : value))

describe.each(named(oneOfEachShape(writes)))('%s, repeated with its key', (_, operation) => {
  it('replays to another token of the application', async () => {
    const organization = await given.shared()
    const request = await aRequest(operation, organization)
    const key = aKey()
    const first = await send(organization.client, request, { key })
    const again = await send(await organization.token(allBut()), request, { key })
    const replayed = [withoutLinks(again.body), again.headers.get('idempotent-replayed')]
    expect(replayed).toEqual([withoutLinks(first.body), 'true'])
  })

  it('means something else to another application', async () => {
    const organization = await given.shared()
    const request = await aRequest(operation, organization)
    const key = aKey()
    await send(organization.client, request, { key })
    const { client } = await organization.application()
    const other = await send(client, request, { key })
    expect(other.headers.get('idempotent-replayed')).toBeNull()
    expect(outcome(other)).not.toContain('idempotency')
  })

  it('refuses the key on every other route, even with the same body', async () => {
    const organization = await given.shared()
    const key = aKey()
    await send(organization.client, await aRequest(operation, organization), { key })
    for (const other of oneOfEachShape(writes).filter(({ id }) => id !== operation.id)) {
      const answer = await send(organization.client, await refusedRequest(other), { key })
      expect(outcome(answer)).toBe('409 idempotency_conflict')
    }
  })
})

it.each([1, 2_147_483_647])(
  'a move to position %i, repeated with its key, does not look for the place',
  async position => {
    const organization = await given.shared()
    const { second } = organization.stages
    await aRecord('deal', organization, { stageUuid: second })
    const { id } = await aRecord('deal', organization)
    const key = aKey()
    const body = { expectedVersion: 1, stageUuid: second, position }
    const move = () => organization.client.patch(`/deals/${id}/move`, body, { key })
    expect((await move()).status).toBe(200)
    expect(await statementsThatFind(move)).toEqual(['claim_key', 'load_answer'])
  },
)

const withBody = writes.filter(operation => jsonBodyOf(operation)?.required)

describe.each(named(oneOfEachShape(withBody)))('%s', (_, operation) => {
  it('takes a repetition for the same whatever the order of members and the spacing', async () => {
    const organization = await given.shared()
    const request = await aRequest(operation, organization)
    const key = aKey()
    const first = await send(organization.client, request, { key })
    const reversed = Object.fromEntries(Object.entries(request.body ?? {}).reverse())
    const again = await send(organization.client, request, { key, raw: JSON.stringify(reversed, null, '\t') })
    expect([again.body, again.headers.get('idempotent-replayed')]).toEqual([first.body, 'true'])
  })

  it('releases the key when the request is refused, so that a corrected one may use it', async () => {
    const organization = await given.shared()
    const request = await aRequest(operation, organization)
    const key = aKey()
    const wrong = withMembers(request, { colour: 1 })
    expect(outcome(await send(organization.client, wrong, { key }))).toBe('400 validation_error')
    const answer = await send(organization.client, request, { key })
    expect(operation.success).toContain(answer.status)
    expect(answer.headers.get('idempotent-replayed')).toBeNull()
  })
})

describe('a refusal because of stored records', () => {
  it('is not kept: 404, 409, 422 and 428 are decided again', async () => {
    const organization = await given.shared()
    const { client } = organization
    const { id, externalId } = await aRecord('contact', organization)
    const key = aKey()
    const wrong = [
      () => client.patch(`/contacts/${unknownId}`, { expectedVersion: 1 }, { key }),
      () => client.patch(`/contacts/${id}`, { expectedVersion: 9 }, { key }),
      () => client.patch(`/contacts/${id}`, { expectedVersion: 1, ownerUuid: unknownId }, { key }),
      () => client.post('/contacts/upsert', { externalId }, { key }),
    ]
    for (const [index, status] of [404, 409, 422, 428].entries()) {
      const answer = await wrong[index]?.()
      expect([answer?.status, answer?.headers.get('idempotent-replayed')]).toEqual([status, null])
    }
    expect((await client.patch(`/contacts/${id}`, { expectedVersion: 1, source: 'web' }, { key })).status).toBe(200)
  })
})

describe('a key', () => {
  it('is free, or known, as soon as the answer to its request has come: nothing is in progress then', async () => {
    const organization = await given.shared()
    const { client } = organization
    const path = `/contacts/${unknownId}`
    const body = await aBody('company', organization)
    await client.post('/companies', body, { key: 'finished' })
    const groupQueues = Array.from({ length: 6 }, async (_, queue) => {
      const outcomes = new Set<string>()
      for (let turn = 0; turn < 20; turn += 1) {
        const key = `queue-${queue}-${turn}`
        outcomes.add(outcome(await client.patch(path, { expectedVersion: 1 }, { key })))
        outcomes.add(outcome(await client.patch(path, { expectedVersion: 1 }, { key })))
      }
      return [...outcomes]
    })
    expect(await Promise.all(groupQueues)).toEqual(groupQueues.map(() => ['404 not_found']))
    for (let turn = 0; turn < 20; turn += 1) {
      expect(outcome(await client.post('/companies', body, { key: 'finished' }))).toBe('201')
    }
  })
})

describe('a repeated PATCH', () => {
  it('is replayed as 200 although the version has moved since', async () => {
    const organization = await given.shared()
    const { client } = organization
    const { id } = await aRecord('company', organization)
    const key = aKey()
    const body = { expectedVersion: 1, industry: 'Steel' }
    await client.patch(`/companies/${id}`, body, { key })
    await client.patch(`/companies/${id}`, { expectedVersion: 2, industry: 'Wood' })
    const again = await client.patch(`/companies/${id}`, body, { key })
    expect([again.status, again.data.version, again.data.industry]).toEqual([200, 2, 'Steel'])
  })
})

describe('a DELETE', () => {
  it('has its query in the fingerprint', async () => {
    const organization = await given.shared()
    const { client } = organization
    const { id } = await aRecord('contact', organization)
    const key = aKey()
    expect((await client.delete(`/contacts/${id}?expectedVersion=1&mode=full`, undefined, { key })).status).toBe(200)
    const reordered = await client.delete(`/contacts/${id}?mode=full&expectedVersion=1`, undefined, { key })
    expect([reordered.status, reordered.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
    const other = await client.delete(`/contacts/${id}?expectedVersion=1&mode=anonymize`, undefined, { key })
    expect(outcome(other)).toBe('409 idempotency_conflict')
  })
})

describe('a batch', () => {
  it('is replayed whole, its refused elements included, even when all were refused', async () => {
    const organization = await given.shared()
    const { client } = organization
    const key = aKey()
    const items = [{ externalId: 'batch-a', ownerUuid: unknownId }, { externalId: '' }]
    const first = await client.post('/contacts/batch/upsert', { items }, { key })
    expect([first.status, first.meta.failed]).toEqual([200, 2])
    const again = await client.post('/contacts/batch/upsert', { items }, { key })
    expect([again.body, again.headers.get('idempotent-replayed')]).toEqual([first.body, 'true'])
  })

  it('read ignores the header, however wrong', async () => {
    const organization = await given.shared()
    const { id } = await aRecord('contact', organization)
    const body = { items: [{ id }] }
    expect((await organization.client.post('/contacts/batch/get', body, { key: null })).status).toBe(200)
    for (const wrong of ['', 'two words', 'k'.repeat(300)]) {
      const headers = { 'idempotency-key': wrong }
      const { status } = await organization.client.post('/contacts/batch/get', body, { key: null, headers })
      expect(status).toBe(200)
    }
    const key = aKey()
    await organization.client.post('/contacts', await aBody('contact', organization), { key })
    expect((await organization.client.post('/contacts/batch/get', body, { key })).status).toBe(200)
  })
})

describe('a replay to a token with fewer read scopes', () => {
  const shrunk: readonly (readonly [Scope, 'contact' | 'deal', string, string])[] = [
    ['crm_contact_data_read', 'contact', 'contactData', 'contact_data'],
    ['crm_custom_fields_read', 'contact', 'customFields', 'custom_fields'],
    ['crm_tags_read', 'deal', 'tagIds', 'tags'],
    ['crm_operators_read', 'deal', 'createdByUuid', 'operators'],
    ['crm_amounts_read', 'deal', 'amount', 'amounts'],
  ]

  it.each(shrunk)('without %s hides it from the stored answer of a %s', async (scope, kind, member, projection) => {
    const organization = await given.shared()
    const client = await organization.token(allBut(scope))
    const key = aKey()
    const body = await aBody(kind, organization)
    const first = await organization.client.post(`/${plurals[kind]}`, body, { key })
    expect(Object.keys(first.data)).toContain(member)
    const again = await client.post(`/${plurals[kind]}`, body, { key })
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true'])
    expect(Object.keys(again.data)).not.toContain(member)
    expect(again.meta).toEqual({ redacted: [projection] })
  })

  it.each(shrunk)('without %s hides it from the stored answer of a batch of a %s', async (scope, kind, member) => {
    const organization = await given.shared()
    const client = await organization.token(allBut(scope))
    const key = aKey()
    const body = { items: [await aBody(kind, organization)] }
    await organization.client.post(`/${plurals[kind]}/batch/upsert`, body, { key })
    const again = await client.post(`/${plurals[kind]}/batch/upsert`, body, { key })
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    const data = objectOf(again.items[0]?.data)
    expect(data.id).toBeDefined()
    expect(Object.keys(data)).not.toContain(member)
  })

  it('without the read scope of the kind gives the receipt', async () => {
    const organization = await given.shared()
    const client = await organization.token(allBut('crm_contacts_read'))
    const key = aKey()
    const body = await aBody('contact', organization)
    await organization.client.post('/contacts', body, { key })
    const { data } = await client.post('/contacts', body, { key })
    expect(Object.keys(data).sort()).toEqual(['createdAt', 'externalId', 'id', 'updatedAt', 'version'])
  })

  it('that gained scopes again shows the whole stored answer', async () => {
    const organization = await given.shared()
    const limited = await organization.token(allBut('crm_amounts_read', 'crm_tags_read'))
    const key = aKey()
    const body = await aBody('deal', organization)
    const first = await limited.post('/deals', body, { key })
    expect(first.data.amount).toBeUndefined()
    const again = await organization.client.post('/deals', body, { key })
    expect([again.data.amount, again.data.tagIds, again.meta]).toEqual(['1500.00', [], {}])
  })
})
