import { describe, expect, it } from 'vitest'
import { isScope, type Scope } from '../../server/src/kernel/index.ts'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { operations } from '../../server/src/modules.ts'
import { objectOf } from '../support/client.ts'
import { allBut, useApi } from './support/given.ts'
import { unseen } from './support/merges.ts'
import {
  aBody,
  aChange,
  aRecord,
  aRequest,
  batchKinds,
  type Kind,
  kinds,
  named,
  outcome,
  plurals,
  send,
  unknownId,
} from './support/requests.ts'

const given = useApi()
const scoped = operations.flatMap(operation =>
  operation.scopes.filter(isScope).map(scope => [`${operation.method} ${operation.path}`, scope, operation] as const),
)

describe.each(scoped)('%s without %s', (_, scope, operation) => {
  it('answers 403 before it looks at id, query, key or body, and names required and missing scopes', async () => {
    const client = await (await given.shared()).token(allBut(scope))
    const path = `${operation.path.replace('/api/v1/crm', '').replaceAll(/\{\w+\}/gu, unknownId)}?colour=red`
    const content = operation.method === 'GET' ? {} : { raw: '{' }
    const answer = await client.call(operation.method, path, undefined, { ...content, key: null })
    expect(outcome(answer)).toBe('403 insufficient_scope')
    expect(answer.details).toEqual({ requiredScopes: operation.scopes, missingScopes: [scope] })
    expect(answer.headers.get('ratelimit-limit')).toBeNull()
    expect(answer.headers.get('ratelimit-remaining')).toBeNull()
  })
})

describe.each(named(operations.filter(({ scopes }) => scopes.length > 0)))('%s', (_, operation) => {
  it('is served to a token that holds the required scopes and those of its values alone', async () => {
    const organization = await given.shared()
    const values: Scope[] = ['crm_contact_data_write', 'crm_amounts_write']
    const client = await organization.token([...operation.scopes.filter(isScope), ...values])
    const answer = await send(client, unseen(await aRequest(operation, organization)))
    expect(operation.success).toContain(answer.status)
  })
})

it('names every missing scope, not only the first', async () => {
  const { token } = await given.shared()
  const { details } = await (await token([])).get('/changes/cursor?resourceTypes=contact,deal')
  expect(details.missingScopes).toEqual(['crm_contacts_read', 'crm_deals_read'])
})

interface ProtectedField {
  readonly kind: Kind
  readonly field: string
  readonly value: unknown
  readonly scope: Scope
}

const protectedFields: readonly ProtectedField[] = [
  { kind: 'contact', field: 'contactData', value: {}, scope: 'crm_contact_data_write' },
  { kind: 'contact', field: 'customFields', value: {}, scope: 'crm_custom_fields_manage' },
  { kind: 'company', field: 'contactData', value: {}, scope: 'crm_contact_data_write' },
  { kind: 'company', field: 'customFields', value: {}, scope: 'crm_custom_fields_manage' },
  { kind: 'deal', field: 'amount', value: null, scope: 'crm_amounts_write' },
  { kind: 'deal', field: 'currency', value: null, scope: 'crm_amounts_write' },
  { kind: 'deal', field: 'customFields', value: {}, scope: 'crm_custom_fields_manage' },
  { kind: 'task', field: 'customFields', value: {}, scope: 'crm_custom_fields_manage' },
]

/** A body without any protected member, so that the one under test decides. */
async function plainBody(kind: Kind, members: JsonObject = {}): Promise<JsonObject> {
  const { amount: _, contactData: __, ...body } = await aBody(kind, await given.shared())
  return { ...body, ...members }
}

const titled = protectedFields.map(({ field, kind, scope, value }) => [field, kind, scope, value] as const)

describe.each(titled)('%s of a %s without %s', (field, kind, scope, value) => {
  const path = `/${plurals[kind]}`
  const refusal = [403, 'insufficient_scope', { requiredScopes: [scope], missingScopes: [scope] }]
  const client = async () => (await given.shared()).token(allBut(scope))

  it('is refused on create, with rate headers, even where it says nothing', async () => {
    const { status, error, headers } = await (await client()).post(path, await plainBody(kind, { [field]: value }))
    expect([status, error.code, error.details]).toEqual(refusal)
    expect(headers.get('ratelimit-limit')).not.toBeNull()
  })

  it('is refused on update, even where it would change nothing', async () => {
    const record = await aRecord(kind, await given.shared())
    const body = { expectedVersion: 1, [field]: value }
    const { status, error } = await (await client()).patch(`${path}/${record.id}`, body)
    expect([status, error.code, error.details]).toEqual(refusal)
  })

  it('is refused on upsert, whether or not the key exists', async () => {
    const { externalId } = await aRecord(kind, await given.shared())
    const body = await plainBody(kind, { [field]: value })
    for (const upserted of [body, { externalId, expectedVersion: 1, [field]: value }]) {
      const { status, error } = await (await client()).post(`${path}/upsert`, upserted)
      expect([status, error.code, error.details]).toEqual(refusal)
    }
  })

  it('is refused before existence, version and idempotency are looked at', async () => {
    const body = { expectedVersion: 99, [field]: value }
    expect(outcome(await (await client()).patch(`${path}/${unknownId}`, body))).toBe('403 insufficient_scope')
    const { client: full } = await given.shared()
    const key = `value-scope-${kind}-${field}`
    const created = await plainBody(kind, { [field]: value })
    expect((await full.post(path, created, { key })).status).toBe(201)
    expect(outcome(await (await client()).post(path, created, { key }))).toBe('403 insufficient_scope')
  })

  it('is checked after the form of the body', async () => {
    const body = await plainBody(kind, { [field]: 17.123456789e40 })
    expect(outcome(await (await client()).post(path, body))).toBe('400 validation_error')
  })
})

const inBatches = protectedFields.filter(({ kind }) => batchKinds.some(batched => batched === kind))

it.each(inBatches)('refuses $field in a batch of $kind records without $scope, in its element alone', async one => {
  const { kind, field, value, scope } = one
  const client = await (await given.shared()).token(allBut(scope))
  const items = [await plainBody(kind), await plainBody(kind, { [field]: value })]
  const { status, items: elements, meta } = await client.post(`/${plurals[kind]}/batch/upsert`, { items })
  expect([status, elements[0]?.status, elements[1]?.status]).toEqual([200, 201, 403])
  const { code, details } = objectOf(elements[1]?.error)
  expect(code).toBe('insufficient_scope')
  expect(details).toEqual({ requiredScopes: [scope], missingScopes: [scope] })
  expect(meta).toEqual({ created: 1, updated: 0, unchanged: 0, failed: 1 })
})

const readScopes: Readonly<Record<Kind, Scope>> = {
  contact: 'crm_contacts_read',
  company: 'crm_companies_read',
  deal: 'crm_deals_read',
  task: 'crm_tasks_read',
}
const receipt = ['createdAt', 'externalId', 'id', 'updatedAt', 'version']

describe.each(kinds.map(kind => [plurals[kind], kind] as const))(
  'a writer of %s who may not read them',
  (plural, kind) => {
    const path = `/${plural}`
    const client = async () => (await given.shared()).token(allBut(readScopes[kind]))

    it('gets a receipt for a create, an update and an upsert', async () => {
      const writer = await client()
      const body = await aBody(kind, await given.shared())
      const created = await writer.post(path, body)
      expect([created.status, Object.keys(created.data).sort()]).toEqual([201, receipt])
      expect(created.data).toMatchObject({ externalId: body.externalId, version: 1 })
      const updated = await writer.patch(`${path}/${created.data.id}`, { expectedVersion: 1, ...aChange[kind] })
      expect([updated.status, Object.keys(updated.data).sort()]).toEqual([200, receipt])
      expect(updated.data).toMatchObject({ id: created.data.id, version: 2 })
      const upserted = await writer.post(`${path}/upsert`, await aBody(kind, await given.shared()))
      expect([upserted.status, Object.keys(upserted.data).sort()]).toEqual([201, receipt])
      expect(upserted.meta).toEqual({ created: true })
    })

    it('cannot read', async () => {
      const { id } = await aRecord(kind, await given.shared())
      expect(outcome(await (await client()).get(`${path}/${id}`))).toBe('403 insufficient_scope')
    })
  },
)

it.each(batchKinds)('gives receipts of the elements of a batch to a writer who may not read a %s', async kind => {
  const organization = await given.shared()
  const items = [await aBody(kind, organization), await aBody(kind, organization)]
  const client = await organization.token(allBut(readScopes[kind]))
  const answer = await client.post(`/${plurals[kind]}/batch/upsert`, { items })
  expect(answer.items).toHaveLength(2)
  for (const element of answer.items) {
    expect([element.status, Object.keys(objectOf(element.data)).sort()]).toEqual([201, receipt])
  }
})

it('shows a mover of deals who may not read them the receipt', async () => {
  const organization = await given.shared()
  const { id } = await aRecord('deal', organization)
  const mover = await organization.token(allBut('crm_deals_read'))
  const body = { expectedVersion: 1, stageUuid: organization.stages.second }
  const { status, data } = await mover.patch(`/deals/${id}/move`, body)
  expect([status, Object.keys(data).sort()]).toEqual([200, receipt])
})
