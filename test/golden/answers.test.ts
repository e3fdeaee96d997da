import { expect, test } from 'vitest'
import type { Operation, Scope } from '../../server/src/kernel/index.ts'
import { isObject } from '../../server/src/kernel/schema/index.ts'
import { operations } from '../../server/src/modules.ts'
import { useApi } from '../conformance/support/given.ts'
import { unseen } from '../conformance/support/merges.ts'
import { aRequest, named, send } from '../conformance/support/requests.ts'
import type { Answer } from '../support/client.ts'
import { closed, jsonContent, placeOf, schemasOf } from './document.ts'
import { goldenDocument } from './render.ts'

const given = useApi()
const document = closed(goldenDocument)
const schemaAt = schemasOf(isObject(document) ? document : {})

/** To write what the requests write; reading it is another matter. */
const valueScopes: readonly Scope[] = ['crm_contact_data_write', 'crm_amounts_write', 'crm_custom_fields_manage']

test.each(named(operations))('%s answers what the document says, and nothing else', async (_, operation) => {
  const organization = await given.shared()
  const whole = await send(organization.client, await aRequest(operation, organization))
  expect(operation.success).toContain(whole.status)
  expectDocumented(operation, whole)

  // A token that may hardly read gets less: a receipt of what it wrote, and no protected members.
  const readable: readonly Scope[] = operation.scopesOf === undefined ? [] : ['crm_contacts_read']
  const poor = await organization.token([...operation.scopes, ...readable, ...valueScopes])
  const less = await send(poor, unseen(await aRequest(operation, organization)))
  expect(operation.success).toContain(less.status)
  expectDocumented(operation, less)
})

test.each(named(operations))('%s refuses as the document says', async (_, operation) => {
  const organization = await given.shared()
  const request = await aRequest(operation, organization)
  const nobody = await organization.token([])
  const unscoped = await send(nobody, request)
  if (unscoped.status !== 200) expectDocumented(operation, unscoped)
  const malformed = await send(organization.client, {
    ...request,
    path: `${request.path.replace(/\?.*/u, '')}?colour=red`,
  })
  expect(malformed.status).toBe(400)
  expectDocumented(operation, malformed)
})

function expectDocumented(operation: Operation, { status, body, headers }: Answer): void {
  const response = responseAt(operation, status)
  const validate = schemaAt(`${response}${jsonContent}/schema`)
  validate(body)
  expect({ status, errors: validate.errors ?? [], body }).toEqual({ status, errors: [], body })
  const documented = Object.keys(objectAt(`${response}/headers`)).map(name => name.toLowerCase())
  const told = ['x-request-id', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'retry-after']
  expect(told.filter(name => headers.has(name) && !documented.includes(name))).toEqual([])
}

/** Where the answer with this status is described: in the operation, or in a component that it refers to. */
function responseAt(operation: Operation, status: number): string {
  const at = `${placeOf(operation)}/responses/${status}`
  const { $ref } = objectAt(at)
  return typeof $ref === 'string' ? $ref.slice(1) : at
}

function objectAt(at: string): Record<string, unknown> {
  const segments = at.split('/').slice(1)
  const found = segments.reduce<unknown>((node, segment) => {
    const name = segment.replaceAll('~1', '/').replaceAll('~0', '~')
    return isObject(node) ? node[name] : undefined
  }, goldenDocument)
  if (!isObject(found)) throw new Error(`the document has nothing at ${at}`)
  return found
}
