import { expect, it } from 'vitest'
import { operations } from '../../server/src/modules.ts'
import { requestBuilders } from './support/requests.ts'
import { readRoutes } from './support/routes.ts'

const routes = await readRoutes()
const registered = new Map(operations.map(operation => [`${operation.method} ${operation.path}`, operation]))
it('serves every route that the specification gives', () => {
  const missing = routes.map(({ method, path }) => `${method} ${path}`).filter(route => !registered.has(route))
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
