import { expect, test } from 'vitest'
import { isObject } from '../../server/src/kernel/schema/index.ts'
import { operations } from '../../server/src/modules.ts'
import { jsonContent, nodeAt, placeOf } from './document.ts'
import { operationRows } from './operation-rows.ts'
import { goldenDocument } from './render.ts'

const rows = operationRows(operations, goldenDocument)
const rowOf = new Map(rows.map(row => [row.id, row]))
const paths = nodeAt(goldenDocument, '/paths')
const shown = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

test('the table has one row for each operation of the document', () => {
  const documented = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(isObject(methods) ? methods : {}).map(([method, operation]) => [
      isObject(operation) ? operation.operationId : undefined,
      method.toUpperCase(),
      path,
    ]),
  )
  expect(rows.map(({ id, method, path }) => [id, method, path]).sort()).toEqual(documented.sort())
  expect(rowOf.size).toBe(rows.length)
})

test('the table says of keys, queries, scopes and bodies what the document says', () => {
  for (const operation of operations) {
    const row = rowOf.get(operation.id)
    const documented = nodeAt(goldenDocument, placeOf(operation))
    const parameters = shown(documented.parameters).filter(isObject)
    const isKeyed = parameters.some(({ $ref }) => $ref === '#/components/parameters/IdempotencyKey')
    const query = parameters.filter(({ in: place }) => place === 'query').map(({ name }) => name)
    const [security] = shown(documented.security).filter(isObject)
    expect({
      keyed: row?.keyed === true,
      query: row?.query ?? [],
      scopes: row?.scopes ?? [],
    }).toEqual({
      keyed: isKeyed,
      query,
      scopes: shown(security?.['crm-api-token']),
    })
    const { requestBody } = documented
    const mayBeAbsent = !isObject(requestBody) || requestBody.required === false
    expect(row?.body === undefined ? mayBeAbsent : isObject(requestBody), operation.id).toBe(true)
  }
})

test('a paged operation, and no other that takes a cursor, answers a list with nextCursor', () => {
  const ofPages = rows.filter(({ query }) => query?.includes('cursor')).map(({ id }) => id)
  expect(rows.filter(({ paged }) => paged).map(({ id }) => id)).toEqual(ofPages)
  for (const { id, answer } of rows.filter(({ paged }) => paged)) {
    const { data, meta } = nodeAt(goldenDocument, `/components/schemas/${answer}/properties`)
    const metaName = isObject(meta) ? String(meta.$ref).split('/').at(-1) : ''
    expect(isObject(data) ? data.type : undefined, id).toBe('array')
    expect(nodeAt(goldenDocument, `/components/schemas/${metaName}/properties`), id).toHaveProperty('nextCursor')
  }
})

test('previews and the operations that they show pair up', () => {
  const previews = rows.filter(({ path }) => path.endsWith('/preview'))
  expect(rows.filter(({ previewOf }) => previewOf !== undefined)).toEqual(previews)
  for (const { id, previewOf = '' } of previews) expect(rowOf.get(previewOf)?.commitOf).toBe(id)
  const commits = rows.filter(({ path, commitOf }) => path.endsWith('/commit') || commitOf !== undefined)
  for (const { id, commitOf = '' } of commits) expect(rowOf.get(commitOf)?.previewOf).toBe(id)
})

test('what only reads needs no key unless it previews, and what erases says so', () => {
  for (const { id, method, risk, keyed, previewOf } of rows) {
    if (risk === 'read') expect(keyed === true && previewOf === undefined, id).toBe(false)
    if (method === 'DELETE' || id.endsWith('Commit')) expect(risk, id).toBe('erase')
  }
})

test('each version that a body must have has its place in the table', () => {
  for (const operation of operations.filter(({ body }) => body !== null && body.form !== 'multipart')) {
    const schema = nodeAt(goldenDocument, `${placeOf(operation)}/requestBody${jsonContent}/schema`)
    const name = String(schema.$ref).split('/').at(-1)
    const { required } = nodeAt(goldenDocument, `/components/schemas/${name}`)
    const isCompared = shown(required).includes('expectedVersion') || shown(required).includes('expectedPrimaryVersion')
    if (isCompared) expect(rowOf.get(operation.id)?.cas, operation.id).toBeDefined()
  }
})

test('no resource of the table is named as a method of the resource above it', () => {
  const resources = new Set(rows.map(({ id }) => id.slice(0, id.lastIndexOf('.'))))
  expect(rows.filter(({ id }) => resources.has(id))).toEqual([])
})
