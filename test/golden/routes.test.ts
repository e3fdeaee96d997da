import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { jsonBodyOf } from '../../server/src/kernel/index.ts'
import { operations } from '../../server/src/modules.ts'

interface Route {
  readonly method: string
  readonly path: string
  readonly scopes: readonly string[]
  readonly success: number
  readonly alsoSuccess?: readonly number[]
  readonly idempotencyKey: boolean
  /** Whether a version is compared: always, under a condition, or where it stands. */
  readonly cas: boolean | string
  readonly page?: string
  readonly maxLimit?: number
  readonly defaultLimit?: number
  readonly maxItems?: number
}

const listed = async (list: string): Promise<readonly Route[]> =>
  JSON.parse(await readFile(new URL(`../conformance/${list}`, import.meta.url), 'utf8'))
const specified = await listed('routes.json')
const beyond = await listed('routes-beyond-v1.json')
const routes = [...specified, ...beyond]
const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`
const operationOf = new Map(operations.map(operation => [nameOf(operation), operation]))

test('every route of the specification is served, and beyond these only the listed ones', () => {
  expect(specified).toHaveLength(120)
  expect([...operationOf.keys()].sort()).toEqual(routes.map(nameOf).sort())
})

for (const route of routes) {
  const operation = operationOf.get(nameOf(route))
  if (operation === undefined) continue
  test(`${nameOf(route)} keeps to the facts of its list`, () => {
    const { scopes, success, idempotent, query } = operation
    const body = jsonBodyOf(operation)
    const limit = query.limit?.schema
    const items = /"maxItems":(\d+)/u.exec(JSON.stringify(body?.schema) ?? '')?.[1]
    expect({
      scopes: scopes.toSorted(),
      success,
      idempotent,
      comparesVersion: /"expected(Primary)?Version":/u.test(JSON.stringify([query, body?.schema])),
      limit: limit === undefined ? null : [limit.maximum, limit.default],
      ...(route.maxItems === undefined ? {} : { items: Number(items) }),
    }).toEqual({
      scopes: route.scopes.toSorted(),
      success: [route.success, ...(route.alsoSuccess ?? [])],
      idempotent: route.idempotencyKey,
      comparesVersion: route.cas !== false,
      limit: route.page === undefined ? null : [route.maxLimit ?? 100, route.defaultLimit ?? 50],
      ...(route.maxItems === undefined ? {} : { items: route.maxItems }),
    })
  })
}
