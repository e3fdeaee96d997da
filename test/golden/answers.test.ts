import { beforeAll, expect, test } from 'vitest'
import { isScope, type Operation, type Scope } from '../../server/src/kernel/index.ts'
import { isObject, type JsonObject } from '../../server/src/kernel/schema/index.ts'
import { operations } from '../../server/src/modules.ts'
import { useApi } from '../conformance/support/given.ts'
import { unseen } from '../conformance/support/merges.ts'
import { aRecord, aRequest, kinds, named, send, unknownId } from '../conformance/support/requests.ts'
import { type Answer, objectOf } from '../support/client.ts'
import { closed, jsonContent, nodeAt, placeOf, schemasOf } from './document.ts'
import { goldenDocument } from './render.ts'

const given = useApi()
const documented = schemasIn(closed(goldenDocument))
/** Members that answers may lack: of records in other states, of lists without filters, and of queries that do not include them. */
const mayLack = [
  ...['truncated', 'downloadUrl', 'downloadUrlExpiresInSeconds', 'errorsFileUrl', 'rowsFileUrl'],
  ...['record', 'companies', 'companiesTruncated', 'waited'],
]
const whole = schemasIn(complete(goldenDocument))

/** To write what the requests write; reading it is another matter. */
const valueScopes: readonly Scope[] = ['crm_contact_data_write', 'crm_amounts_write', 'crm_custom_fields_manage']

beforeAll(async () => {
  // So that lists have something to show.
  const organization = await given.shared()
  for (const kind of kinds) await aRecord(kind, organization)
})

test.each(named(operations))('%s answers all that the document says, and nothing else', async (_, operation) => {
  const organization = await given.shared()
  const request = await aRequest(operation, organization)
  const answer = await send(organization.client, request)
  expect(operation.success).toContain(answer.status)
  expectDocumented(operation, answer, whole)
  expect(answer.body.data).not.toEqual([])
  expectShown(request.body, answer)

  // A token that may hardly read gets less: a receipt of what it wrote, and no protected members.
  const readable: readonly Scope[] = operation.scopesOf === undefined ? [] : ['crm_contacts_read']
  const poor = await organization.token([...operation.scopes.filter(isScope), ...readable, ...valueScopes])
  const less = await send(poor, unseen(await aRequest(operation, organization)))
  expect(operation.success).toContain(less.status)
  expectDocumented(operation, less, documented)
})

test.each([
  ['contacts.get', 'include=companies'],
  ['changes.list', 'wait=0&include=record'],
])('%s with %s answers what the document says', async (id, query) => {
  const { client } = await given.shared()
  const [operation] = operations.filter(each => each.id === id)
  if (operation === undefined) throw new Error(`there is no ${id}`)
  const { path } = await aRequest(operation, await given.shared())
  const answer = await client.get(`${path}${path.includes('?') ? '&' : '?'}${query}`)
  expect(JSON.stringify(answer.body)).toMatch(/"(record|companies)":/u)
  expectDocumented(operation, answer, whole)
})

test.each(named(operations))('%s refuses as the document says', async (_, operation) => {
  const { client, token } = await given.shared()
  const path = operation.path.replaceAll(/\{\w+\}/gu, unknownId)
  const body = operation.body === null ? {} : { body: {} }
  const needsNone = operation.scopes.length === 0 && operation.scopesOf === undefined
  const unscoped = await send(await token([]), { method: operation.method, path, ...body })
  expect(unscoped.status).toBe(needsNone ? 200 : 403)
  expectDocumented(operation, unscoped, documented)
  const malformed = await send(client, { method: operation.method, path: `${path}?colour=red`, ...body })
  expect(malformed.status).toBe(400)
  expectDocumented(operation, malformed, documented)
})

function expectDocumented(operation: Operation, { status, body, headers }: Answer, schemaAt: SchemaAt): void {
  const response = responseAt(operation, status)
  const validate = schemaAt(`${response}${jsonContent}/schema`)
  validate(body)
  expect({ status, errors: validate.errors ?? [], body }).toEqual({ status, errors: [], body })
  const listed = Object.keys(nodeAt(goldenDocument, `${response}/headers`)).map(name => name.toLowerCase())
  const told = ['x-request-id', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'retry-after']
  expect(told.filter(name => headers.has(name) && !listed.includes(name))).toEqual([])
}

/** What was sent and stands in the answer by the same name, alone or in a batch, has the value that was sent. */
function expectShown(sent: JsonObject = {}, { data, items }: Answer): void {
  const elements = Array.isArray(sent.items) ? sent.items.map(objectOf) : []
  const pairs = [
    [sent, data] as const,
    ...elements.map((element, index) => [element, objectOf(items[index]?.data)] as const),
  ]
  for (const [written, shown] of pairs) {
    const names = Object.keys(written).filter(name => name in shown && typeof written[name] !== 'object')
    const valuesIn = (record: JsonObject) => Object.fromEntries(names.map(name => [name, record[name]]))
    expect(valuesIn(shown)).toEqual(valuesIn(written))
  }
}

/**
 * The document as it is to who may read all, of requests that succeed: every member that it names is there, but for a
 * `redacted` that is absent when nothing was taken away, and errors of elements.
 */
function complete(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(complete)
  if (!isObject(node)) return node
  const members = Object.fromEntries(Object.entries(node).map(([name, child]) => [name, complete(child)]))
  if (node.type !== 'object' || !isObject(members.properties)) return members
  const { redacted, error, ...others } = members.properties
  const isAlways = (name: string) => Array.isArray(node.required) && node.required.includes(name)
  const properties = {
    ...('data' in others || error === undefined ? {} : { error }),
    ...others,
    ...(isAlways('redacted') ? { redacted } : {}),
  }
  const { additionalProperties = false } = node
  const required = Object.keys(properties).filter(name => isAlways(name) || !mayLack.includes(name))
  return { ...members, properties, required, additionalProperties }
}

type SchemaAt = ReturnType<typeof schemasOf>

function schemasIn(document: unknown): SchemaAt {
  return schemasOf(isObject(document) ? document : {})
}

/** Where the answer with this status is described: in the operation, or in a component that it refers to. */
function responseAt(operation: Operation, status: number): string {
  const at = `${placeOf(operation)}/responses/${status}`
  const { $ref } = nodeAt(goldenDocument, at)
  return typeof $ref === 'string' ? $ref.slice(1) : at
}
