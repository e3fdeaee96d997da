import { expect, it } from 'vitest'
import { operations } from '../../server/src/modules.ts'
import { requestBuilders } from './support/requests.ts'
import { readRoutes } from './support/routes.ts'

const routes = await readRoutes()
const registered = new Map(operations.map(operation => [`${operation.method} ${operation.path}`, operation]))
const inScope =
  /^\/api\/v1\/(crm\/(contacts|companies|deals|tasks|changes|search|capabilities)|external|ai-agents\/external\/(agents|products-sets|knowledge-bases))(\/|$)/u

it('serves every route that the specification gives records, changes, search, capabilities, channels and agents', () => {
  const expected = routes.filter(({ path }) => inScope.test(path))
  const missing = expected.map(({ method, path }) => `${method} ${path}`).filter(route => !registered.has(route))
  expect(missing).toEqual([])
})

it('serves no route that the specification does not give', () => {
  const specified = new Set(routes.map(({ method, path }) => `${method} ${path}`))
  expect([...registered.keys()].filter(route => !specified.has(route))).toEqual([])
})

it('has a valid request for every registered operation, and none for another', () => {
  expect(Object.keys(requestBuilders).sort()).toEqual(operations.map(({ id }) => id).sort())
})

it('gives every operation an id of its own', () => {
  expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length)
})

for (const route of routes) {
  const operation = registered.get(`${route.method} ${route.path}`)
  if (operation === undefined) continue
  it(`${route.method} ${route.path} needs the scopes, answers the status and takes the key that are specified`, () => {
    expect([...operation.scopes].sort()).toEqual([...route.scopes].sort())
    expect([...operation.success].sort()).toEqual([route.success, ...route.alsoSuccess].sort())
    expect(operation.idempotent).toBe(route.idempotencyKey)
    const pages = 'cursor' in operation.query || 'after' in operation.query
    expect(pages).toBe(route.page === 'cursor')
  })
}
