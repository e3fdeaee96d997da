import { expect, test } from 'vitest'
import { defineOperation, limitParameter, type Operation, wordsParameter } from '../index.ts'
import { isObject, type JsonObject, type JsonSchema } from '../schema/index.ts'
import { openApiDocument } from './index.ts'

const named = { component: 'JobKind', type: ['string', 'null'], enum: ['a', 'b', null], description: 'Which.' }

const operation = defineOperation({
  id: 'bulkJobs.create',
  method: 'POST',
  path: '/bulk-jobs/{jobId}',
  summary: 'An operation',
  scopes: ['crm_bulk_manage'],
  success: [202],
  query: { limit: limitParameter(), types: wordsParameter('Kind', ['contact', 'deal'], 'Kinds') },
  body: bodyOf({ kind: { enum: ['a', 'b'] }, key: { type: 'string', format: 'external-id' } }),
  answer: { data: { title: 'Job', ...object({ kind: named, other: named, size: { type: 'integer' } }) } },
  execute: async () => ({ status: 202, data: {}, meta: {} }),
})

test('requests are closed, answers are open to new members; values may be added', () => {
  const document = documentOf(operation)
  expect(at(document, 'components', 'schemas', 'Body')).toMatchObject({
    additionalProperties: false,
    properties: { kind: { type: 'string', enum: ['a', 'b'] } },
  })
  expect(at(document, 'components', 'schemas', 'Job')).not.toHaveProperty('additionalProperties')
  expect(at(document, 'components', 'schemas', 'JobKind')).toEqual({
    type: 'string',
    enum: ['a', 'b'],
    description: 'Values may be added within v1.',
    'x-extensible-enum': ['a', 'b'],
  })
})

test('the component describes a value, and the reference describes its use', () => {
  const { kind, size } = at(documentOf(operation), 'components', 'schemas', 'Job', 'properties')
  expect(kind).toEqual({ anyOf: [{ $ref: '#/components/schemas/JobKind' }, { type: 'null' }], description: 'Which.' })
  expect(size).toEqual({ type: 'integer', format: 'int64' })
})

test('a success is a component, named after its data', () => {
  expect(at(documentOf(operation), ...entry, 'responses', '202', ...schema)).toEqual({
    $ref: '#/components/schemas/JobAnswer',
  })
  const nameless = { ...operation, answer: { ...operation.answer, data: object({}) } }
  expect(() => documentOf(nameless)).toThrow('no name')
  const named = { ...nameless, answer: { ...nameless.answer, name: 'Anything' } }
  expect(() => documentOf(named)).not.toThrow()
})

test('own formats become patterns, and one without a published form is refused', () => {
  const { pattern } = at(documentOf(operation), 'components', 'schemas', 'Body', 'properties', 'key')
  const form = new RegExp(String(pattern), 'u')
  expect(['A-1', 'a b', 'ö', '7'].every(key => form.test(key))).toBe(true)
  expect(['', ' a', 'a ', 'a\nb', '\u0001', 'a\u0085'].some(key => form.test(key))).toBe(false)
  const unknown = { ...operation, body: bodyOf({ key: { type: 'string', format: 'house-number' } }) }
  expect(() => documentOf(unknown)).toThrow('house-number')
})

test('one name stands for one schema', () => {
  const same = { ...operation, id: 'bulkJobs.again', path: '/api/v1/crm/again' }
  expect(() => documentOf(operation, same)).not.toThrow()
  expect(() => documentOf(operation, { ...same, body: bodyOf({}) })).toThrow('Body')
  const dangling = { ...operation, answer: { ...operation.answer, data: { $ref: '#/components/schemas/Nowhere' } } }
  expect(() => documentOf(dangling)).toThrow('Nowhere')
})

test('parameters come from path, query and headers', () => {
  const { parameters } = at(documentOf(operation), ...entry)
  expect(parameters).toMatchObject([
    { name: 'jobId', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } },
    { name: 'limit', in: 'query', schema: { maximum: 100, default: 50 } },
    { name: 'types', in: 'query', style: 'form', explode: false },
    { $ref: '#/components/parameters/IdempotencyKey' },
    { $ref: '#/components/parameters/RequestId' },
  ])
})

test('an operation has its scopes, its group and the statuses that it can fail with', () => {
  const described = at(documentOf(operation), ...entry)
  expect(described).toMatchObject({ tags: ['Bulk jobs'], security: [{ 'crm-api-token': ['crm_bulk_manage'] }] })
  const statuses = [202, 400, 401, 403, 404, 409, 413, 429, 500, 503]
  expect(Object.keys(at(described, 'responses'))).toEqual(statuses.map(String))
  const further = at(
    documentOf({
      ...operation,
      refuses: [
        ['unprocessable', 'It is full.'],
        ['cursor_expired', 'It is old.'],
        ['unprocessable', 'It is shut.'],
      ],
    }),
    ...entry,
  )
  expect(Object.keys(at(further, 'responses'))).toEqual(expect.arrayContaining(['410', '422']))
  expect(further.description).toContain(
    'Refuses with\n\n- 410 `cursor_expired`: It is old.\n- 422 `validation_error`: It is full. It is shut.',
  )
})

test('the introduction says that every GET can be sent as HEAD, and no operation is a HEAD', () => {
  const list = defineOperation({
    id: 'jobs.list',
    method: 'GET',
    path: '/jobs',
    summary: 'List',
    scopes: [],
    answer: operation.answer,
    execute: operation.execute,
  })
  const document = documentOf(list)
  expect(Object.keys(at(document, 'paths', list.path))).toEqual(['get'])
  expect(at(document, 'info').description).toContain('HEAD')
})

const entry = ['paths', operation.path, 'post']
const schema = ['content', 'application/json', 'schema']

function documentOf(...operations: readonly Operation[]): JsonObject {
  return openApiDocument({ operations, resources: [], messages: [], version: '1.0.0' })
}

function object(properties: JsonSchema): JsonSchema {
  return { type: 'object', properties, additionalProperties: false }
}

function bodyOf(properties: JsonSchema): NonNullable<Operation['body']> {
  return { name: 'Body', schema: object(properties), required: true, parse: value => ({ value, issues: [] }) }
}

function at(node: JsonObject, ...names: readonly string[]): JsonObject {
  return names.reduce((found, name) => {
    const next = found[name]
    if (!isObject(next)) throw new Error(`there is no ${name}`)
    return next
  }, node)
}
